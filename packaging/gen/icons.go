package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
)

// A picture is a PNG of the app's icon.
type picture struct {
	size int
	data []byte
}

// pictures reads the PNGs of the icon in some sizes.
func pictures(sizes ...int) ([]picture, error) {
	var all []picture
	for _, size := range sizes {
		data, err := os.ReadFile(fmt.Sprintf("assets/easel-%d.png", size))
		if err != nil {
			return nil, err
		}
		all = append(all, picture{size, data})
	}
	return all, nil
}

// ico returns the icon for Windows: a directory, then the PNGs.
func ico() ([]byte, error) {
	all, err := pictures(16, 32, 48, 64, 128, 256)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	put := func(values ...any) {
		for _, v := range values {
			_ = binary.Write(&b, binary.LittleEndian, v) // a buffer takes everything
		}
	}
	put(uint16(0), uint16(1), uint16(len(all)))
	at := 6 + 16*len(all)
	for _, p := range all {
		side := uint8(p.size % 256) // 0 means 256
		put(side, side, uint16(0), uint16(1), uint16(32), uint32(len(p.data)), uint32(at))
		at += len(p.data)
	}
	for _, p := range all {
		b.Write(p.data)
	}
	return b.Bytes(), nil
}

// icns returns the icon for macOS: a sequence of PNGs, each with a type and a length. Types
// that end the list are those of screens with two pixels per point.
func icns() ([]byte, error) {
	types := []struct {
		name string
		size int
	}{
		{"icp4", 16},
		{"icp5", 32},
		{"icp6", 64},
		{"ic07", 128},
		{"ic08", 256},
		{"ic09", 512},
		{"ic11", 32},
		{"ic12", 64},
		{"ic13", 256},
		{"ic14", 512},
	}
	var body bytes.Buffer
	for _, t := range types {
		p, err := pictures(t.size)
		if err != nil {
			return nil, err
		}
		body.WriteString(t.name)
		_ = binary.Write(&body, binary.BigEndian, uint32(8+len(p[0].data))) // a buffer takes everything
		body.Write(p[0].data)
	}
	head := binary.BigEndian.AppendUint32([]byte("icns"), uint32(8+body.Len()))
	return append(head, body.Bytes()...), nil
}

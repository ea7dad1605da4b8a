package main

import (
	"archive/zip"
	"debug/macho"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// zipDir writes the files of a directory to a ZIP archive, sorted and with one time, so that
// two archives of the same files are identical.
func zipDir(out, dir string, at time.Time) (err error) {
	f, err := os.Create(out)
	if err != nil {
		return err
	}
	z := zip.NewWriter(f)
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		return add(z, dir, path, d, at)
	})
	return errors.Join(err, z.Close(), f.Close())
}

func add(z *zip.Writer, dir, path string, d fs.DirEntry, at time.Time) error {
	name, err := filepath.Rel(dir, path)
	if err != nil {
		return err
	}
	info, err := d.Info()
	if err != nil {
		return err
	}
	h := &zip.FileHeader{Name: filepath.ToSlash(name), Method: zip.Deflate, Modified: at}
	h.SetMode(0o644 | info.Mode()&0o111)
	w, err := z.CreateHeader(h)
	if err != nil {
		return err
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	_, err = io.Copy(w, f)
	return err
}

// fatAlign is the alignment of a program in a universal one, as a power of two: a page of
// Apple's processors.
const fatAlign = 14

// fat returns a universal program for macOS of programs for one processor each.
func fat(paths []string) ([]byte, error) {
	if len(paths) == 0 {
		return nil, errors.New("no programs")
	}
	out := binary.BigEndian.AppendUint32(nil, macho.MagicFat)
	out = binary.BigEndian.AppendUint32(out, uint32(len(paths)))
	at := uint32(1 << fatAlign)
	var parts [][]byte
	for _, path := range paths {
		m, err := macho.Open(path)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		_ = m.Close() // it was only read
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		for _, v := range []uint32{uint32(m.Cpu), m.SubCpu, at, uint32(len(data)), fatAlign} {
			out = binary.BigEndian.AppendUint32(out, v)
		}
		parts = append(parts, data)
		at = (at + uint32(len(data)) + 1<<fatAlign - 1) &^ (1<<fatAlign - 1)
	}
	for i, data := range parts {
		start := binary.BigEndian.Uint32(out[8+20*i+8:])
		out = append(out, make([]byte, int(start)-len(out))...)
		out = append(out, data...)
	}
	return out, nil
}

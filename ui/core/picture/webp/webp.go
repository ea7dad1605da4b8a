// Package webp decodes WebP images with correct colours.
//
// Lossy WebP uses the video range of BT.601, in which black is 16 and white is 235.
// golang.org/x/image/webp returns such images as Go's YCbCr, which has JPEG's full range, so
// black becomes grey. This package converts the range. Of an animation, which x/image does not
// read, it decodes the first frame.
//
// # Goroutines
//
// There is no state; every function may be called on any goroutine.
package webp

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"math"

	xwebp "golang.org/x/image/webp"
)

// DecodeConfig returns the size of an image or of an animation's canvas.
func DecodeConfig(data []byte) (image.Config, error) {
	return xwebp.DecodeConfig(bytes.NewReader(data))
}

// Decode decodes an image, or the first frame of an animation. The image's bounds are those of
// the frame on the canvas.
func Decode(data []byte) (image.Image, error) {
	data, at, err := still(data)
	if err != nil {
		return nil, err
	}
	m, err := xwebp.Decode(bytes.NewReader(data))
	switch m := m.(type) {
	case *image.YCbCr:
		fullRange(m)
		m.Rect = m.Rect.Add(at)
	case *image.NYCbCrA:
		fullRange(&m.YCbCr)
		m.Rect = m.Rect.Add(at)
	case *image.NRGBA:
		m.Rect = m.Rect.Add(at)
	}
	return m, err
}

// fullRange converts samples from BT.601's range to JPEG's.
func fullRange(m *image.YCbCr) {
	stretch(m.Y, 16, 219, 0)
	stretch(m.Cb, 128, 224, 128)
	stretch(m.Cr, 128, 224, 128)
}

// stretch converts samples whose zero and span become those of a byte.
func stretch(plane []byte, zero, span, newZero float64) {
	var to [256]byte
	for i := range to {
		to[i] = byte(min(max(math.Round((float64(i)-zero)*255/span+newZero), 0), 255))
	}
	for i, v := range plane {
		plane[i] = to[v]
	}
}

const (
	featureBytes = 20 // of the header up to the flags of an extended file
	frameBytes   = 16 // before the chunks of a frame
	animated     = 1 << 1
	hasAlpha     = 1 << 4
)

// still returns the first frame of an animation as a file, and its place on the canvas; other
// files as they are.
func still(data []byte) ([]byte, image.Point, error) {
	if len(data) <= featureBytes || string(data[12:16]) != "VP8X" || data[featureBytes]&animated == 0 {
		return data, image.Point{}, nil
	}
	for rest := data[12:]; ; {
		name, body, after := chunk(rest)
		if name == "ANMF" && len(body) > frameBytes {
			frame, err := alone(body)
			return frame, image.Pt(2*uint24(body), 2*uint24(body[3:])), err
		}
		if name == "" {
			return nil, image.Point{}, errors.New("an animation without frames")
		}
		rest = after
	}
}

// alone returns a file of one frame. The size in its data must be the frame's, because the
// decoder trusts it.
func alone(frame []byte) ([]byte, error) {
	chunks := frame[frameBytes:]
	name, _, pixels := chunk(chunks)
	if name != "ALPH" {
		pixels = chunks
	}
	bare := appendChunk(nil, "RIFF", append([]byte("WEBP"), pixels...))
	c, err := DecodeConfig(bare)
	if err != nil {
		return nil, err
	}
	if w, h := uint24(frame[6:])+1, uint24(frame[9:])+1; c.Width != w || c.Height != h {
		return nil, fmt.Errorf("a frame's data has %d×%d pixels, want %d×%d", c.Width, c.Height, w, h)
	}
	if name != "ALPH" {
		return bare, nil
	}
	features := append([]byte{hasAlpha, 0, 0, 0}, frame[6:12]...)
	return appendChunk(nil, "RIFF", append(appendChunk([]byte("WEBP"), "VP8X", features), chunks...)), nil
}

// chunk splits a chunk off. Its name is empty if data has no complete one.
func chunk(data []byte) (name string, body, after []byte) {
	if len(data) < 8 {
		return "", nil, nil
	}
	n := int64(binary.LittleEndian.Uint32(data[4:]))
	if n > int64(len(data)-8) {
		return "", nil, nil
	}
	return string(data[:4]), data[8 : 8+n], data[min(8+n+n&1, int64(len(data))):]
}

func appendChunk(out []byte, name string, body []byte) []byte {
	out = append(out, name...)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(body)))
	return append(append(out, body...), make([]byte, len(body)&1)...)
}

func uint24(b []byte) int { return int(b[0]) | int(b[1])<<8 | int(b[2])<<16 }

package e2e

import (
	"encoding/json"
	"image"
	"image/color"
	"os"
	"syscall"
	"testing"

	"easel/internal/require"
)

// A framebuffer is the memory of the display, which Xvfb maps to a file. Reading it takes
// microseconds and does not involve the X server.
type framebuffer struct {
	pixels []byte
	w, h   int
	stride int
}

// openFramebuffer maps the file named by scripts/display. It has the format of xwd: a header of
// 32-bit numbers, a colour map, and the pixels.
func openFramebuffer(t *testing.T) *framebuffer {
	t.Helper()
	path := os.Getenv("EASEL_FRAMEBUFFER")
	if path == "" {
		t.Skip("there is no framebuffer; make test makes one")
	}
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	info, err := f.Stat()
	require.NoError(t, err)
	m, err := syscall.Mmap(int(f.Fd()), 0, int(info.Size()), syscall.PROT_READ, syscall.MAP_SHARED)
	require.NoError(t, err)
	t.Cleanup(func() { _ = syscall.Munmap(m) })
	field := func(i int) int { return int(m[4*i])<<24 | int(m[4*i+1])<<16 | int(m[4*i+2])<<8 | int(m[4*i+3]) }
	const headerSize, width, height, bits, stride, colours, colourSize = 0, 4, 5, 11, 12, 19, 12
	if field(bits) != 32 {
		t.Fatalf("the screen has %d bits for a pixel, want 32", field(bits))
	}
	return &framebuffer{
		pixels: m[field(headerSize)+field(colours)*colourSize:],
		w:      field(width), h: field(height), stride: field(stride),
	}
}

// at returns the current colour of a pixel.
func (f *framebuffer) at(x, y int) color.RGBA {
	p := f.pixels[y*f.stride+4*x:]
	return color.RGBA{p[2], p[1], p[0], 0xFF}
}

// count returns the number of pixels with approximately this colour in a part of the screen.
func (f *framebuffer) count(r image.Rectangle, want color.RGBA) (n int) {
	r = r.Intersect(image.Rect(0, 0, f.w, f.h))
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			if near(f.at(x, y), want) {
				n++
			}
		}
	}
	return n
}

// around returns the bounding box of the pixels with a colour in a part of the screen.
func (f *framebuffer) around(r image.Rectangle, want color.RGBA) (box image.Rectangle) {
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			if near(f.at(x, y), want) {
				box = box.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	return box
}

// fingerprint returns a hash of a part of the screen.
func (f *framebuffer) fingerprint(r image.Rectangle) uint64 {
	h := uint64(14695981039346656037)
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for _, b := range f.pixels[y*f.stride+4*r.Min.X : y*f.stride+4*r.Max.X] {
			h = (h ^ uint64(b)) * 1099511628211
		}
	}
	return h
}

func near(a, b color.RGBA) bool { return within(12, a, b) }

// within reports whether each channel of two colours differs by at most by.
func within(by uint8, a, b color.RGBA) bool {
	apart := func(x, y uint8) bool { return max(x, y)-min(x, y) > by }
	return !apart(a.R, b.R) && !apart(a.G, b.G) && !apart(a.B, b.B)
}

// decode decodes a JSON object.
func decode(t *testing.T, raw []byte) (out map[string]any) {
	t.Helper()
	if err := json.Unmarshal(raw, &out); err != nil {
		t.Fatalf("not JSON: %v\n%s", err, raw)
	}
	return out
}

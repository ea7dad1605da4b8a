package animation

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"testing"
)

// apngOf makes an animated PNG of grey frames at x, y, w, h; the first is its still picture.
func apngOf(frames [][4]uint32) []byte {
	u32 := func(vs ...uint32) (b []byte) {
		for _, v := range vs {
			b = binary.BigEndian.AppendUint32(b, v)
		}
		return b
	}
	out := appendChunk([]byte(pngMagic), "IHDR", append(u32(8, 8), 8, 0, 0, 0, 0))
	out = appendChunk(out, "acTL", u32(uint32(len(frames)), 0))
	number := uint32(0)
	for i, f := range frames {
		out = appendChunk(out, "fcTL", append(u32(number, f[2], f[3], f[0], f[1]), 0, 1, 0, 10, 0, 0))
		number++
		var b bytes.Buffer
		z := zlib.NewWriter(&b)
		for range f[3] {
			_, _ = z.Write(append([]byte{0}, bytes.Repeat([]byte{byte(40 * (i + 1))}, int(f[2]))...))
		}
		_ = z.Close()
		if i == 0 {
			out = appendChunk(out, "IDAT", b.Bytes())
			continue
		}
		out = appendChunk(out, "fdAT", append(u32(number), b.Bytes()...))
		number++
	}
	return appendChunk(out, "IEND", nil)
}

// dot is a lossless WebP frame of one red pixel.
var dot = []byte("VP8L\x10\x00\x00\x00\x2f\x00\x00\x00\x10\x07\x10\xfd\x8f\xfe\x07\x22\xa2\xff\x01\x00")

// webpOf makes an animated WebP of 8×8 pixels with such frames.
func webpOf(areas ...image.Rectangle) []byte {
	u24 := func(v int) []byte { return []byte{byte(v), byte(v >> 8), byte(v >> 16)} }
	body := appendWebPChunk([]byte("WEBP"), "VP8X", []byte{1 << 1, 0, 0, 0, 7, 0, 0, 7, 0, 0})
	body = appendWebPChunk(body, "ANIM", []byte{0, 0, 0, 0, 0, 0})
	for _, r := range areas {
		var f []byte
		for _, v := range []int{r.Min.X / 2, r.Min.Y / 2, r.Dx() - 1, r.Dy() - 1, 40} {
			f = append(f, u24(v)...)
		}
		body = appendWebPChunk(body, "ANMF", append(append(f, 0), dot...))
	}
	return appendWebPChunk(nil, "RIFF", body)
}

func TestAPNGFramesLieWhereTheySay(t *testing.T) {
	a := open(t, apngOf([][4]uint32{{0, 0, 8, 8}, {2, 3, 4, 2}}))
	m, err := a.Frame(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		x, y int
		want byte
	}{{1, 3, 40}, {2, 2, 40}, {2, 3, 80}, {5, 4, 80}, {6, 4, 40}, {5, 5, 40}} {
		if got := m.RGBAAt(tc.x, tc.y); got != (color.RGBA{tc.want, tc.want, tc.want, 0xFF}) {
			t.Errorf("at %d, %d: %v, want %d", tc.x, tc.y, got, tc.want)
		}
	}
}

// TestHostileAPNG: what an APNG promises must be there, and within its canvas.
func TestHostileAPNG(t *testing.T) {
	good := apngOf([][4]uint32{{0, 0, 8, 8}, {0, 0, 8, 8}, {0, 0, 8, 8}})
	set := func(chunk string, n, at int, v uint32) []byte {
		b, from := bytes.Clone(good), 0
		for range n {
			from += bytes.Index(b[from:], []byte(chunk)) + 4
		}
		binary.BigEndian.PutUint32(b[from+at:], v)
		return b
	}
	for name, tc := range map[string]struct {
		data []byte
		want error
		len  int
	}{
		"good":                         {good, nil, 3},
		"it promises too much":         {set("acTL", 1, 0, 1<<31), nil, 3},
		"it promises less":             {set("acTL", 1, 0, 2), nil, 2},
		"it promises nothing":          {set("acTL", 1, 0, 0), ErrStill, 0},
		"a frame beyond the canvas":    {set("fcTL", 2, 12, 4), ErrDamaged, 0},
		"a frame of no width":          {set("fcTL", 2, 4, 0), ErrDamaged, 0},
		"an offset that wraps around":  {set("fcTL", 2, 12, 0xFFFFFFFE), ErrDamaged, 0},
		"a huge canvas":                {set("IHDR", 1, 0, 1<<30), ErrTooLarge, 0},
		"a chunk longer than the file": {set("fcTL", 3, -8, 1<<31), ErrStill, 0}, // the second frame may go on
		"cut":                          {good[:len(good)-30], nil, 2},
	} {
		t.Run(name, func(t *testing.T) {
			a, err := Open(tc.data)
			if !errors.Is(err, tc.want) {
				t.Fatalf("%v, want %v", err, tc.want)
			}
			if err == nil && a.Len() != tc.len {
				t.Errorf("%d frames, want %d", a.Len(), tc.len)
			}
		})
	}
}

// TestHostileWebP: a frame's data must have the size that the frame has.
func TestHostileWebP(t *testing.T) {
	one := image.Rect(2, 4, 3, 5)
	m, err := open(t, webpOf(one, one)).Frame(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	if got := m.RGBAAt(2, 4); got.A != 0xFF || m.RGBAAt(3, 4) != none {
		t.Errorf("the dot is %v, beside it: %v", got, m.RGBAAt(3, 4))
	}
	if _, err := Open(webpOf(one, image.Rect(6, 6, 12, 12))); !errors.Is(err, ErrDamaged) {
		t.Errorf("a frame beyond the canvas: %v", err)
	}
	if _, err := open(t, webpOf(one, image.Rect(0, 0, 8, 8))).Frame(t.Context(), 1); !errors.Is(err, ErrDamaged) {
		t.Errorf("a frame with less data than pixels: %v", err)
	}
	if _, err := Open(webpOf()); !errors.Is(err, ErrStill) {
		t.Errorf("no frames: %v", err)
	}
}

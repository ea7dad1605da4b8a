package webp

import (
	"image"
	"strings"
	"testing"

	"easel/internal/require"
)

// dot is a lossless frame of one red pixel.
var dot = []byte("VP8L\x10\x00\x00\x00\x2f\x00\x00\x00\x10\x07\x10\xfd\x8f\xfe\x07\x22\xa2\xff\x01\x00")

// animation makes an animation of 8×8 pixels with such frames.
func animation(areas ...image.Rectangle) []byte {
	u24 := func(v int) []byte { return []byte{byte(v), byte(v >> 8), byte(v >> 16)} }
	body := appendChunk([]byte("WEBP"), "VP8X", []byte{animated, 0, 0, 0, 7, 0, 0, 7, 0, 0})
	body = appendChunk(body, "ANIM", make([]byte, 6))
	for _, r := range areas {
		var f []byte
		for _, v := range []int{r.Min.X / 2, r.Min.Y / 2, r.Dx() - 1, r.Dy() - 1, 40} {
			f = append(f, u24(v)...)
		}
		body = appendChunk(body, "ANMF", append(append(f, 0), dot...))
	}
	return appendChunk(nil, "RIFF", body)
}

func TestTheFirstFrameOfAnAnimation(t *testing.T) {
	data := animation(image.Rect(2, 4, 3, 5), image.Rect(0, 0, 1, 1))
	if c, err := DecodeConfig(data); err != nil || c.Width != 8 || c.Height != 8 {
		t.Errorf("%v, %v", c, err)
	}
	m, err := Decode(data)
	require.NoError(t, err)
	if r, _, _, a := m.At(2, 4).RGBA(); m.Bounds() != image.Rect(2, 4, 3, 5) || r>>8 != 0xFF || a>>8 != 0xFF {
		t.Errorf("%v at %v", m.At(2, 4), m.Bounds())
	}
	for name, tc := range map[string]struct {
		data []byte
		want string
	}{
		"less data than pixels": {animation(image.Rect(0, 0, 8, 8)), "1×1 pixels, want 8×8"},
		"no frames":             {animation(), "without frames"},
		"cut":                   {data[:60], "without frames"},
	} {
		if _, err := Decode(tc.data); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", name, err, tc.want)
		}
	}
}

package picture

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/color"
	"image/gif"
	"testing"

	"easel/internal/require"
)

// lossy is a lossy WebP that libwebp made: black, white beside it, red (200, 30, 40) below.
const lossy = "" +
	"UklGRlwAAABXRUJQVlA4IFAAAABwBACdASpAAEAAPjEUiUMiISEXDJQAIAMEsoA7AH4AAJm+4Xkd0OHSZP/nwAD+/tAuP+UaEb9Rr///kFywuu" +
	"Rr//9Ch/Rxv0cb/0FYtAAAAA=="

// TestLossyWebPHasItsColours: black is black, although WebP stores it as 16.
func TestLossyWebPHasItsColours(t *testing.T) {
	data, err := base64.StdEncoding.DecodeString(lossy)
	require.NoError(t, err)
	m, err := Decode(data)
	require.NoError(t, err)
	for at, want := range map[image.Point]color.RGBA{
		{8, 8}: {0, 0, 0, 255}, {48, 8}: {255, 255, 255, 255}, {8, 48}: {200, 30, 40, 255},
	} {
		got := color.RGBAModel.Convert(m.At(at.X, at.Y)).(color.RGBA) //nolint:forcetypeassert // the model's own type
		for _, d := range []int{int(got.R) - int(want.R), int(got.G) - int(want.G), int(got.B) - int(want.B)} {
			if max(d, -d) > 3 {
				t.Errorf("at %v: %v, want %v", at, got, want)
				break
			}
		}
	}
}

// TestThePosterIsTheFirstFrameWithSomethingOnIt: many animations begin with an empty frame.
func TestThePosterIsTheFirstFrameWithSomethingOnIt(t *testing.T) {
	white, dot := image.NewPaletted(image.Rect(0, 0, 20, 10), color.Palette{color.White, color.Black}), image.NewPaletted(image.Rect(0, 0, 20, 10), color.Palette{color.White, color.Black})
	dot.SetColorIndex(5, 5, 1)
	for name, tc := range map[string]struct {
		frames []*image.Paletted
		want   color.Color
	}{
		"the second": {[]*image.Paletted{white, dot}, color.Black},
		"the first":  {[]*image.Paletted{dot, white}, color.Black},
		"none":       {[]*image.Paletted{white, white}, color.White},
	} {
		var b bytes.Buffer
		require.NoError(t, gif.EncodeAll(&b, &gif.GIF{Image: tc.frames, Delay: []int{5, 5}}))
		m, err := Thumb(b.Bytes(), 40)
		if err != nil || m.RGBAAt(5, 5) != color.RGBAModel.Convert(tc.want) {
			t.Errorf("%s: %v, %v", name, m.RGBAAt(5, 5), err)
		}
		data, _, _, _, err := Preview(b.Bytes(), GIF, 100, 100_000)
		require.NoError(t, err)
		if m, err := Decode(data); err != nil || color.RGBAModel.Convert(m.At(5, 5)) != color.RGBAModel.Convert(tc.want) {
			t.Errorf("%s, for a model: %v, %v", name, m.At(5, 5), err)
		}
	}
}

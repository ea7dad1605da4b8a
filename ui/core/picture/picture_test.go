package picture

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/color/palette"
	"image/draw"
	"image/gif"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"runtime"
	"testing"

	"easel/internal/require"
)

// webPSample is a lossless WebP of 1×1 pixel.
const webPSample = "UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA=="

// plot returns an image with thin lines, like a plot.
func plot(w, h int) *image.NRGBA {
	im := image.NewNRGBA(image.Rect(0, 0, w, h))
	draw.Draw(im, im.Rect, image.White, image.Point{}, draw.Src)
	for x := range w {
		im.Set(x, (x*x/7)%h, color.NRGBA{200, 30, 30, 255})
		im.Set(x, h/2, color.Black)
	}
	return im
}

func noise(w, h int) *image.NRGBA {
	r := rand.New(rand.NewPCG(1, 2))
	im := image.NewNRGBA(image.Rect(0, 0, w, h))
	for i := range im.Pix {
		im.Pix[i] = byte(r.Uint32())
	}
	return im
}

func asPNG(t testing.TB, im image.Image) []byte {
	t.Helper()
	b, err := encodePNG(im, png.BestSpeed)
	require.NoError(t, err)
	return b
}

func asJPEG(t testing.TB, im image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, jpeg.Encode(&b, im, &jpeg.Options{Quality: 95}))
	return b.Bytes()
}

// asGIF returns an animation whose first frame covers only a part of the canvas.
func asGIF(t testing.TB) []byte {
	t.Helper()
	first := image.NewPaletted(image.Rect(10, 10, 20, 20), palette.Plan9)
	draw.Draw(first, first.Rect, image.NewUniform(color.RGBA{255, 0, 0, 255}), image.Point{}, draw.Src)
	second := image.NewPaletted(image.Rect(0, 0, 40, 30), palette.Plan9)
	var b bytes.Buffer
	err := gif.EncodeAll(&b, &gif.GIF{Image: []*image.Paletted{first, second}, Delay: []int{1, 1}, Config: image.Config{Width: 40, Height: 30, ColorModel: color.Palette(palette.Plan9)}})
	require.NoError(t, err)
	return b.Bytes()
}

func asWebP(t testing.TB) []byte {
	t.Helper()
	b, err := base64.StdEncoding.DecodeString(webPSample)
	require.NoError(t, err)
	return b
}

// bomb returns a PNG whose header claims w×h pixels of 8-bit RGBA, with little data.
func bomb(w, h uint32) []byte {
	b := []byte("\x89PNG\r\n\x1a\n")
	chunk := func(kind string, data []byte) {
		b = binary.BigEndian.AppendUint32(b, uint32(len(data)))
		body := append([]byte(kind), data...)
		b = append(b, body...)
		b = binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(body))
	}
	head := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, w), h)
	chunk("IHDR", append(head, 8, 6, 0, 0, 0))
	chunk("IDAT", []byte{0x78, 0x9c, 0x63, 0, 0, 0, 1, 0, 1})
	chunk("IEND", nil)
	return b
}

func TestSniffTellsKindAndSizeOrWhyNot(t *testing.T) {
	png1 := asPNG(t, plot(64, 48))
	svg := func(attrs string) []byte {
		return []byte("\ufeff<?xml version=\"1.0\"?>\n<!DOCTYPE svg PUBLIC \"x\" \"y\">\n<!-- <svg width='1'> -->\n<svg xmlns=\"http://www.w3.org/2000/svg\" " + attrs + "><g/></svg>")
	}
	for name, tc := range map[string]struct {
		data []byte
		mime string
		w, h int
		err  error
	}{
		"PNG":                            {png1, PNG, 64, 48, nil},
		"PNG without its end":            {png1[:100], PNG, 64, 48, nil},
		"PNG cut within its header":      {png1[:20], PNG, 0, 0, ErrDamaged},
		"JPEG":                           {asJPEG(t, plot(64, 48)), JPEG, 64, 48, nil},
		"JPEG of three bytes":            {[]byte("\xff\xd8\xff"), JPEG, 0, 0, ErrDamaged},
		"animated GIF":                   {asGIF(t), GIF, 40, 30, nil},
		"WebP":                           {asWebP(t), WebP, 1, 1, nil},
		"WebP cut off":                   {asWebP(t)[:14], WebP, 0, 0, ErrDamaged},
		"nothing":                        {nil, "", 0, 0, ErrFormat},
		"text":                           {[]byte("hello"), "", 0, 0, ErrFormat},
		"HTML":                           {[]byte("<html><svg width='1' height='1'/></html>"), "", 0, 0, ErrFormat},
		"a bomb of too many pixels":      {bomb(60_000, 60_000), PNG, 60_000, 60_000, ErrTooLarge},
		"a bomb of too long an edge":     {bomb(1_000_000, 1), PNG, 1_000_000, 1, ErrTooLarge},
		"a bomb below the limits":        {bomb(8_000, 8_000), PNG, 8_000, 8_000, ErrDamaged},
		"a PNG of size 2^31":             {bomb(1<<31-1, 1<<31-1), PNG, 0, 0, ErrDamaged},
		"SVG in points, as matplotlib's": {svg(`width="460.8pt" height="345.6pt" viewBox="0 0 460.8 345.6"`), SVG, 614, 461, nil},
		"SVG in pixels":                  {svg(`width="10px" height="20"`), SVG, 10, 20, nil},
		"SVG with only a viewBox":        {svg(`viewBox="0,0 30  40"`), SVG, 30, 40, nil},
		"SVG of relative size":           {svg(`width="100%" height="100%" viewBox="0 0 3 4"`), SVG, 3, 4, nil},
		"SVG without a size":             {svg(``), SVG, 0, 0, nil},
		"SVG of absurd size":             {svg(`width="1e300" height="NaN" viewBox="0 0 1e9 1"`), SVG, 0, 0, nil},
		"SVG that never ends":            {append(svg(`width="1" height="1"`), bytes.Repeat([]byte("<g>"), 1<<20)...), SVG, 1, 1, nil},
		"XML with a billion laughs":      {[]byte(`<!DOCTYPE l [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><svg width="&b;" height="1"/>`), SVG, 0, 0, nil},
	} {
		t.Run(name, func(t *testing.T) {
			mime, w, h, err := Sniff(tc.data)
			if mime != tc.mime || w != tc.w || h != tc.h || !errors.Is(err, tc.err) {
				t.Errorf("got %q %d×%d %v", mime, w, h, err)
			}
		})
	}
}

func TestABombCostsNothing(t *testing.T) {
	gifBomb := append([]byte("GIF89a\x10\x27\x10\x27\x80\x00\x00\x00\x00\x00\xff\xff\xff,\x00\x00\x00\x00\x10\x27\x10\x27\x00"), 2, 1, 0x44, 0, ';')
	jpegBomb := asJPEG(t, plot(8, 8))
	at := bytes.Index(jpegBomb, []byte{0xff, 0xc0}) + 5
	binary.BigEndian.PutUint16(jpegBomb[at:], 9_000)
	binary.BigEndian.PutUint16(jpegBomb[at+2:], 9_000)
	webpBomb := append([]byte("RIFF\x1a\x00\x00\x00WEBPVP8L\x0e\x00\x00\x00\x2f"), 0xff, 0x1f, 0xff, 0x07, 0, 0, 0, 0, 0, 0, 0, 0, 0)
	for _, data := range [][]byte{bomb(60_000, 60_000), bomb(8_900, 8_900), bomb(65_535, 1_500), bomb(1<<31-1, 1), gifBomb, jpegBomb, webpBomb} {
		if mime, w, h, err := Sniff(data); mime == "" || err == nil {
			t.Errorf("%q %d×%d %v", mime, w, h, err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, thumbErr := Thumb(data, 256)
		_, _, _, _, previewErr := Preview(data, PNG, 1568, 700_000)
		runtime.ReadMemStats(&after)
		if thumbErr == nil || previewErr == nil {
			t.Error("a bomb is no picture")
		}
		if cost := after.TotalAlloc - before.TotalAlloc; cost > 4<<20 {
			t.Errorf("%.16q of %d bytes cost %d", data, len(data), cost)
		}
	}
}

func TestPreviewFitsWhateverComes(t *testing.T) {
	small, smallJPEG := asPNG(t, plot(640, 480)), asJPEG(t, plot(640, 480))
	for name, tc := range map[string]struct {
		data              []byte
		maxEdge, maxBytes int
		same              bool
		mime              string
		w, h              int
	}{
		"a PNG that fits":                {small, 1568, 700_000, true, PNG, 640, 480},
		"a JPEG that fits":               {smallJPEG, 1568, 700_000, true, JPEG, 640, 480},
		"no limits":                      {small, 0, 0, true, PNG, 640, 480},
		"a wide PNG":                     {asPNG(t, plot(3000, 100)), 1568, 700_000, false, PNG, 1568, 52},
		"a high PNG":                     {asPNG(t, plot(10, 3000)), 100, 0, false, PNG, 1, 100},
		"a JPEG too wide stays a JPEG":   {smallJPEG, 320, 0, false, JPEG, 320, 240},
		"an animated GIF":                {asGIF(t), 1568, 700_000, false, PNG, 40, 30},
		"a WebP":                         {asWebP(t), 1568, 700_000, false, PNG, 1, 1},
		"noise that is no small PNG":     {asPNG(t, noise(800, 600)), 1568, 400_000, false, JPEG, 800, 600},
		"noise that must become smaller": {asPNG(t, noise(800, 600)), 1568, 40_000, false, JPEG, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			out, mime, w, h, err := Preview(tc.data, "", tc.maxEdge, tc.maxBytes)
			require.NoError(t, err)
			if bytes.Equal(out, tc.data) != tc.same || mime != tc.mime || tc.w > 0 && (w != tc.w || h != tc.h) {
				t.Errorf("got %s %d×%d, the same: %t", mime, w, h, bytes.Equal(out, tc.data))
			}
			gotMIME, gotW, gotH, err := Sniff(out)
			if gotMIME != mime || gotW != w || gotH != h || err != nil {
				t.Errorf("it says %s %d×%d and is %s %d×%d, %v", mime, w, h, gotMIME, gotW, gotH, err)
			}
			if !fits(len(out), tc.maxBytes) || !fits(max(w, h), tc.maxEdge) {
				t.Errorf("%d bytes, %d×%d", len(out), w, h)
			}
		})
	}
	for name, tc := range map[string]struct {
		data []byte
		max  int
		err  error
	}{
		"an SVG":               {[]byte(`<svg width="1" height="1"/>`), 0, ErrNoRaster},
		"a text":               {[]byte("hello"), 0, ErrFormat},
		"a PNG without pixels": {small[:200], 100, ErrDamaged},
		"no room at all":       {asPNG(t, noise(100, 100)), 10, ErrTooLarge},
	} {
		if _, _, _, _, err := Preview(tc.data, "", 1568, tc.max); !errors.Is(err, tc.err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestTransparencyBecomesWhiteInAJPEG(t *testing.T) {
	im := noise(300, 300)
	draw.Draw(im, image.Rect(0, 0, 150, 300), image.Transparent, image.Point{}, draw.Src)
	out, mime, _, _, err := Preview(asPNG(t, im), PNG, 300, 60_000)
	if err != nil || mime != JPEG {
		t.Fatal(mime, err)
	}
	got, err := Decode(out)
	require.NoError(t, err)
	if r, g, b, _ := got.At(20, 150).RGBA(); r < 0xf000 || g < 0xf000 || b < 0xf000 {
		t.Errorf("got %x %x %x", r, g, b)
	}
}

func TestThumbsKeepAspectLinesAndTransparency(t *testing.T) {
	for _, tc := range []struct{ w, h, edge, wantW, wantH int }{
		{640, 480, 256, 256, 192}, {480, 640, 256, 192, 256}, {100, 50, 256, 100, 50}, {2000, 1, 100, 100, 1}, {300, 300, 1, 1, 1},
	} {
		th, err := Thumb(asPNG(t, plot(tc.w, tc.h)), tc.edge)
		if err != nil || th.Rect != image.Rect(0, 0, tc.wantW, tc.wantH) {
			t.Errorf("%+v: %v, %v", tc, th.Rect, err)
		}
	}
	// A line of one pixel must be visible in a thumbnail, in whichever row it is.
	for row := 200; row < 210; row++ {
		im := image.NewNRGBA(image.Rect(0, 0, 640, 480))
		draw.Draw(im, im.Rect, image.White, image.Point{}, draw.Src)
		draw.Draw(im, image.Rect(0, row, 640, row+1), image.Black, image.Point{}, draw.Src)
		th, err := Thumb(asPNG(t, im), 160)
		require.NoError(t, err)
		darkest := 255
		for y := range th.Rect.Dy() {
			darkest = min(darkest, int(th.RGBAAt(80, y).R))
		}
		if darkest > 220 {
			t.Errorf("the line in row %d is gone: %d", row, darkest)
		}
	}
	th, err := Thumb(asPNG(t, image.NewNRGBA(image.Rect(0, 0, 9, 9))), 4)
	if err != nil || th.RGBAAt(1, 1).A != 0 {
		t.Errorf("not transparent: %v, %v", th.RGBAAt(1, 1), err)
	}
	th, err = Thumb(asGIF(t), 40)
	if err != nil || th.RGBAAt(15, 15) != (color.RGBA{255, 0, 0, 255}) || th.RGBAAt(2, 2).A != 0 || th.Rect.Dx() != 40 {
		t.Errorf("GIF's first frame: %v, %v", th.RGBAAt(15, 15), err)
	}
}

func FuzzDecode(f *testing.F) {
	for _, seed := range [][]byte{
		asPNG(f, plot(20, 10)), asJPEG(f, plot(20, 10)), asGIF(f), asWebP(f), bomb(5000, 5000), bomb(60_000, 60_000), nil,
		[]byte(`<svg viewBox="0 0 1 1"/>`), []byte("RIFF\xff\xff\xff\xffWEBPVP8X"), []byte("GIF89a\xff\xff\xff\xff\x00\x00\x00,"),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		mime, w, h, err := Sniff(data)
		if w < 0 || h < 0 || err == nil && mime == "" {
			t.Errorf("%q %d×%d %v", mime, w, h, err)
		}
		if w*h > 4_000_000 {
			return // valid, but too slow to test by the thousands
		}
		if th, err := Thumb(data, 64); err == nil && (max(th.Rect.Dx(), th.Rect.Dy()) > 64 || th.Rect.Empty()) {
			t.Errorf("thumb of %v", th.Rect)
		}
		out, _, _, _, err := Preview(data, mime, 100, 50_000)
		if err == nil && len(out) > 50_000 {
			t.Errorf("%d bytes", len(out))
		}
	})
}

func BenchmarkThumb(b *testing.B) {
	for _, size := range [][2]int{{640, 480}, {1200, 900}, {4000, 3000}} {
		data := asPNG(b, plot(size[0], size[1]))
		b.Run(fmt.Sprintf("%d×%d to 384", size[0], size[1]), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Thumb(data, 384); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	kept, err := EncodeThumb(plot(384, 288))
	require.NoError(b, err)
	b.Run("kept", func(b *testing.B) {
		for b.Loop() {
			if _, err := Thumb(kept, 176); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkPreview(b *testing.B) {
	for _, size := range [][2]int{{640, 480}, {2000, 1500}, {4000, 3000}} {
		data := asPNG(b, plot(size[0], size[1]))
		b.Run(fmt.Sprintf("%d×%d", size[0], size[1]), func(b *testing.B) {
			for b.Loop() {
				if _, _, _, _, err := Preview(data, PNG, 1568, 525_000); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

package difference_test

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"slices"
	"testing"

	"easel/internal/require"
	"easel/ui/core/reproduce/difference"
)

func plain(w, h int) *image.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, w, h))
	for i := range m.Pix {
		m.Pix[i] = 0xC0
	}
	return m
}

func encoded(t *testing.T, m image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, png.Encode(&b, m))
	return b.Bytes()
}

func TestPictures(t *testing.T) {
	stored := encoded(t, plain(20, 10))
	r, err := difference.Pictures(stored, stored)
	if err != nil || r.Verdict != difference.Identical || r.Sizes[1] != image.Pt(20, 10) {
		t.Errorf("the same bytes: %+v, %v", r, err)
	}

	nearly := plain(20, 10)
	nearly.SetNRGBA(3, 4, color.NRGBA{0xC2, 0xBE, 0xC0, 0xC1})
	if r, err = difference.Pictures(stored, encoded(t, nearly)); err != nil || r.Verdict != difference.Close || r.Marked != nil {
		t.Errorf("a difference of 2: %+v, %v", r, err)
	}

	changed := plain(20, 10)
	changed.SetNRGBA(3, 4, color.NRGBA{0xC3, 0xC0, 0xC0, 0xC0})
	changed.SetNRGBA(9, 6, color.NRGBA{A: 0xFF})
	r, err = difference.Pictures(stored, encoded(t, changed))
	if err != nil || r.Verdict != difference.Different || r.Pixels != 2 || r.Share() != 0.01 || r.Box != image.Rect(3, 4, 10, 7) {
		t.Errorf("two pixels: %+v, %v", r, err)
	}
	if r.Marked == nil || r.Marked.RGBAAt(9, 6) == r.Marked.RGBAAt(0, 0) || r.Marked.RGBAAt(9, 6) != r.Marked.RGBAAt(3, 4) {
		t.Error("the differences are not highlighted")
	}

	r, err = difference.Pictures(stored, encoded(t, plain(20, 11)))
	if err != nil || r.Verdict != difference.Different || r.Sizes != [2]image.Point{{X: 20, Y: 10}, {X: 20, Y: 11}} || r.Marked != nil {
		t.Errorf("another size: %+v, %v", r, err)
	}

	if _, err := difference.Pictures(stored, []byte("no picture")); err == nil {
		t.Error("what is no picture was compared")
	}
}

func TestTransparentPixelsAreEqual(t *testing.T) {
	a, b := image.NewNRGBA(image.Rect(0, 0, 2, 2)), image.NewNRGBA(image.Rect(0, 0, 2, 2))
	b.SetNRGBA(1, 1, color.NRGBA{R: 0xFF})
	if r := difference.Images(a, b); r.Verdict != difference.Close {
		t.Errorf("got %v", r.Verdict)
	}
}

func TestLargePictureOfDifferences(t *testing.T) {
	a, b := plain(3000, 3000), plain(3000, 3000)
	b.SetNRGBA(2999, 2999, color.NRGBA{A: 0xFF})
	r := difference.Images(a, b)
	if r.Pixels != 1 || r.Marked.Rect.Dx() >= 3000 {
		t.Fatalf("%d pixels, picture of %v", r.Pixels, r.Marked.Rect)
	}
	last := r.Marked.Rect.Max.Sub(image.Pt(1, 1))
	if r.Marked.RGBAAt(last.X, last.Y) == r.Marked.RGBAAt(0, 0) {
		t.Error("a single pixel is lost in the scaled picture")
	}
}

func TestData(t *testing.T) {
	for _, c := range []struct {
		name, mime, stored, fresh string
		want                      difference.Verdict
		keys                      []string
	}{
		{"order", "application/json", `{"a":1,"b":[1,2]}`, `{"b":[1,2.0],"a":1}`, difference.Identical, nil},
		{"uid", "application/vnd.plotly.v1+json", `{"data":[{"uid":"a","y":[1]}]}`, `{"data":[{"uid":"b","y":[1]}]}`, difference.Identical, nil},
		{"rounding", "x+json", `[0.1]`, `[0.10000000000000001]`, difference.Identical, nil},
		{
			"values", "application/vnd.plotly.v1+json", `{"data":[{"x":[1,2],"y":[1,2,3]}],"layout":{"title":"a"}}`, `{"data":[{"x":[1,2],"y":[1,5,7]}],"layout":{"title":"b","z":0}}`,
			difference.Different,
			[]string{"data[0].y", "layout.title", "layout.z"},
		},
		{
			"names", "x+json", `{"datasets":{"data-0123456789abcdef0123456789abcdef":[1]},"data":{"name":"data-0123456789abcdef0123456789abcdef"}}`,
			`{"datasets":{"data-ffffffffffffffffffffffffffffffff":[1]},"data":{"name":"data-ffffffffffffffffffffffffffffffff"}}`, difference.Identical, nil,
		},
		{"kinds", "x+json", `{"a":[1]}`, `{"a":{"b":1}}`, difference.Different, []string{"a"}},
		{"all", "x+json", `1`, `2`, difference.Different, []string{"(all)"}},
		{
			"html", "text/html", `<div id="7d444840-9dc0-11d1-b245-5ffdce74fad2"></div><script>f("7d444840-9dc0-11d1-b245-5ffdce74fad2")</script>`,
			`<div id="00000000-9dc0-11d1-b245-5ffdce74fad2"></div> <script>f("00000000-9dc0-11d1-b245-5ffdce74fad2")</script>`, difference.Different, nil,
		},
		{"html with names", "text/html", `<div id="7d444840-9dc0-11d1-b245-5ffdce74fad2"> a`, `<div id="00000000-9dc0-11d1-b245-5ffdce74fad2">  a`, difference.Identical, nil},
		{"svg", "image/svg+xml", `<svg><metadata><dc:date>1</dc:date></metadata><path id="m0123456789"/></svg>`, `<svg><metadata><dc:date>2</dc:date></metadata><path id="mabcdef0123"/></svg>`, difference.Identical, nil},
		{"svg shapes", "image/svg+xml", `<svg><path d="M0 0"/></svg>`, `<svg><path d="M0 1"/></svg>`, difference.Different, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := difference.Data(c.mime, []byte(c.stored), []byte(c.fresh))
			if r.Verdict != c.want || !slices.Equal(r.Keys, c.keys) {
				t.Errorf("got %v %q, want %v %q", r.Verdict, r.Keys, c.want, c.keys)
			}
		})
	}
}

func TestBeside(t *testing.T) {
	wide, tall := plain(400, 100), plain(100, 400)
	if m := difference.Beside(300, true, wide, wide, nil, wide); m.Rect.Dx() > 300 || m.Rect.Dy() > 300 || m.Rect.Dx() < m.Rect.Dy()/2 {
		t.Errorf("wide pictures: %v", m.Rect)
	}
	if m := difference.Beside(2000, true, tall, tall); m.Rect != image.Rect(0, 0, 208, 400) {
		t.Errorf("tall pictures that fit are scaled to %v", m.Rect)
	}
}

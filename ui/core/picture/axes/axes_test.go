package axes_test

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/png"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"easel/internal/require"
	"easel/ui/core/picture/axes"
)

// picture returns a PNG of 200 by 100 pixels with a description of its axes.
func picture(t testing.TB, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, png.Encode(&b, image.NewRGBA(image.Rect(0, 0, 200, 100))))
	var packed bytes.Buffer
	w := zlib.NewWriter(&packed)
	_, _ = w.Write([]byte(text))
	_ = w.Close()
	body := "iTXteasel:axes\x00\x01\x00\x00\x00" + packed.String()
	chunk := binary.BigEndian.AppendUint32(nil, uint32(len(body)-4))
	chunk = append(chunk, body...)
	chunk = binary.BigEndian.AppendUint32(chunk, crc32.ChecksumIEEE([]byte(body)))
	data := b.Bytes()
	end := len(data) - 12
	return append(append(bytes.Clone(data[:end]), chunk...), data[end:]...)
}

func figure(t testing.TB, list string) axes.Figure {
	t.Helper()
	f, ok := axes.Parse(picture(t, `{"v":1,"size":[200,100],"axes":[`+list+`]}`))
	if !ok {
		t.Fatal("no axes in " + list)
	}
	return f
}

func TestTextNamesTheRanges(t *testing.T) {
	const box = `"box":[0,0,100,100]`
	for name, c := range map[string]struct{ axes, want string }{
		"plain":      {`{"n":1,` + box + `,"x":{"lim":[0,10]},"y":{"lim":[0,1]}}`, "x 2.5–7.5, y 0.25–0.75 of axes 1"},
		"inverted":   {`{"n":1,` + box + `,"x":{"lim":[10,0]},"y":{"lim":[1,0]}}`, "x 2.5–7.5, y 0.25–0.75 of axes 1"},
		"negative":   {`{"n":2,"title":"A \n b",` + box + `,"x":{"lim":[-10,0]},"y":{"lim":[0,1]}}`, `x -7.5 to -2.5, y 0.25–0.75 of axes 2 "A b"`},
		"log":        {`{"n":1,"ylabel":"Hz",` + box + `,"x":{"lim":[0,10]},"y":{"lim":[1,10000],"scale":"log"}}`, "x 2.5–7.5, y (Hz) 10–1000 [log] of axes 1"},
		"dates":      {`{"n":1,` + box + `,"x":{"lim":[1767225600,1767312000],"scale":"date","offset":32400},"y":{"lim":[0,1]}}`, "x 2026-01-01T15:00+09:00 to 2026-01-02T03:00+09:00, y 0.25–0.75 of axes 1"},
		"days":       {`{"n":1,` + box + `,"x":{"lim":[0,34560000],"scale":"date"},"y":{"lim":[0,1]}}`, "x 1970-04-11 to 1970-10-28, y 0.25–0.75 of axes 1"},
		"categories": {`{"n":1,` + box + `,"x":{"lim":[0,4],"scale":"category","names":[[0,"a"],[1,"b"],[2,"c"],[4,"d"]]},"y":{"lim":[0,1]}}`, `x "b", "c", y 0.25–0.75 of axes 1`},
		"tick names": {`{"n":1,` + box + `,"x":{"lim":[0,4],"names":[[2,"noon"]]},"y":{"lim":[0,1]}}`, `x 1–3 ("noon"), y 0.25–0.75 of axes 1`},
		"polar":      {`{"n":1,` + box + `,"projection":"polar"}`, "no coordinates (polar) of axes 1"},
		"unknown":    {`{"n":1,` + box + `,"x":{"lim":[0,10]},"y":{"scale":"function"}}`, "x 2.5–7.5 of axes 1"},
		"log of 0":   {`{"n":1,` + box + `,"x":{"lim":[0,10],"scale":"log"},"y":{"lim":[0,1]}}`, "y 0.25–0.75 of axes 1"},
		"colorbar":   {`{"n":3,"kind":"colorbar","of":1,"ylabel":"size",` + box + `,"y":{"lim":[0,1]}}`, "y (size) 0.25–0.75 of axes 3 (colorbar of axes 1)"},
		"twin": {
			`{"n":1,` + box + `,"x":{"lim":[0,10]},"y":{"lim":[0,1]}},{"n":2,"kind":"twin","of":1,` + box + `,"x":{"lim":[0,10]},"y":{"lim":[4,8]}}`,
			"x 2.5–7.5, y 0.25–0.75 of axes 1; y 5–7 of axes 2 (twin of axes 1)",
		},
		"inset": {
			`{"n":1,` + box + `,"x":{"lim":[0,10]},"y":{"lim":[0,1]}},{"n":2,"kind":"inset","of":1,"box":[20,20,80,80],"x":{"lim":[0,6]},"y":{"lim":[0,6]}}`,
			"x 0.5–5.5, y 0.5–5.5 of axes 2 (inset of axes 1)",
		},
		"elsewhere": {`{"n":1,"box":[100,0,200,100],"x":{"lim":[0,10]},"y":{"lim":[0,1]}}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := figure(t, c.axes).Text(axes.Rect{X0: 25, Y0: 25, X1: 75, Y1: 75}); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestValuesHaveTheDigitsOfAPixel(t *testing.T) {
	f := figure(t, `{"n":1,"box":[0,0,100,100],"x":{"lim":[1000000,1000001]},"y":{"lim":[0,3e-9]}}`)
	if got, want := f.Text(axes.Rect{X0: 33.33333, Y0: 10, X1: 66.66666, Y1: 90}), "x 1000000.33–1000000.67, y 3e-10 to 2.7e-09 of axes 1"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestManyAxesAreCounted(t *testing.T) {
	var list []string
	for range 30 {
		list = append(list, `{"n":1,"box":[0,0,100,100],"x":{"lim":[0,10]},"y":{"lim":[0,1]}}`)
	}
	parts, more := figure(t, strings.Join(list, ",")).In(axes.Rect{X0: 1, Y0: 1, X1: 9, Y1: 9})
	if len(parts) != axes.MostIn || more != 30-axes.MostIn {
		t.Errorf("%d parts and %d more", len(parts), more)
	}
}

func TestBoxesFollowThePictureAfterItWasScaled(t *testing.T) {
	f, ok := axes.Parse(picture(t, `{"v":1,"size":[400,200],"axes":[{"n":1,"box":[0,0,400,200],"x":{"lim":[0,10]},"y":{"lim":[0,1]}}]}`))
	if !ok || f.Axes[0].Box != (axes.Rect{X1: 200, Y1: 100}) {
		t.Errorf("%v %+v", ok, f)
	}
}

// TestFigureOfMatplotlib reads a picture that a kernel displayed.
func TestFigureOfMatplotlib(t *testing.T) {
	data, err := os.ReadFile("testdata/figure.png")
	require.NoError(t, err)
	if _, err := png.Decode(bytes.NewReader(data)); err != nil {
		t.Fatal(err)
	}
	f, ok := axes.Parse(data)
	if !ok || len(f.Axes) != 3 {
		t.Fatalf("%v %+v", ok, f)
	}
	want := []any{"Growth", axes.Log, axes.Category, "twin"}
	if diff := cmp.Diff(want, []any{f.Axes[0].Title, f.Axes[0].Y.Scale, f.Axes[1].X.Scale, f.Axes[2].Kind}); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	got := f.Text(f.Axes[1].Box)
	for _, part := range []string{`x "p", "q"`, "of axes 2", "y (error) -1.1 to 1.1 of axes 3 (twin of axes 2)"} {
		if !strings.Contains(got, part) {
			t.Errorf("%q lacks %q", got, part)
		}
	}
}

func TestPicturesWithoutADescription(t *testing.T) {
	whole := picture(t, `{"v":1,"size":[200,100],"axes":[{"n":1,"box":[0,0,1,1]}]}`)
	damaged := bytes.Clone(whole)
	damaged[len(damaged)-16] ^= 1 // the checksum
	for name, data := range map[string][]byte{
		"nothing": nil, "a text": []byte("text"), "cut off": whole[:len(whole)-30], "damaged": damaged,
		"no object": picture(t, `[]`), "no axes": picture(t, `{"v":1,"size":[200,100]}`), "another version": picture(t, `{"v":2,"size":[200,100],"axes":[{"n":1,"box":[0,0,1,1]}]}`),
		"too long":   picture(t, `{"v":1,"size":[200,100],"axes":[{"n":1,"box":[0,0,1,1],"title":"`+strings.Repeat("x", 1<<20)+`"}]}`),
		"no area":    picture(t, `{"v":1,"size":[200,100],"axes":[{"n":1,"box":[9,9,1,1]}]}`),
		"huge boxes": picture(t, `{"v":1,"size":[200,100],"axes":[{"n":1,"box":[-1e300,0,1e300,1]}]}`),
	} {
		if f, ok := axes.Parse(data); ok {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(`{"v":1,"size":[200,100],"axes":[{"n":1,"box":[0,0,100,100],"x":{"lim":[-1,1],"scale":"symlog","args":[10,2,1]},"y":{"lim":[0,1],"scale":"date","names":[[0,"a"],[]]}}]}`, 0.0, 0.0, 50.0, 50.0)
	f.Add(`{"v":1,"size":[1,1],"axes":[{"n":1,"box":[0,0,1,1],"x":{"lim":[1e308,-1e308],"scale":"asinh"},"y":{"lim":[0.1,2],"scale":"logit"}}]}`, -1.0, 5.0, 1e300, 2.0)
	f.Fuzz(func(t *testing.T, text string, x0, y0, x1, y1 float64) {
		if len(text) > 10_000 {
			t.Skip()
		}
		fig, _ := axes.Read([]byte(text), 200, 100)
		parts, _ := fig.In(axes.Rect{X0: x0, Y0: y0, X1: x1, Y1: y1})
		for _, p := range parts {
			for _, r := range []*axes.Range{p.X, p.Y} {
				if r != nil && !(r.From <= r.To) {
					t.Errorf("%v–%v", r.From, r.To)
				}
			}
		}
		_ = fig.Text(axes.Rect{X0: x0, Y0: y0, X1: x1, Y1: y1})
	})
}

func FuzzParseBytes(f *testing.F) {
	data, err := os.ReadFile("testdata/figure.png")
	require.NoError(f, err)
	f.Add(data)
	f.Fuzz(func(_ *testing.T, data []byte) { axes.Parse(data) })
}

package vector

import (
	"strconv"
	"strings"
	"sync"

	"github.com/srwiley/rasterx"
	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"

	"easel/assets"
)

// fonts returns the parsed fonts by name: the Go fonts, which have Latin, Greek and
// Cyrillic, and the Japanese fonts of the window.
var fonts = sync.OnceValue(func() map[string]*sfnt.Font {
	all := make(map[string]*sfnt.Font)
	for name, data := range map[string][]byte{
		"regular": goregular.TTF, "bold": gobold.TTF, "mono": gomono.TTF, "jp": assets.FontJP, "jp-bold": assets.FontJPBold,
	} {
		if f, err := sfnt.Parse(data); err == nil {
			all[name] = f
		}
	}
	return all
})

// glyph returns the outline of a character at the style's size, and its advance width in
// CSS pixels.
func glyph(c rune, s style) (outline sfnt.Segments, advance float64) {
	names := []string{"regular", "jp"}
	switch {
	case s.mono:
		names = []string{"mono", "jp"}
	case s.bold:
		names = []string{"bold", "jp-bold"}
	}
	var b sfnt.Buffer
	em := fixed.Int26_6(min(s.size, 2000) * 64)
	for i, name := range names {
		f := fonts()[name]
		if f == nil {
			continue
		}
		g, err := f.GlyphIndex(&b, c)
		if err != nil || g == 0 && i+1 < len(names) {
			continue // the last font draws a box for a missing character
		}
		segments, err := f.LoadGlyph(&b, g, em, nil)
		if err != nil {
			continue
		}
		a, err := f.GlyphAdvance(&b, g, em, font.HintingNone)
		if err != nil {
			continue
		}
		return append(sfnt.Segments(nil), segments...), float64(a) / 64
	}
	return nil, s.size / 2
}

// measure returns the advance width of a text in CSS pixels.
func measure(text string, s style) (w float64) {
	for _, c := range text {
		_, advance := glyph(c, s)
		w += advance
	}
	return w
}

// transform returns the matrix of a transform attribute. It ignores functions that it does
// not know, and everything after an invalid number.
func transform(s string) rasterx.Matrix2D {
	m := rasterx.Identity
	for part := range strings.SplitSeq(s, ")") {
		name, list, ok := strings.Cut(part, "(")
		if !ok {
			continue
		}
		var v []float64
		for f := range strings.FieldsFuncSeq(list, func(r rune) bool { return strings.ContainsRune(", \t\r\n", r) }) {
			n, err := strconv.ParseFloat(f, 64)
			if err != nil {
				return m
			}
			v = append(v, n)
		}
		at := func(i int, missing float64) float64 {
			if i < len(v) {
				return v[i]
			}
			return missing
		}
		switch strings.Trim(name, ", \t\r\n") {
		case "translate":
			m = m.Translate(at(0, 0), at(1, 0))
		case "scale":
			m = m.Scale(at(0, 1), at(1, at(0, 1)))
		case "rotate":
			const degree = 3.141592653589793 / 180
			m = m.Translate(at(1, 0), at(2, 0)).Rotate(at(0, 0)*degree).Translate(-at(1, 0), -at(2, 0))
		case "matrix":
			if len(v) == 6 {
				m = m.Mult(rasterx.Matrix2D{A: v[0], B: v[1], C: v[2], D: v[3], E: v[4], F: v[5]})
			}
		}
	}
	return m
}

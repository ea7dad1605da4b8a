package vector

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image"
	"image/color"
	"image/draw"
	"io"
	"strconv"
	"strings"
	"unicode"

	"github.com/fyne-io/oksvg"
	"github.com/srwiley/rasterx"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"
)

// Limits for hostile SVGs: the depth of nested elements, and the number of glyphs.
const (
	maxDepth  = 200
	maxGlyphs = 100_000
)

// A style holds the properties that text inherits from its elements.
type style struct {
	to      rasterx.Matrix2D
	fill    color.Color // nil: none
	opacity float64
	size    float64
	anchor  string
	base    string // dominant-baseline
	bold    bool
	mono    bool
	hidden  bool
	text    bool // within a text element
}

// A writer draws text on a picture.
type writer struct {
	m      *image.RGBA
	stack  []style
	x, y   float64
	chunk  []run // text since the last position; an anchor applies to all of it
	glyphs int
}

// A run is text of one style in a chunk.
type run struct {
	style
	text string
}

// writeText draws the text elements of an SVG.
func writeText(m *image.RGBA, data []byte, to rasterx.Matrix2D) error {
	w := &writer{m: m, stack: []style{{to: to, fill: color.Black, opacity: 1, size: 16}}}
	d := xml.NewDecoder(bytes.NewReader(data))
	d.Strict = false
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	for {
		t, err := d.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return nil //nolint:nilerr // the shapes are drawn; so is the text so far
		}
		switch t := t.(type) {
		case xml.StartElement:
			if len(w.stack) > maxDepth {
				return ErrUnreadable
			}
			w.begin(t)
		case xml.EndElement:
			if t.Name.Local == "text" {
				w.flush()
			}
			if len(w.stack) > 1 {
				w.stack = w.stack[:len(w.stack)-1]
			}
		case xml.CharData:
			if s := w.stack[len(w.stack)-1]; s.text && !s.hidden {
				w.chunk = append(w.chunk, run{s, collapse(string(t))})
			}
		}
	}
}

// begin pushes the style of an element. For text, it also moves the pen.
func (w *writer) begin(t xml.StartElement) {
	s := w.stack[len(w.stack)-1]
	name := t.Name.Local
	at := make(map[string]string)
	for _, a := range t.Attr {
		at[a.Name.Local] = strings.TrimSpace(a.Value)
	}
	for part := range strings.SplitSeq(at["style"], ";") {
		if k, v, ok := strings.Cut(part, ":"); ok {
			at[strings.TrimSpace(k)] = strings.TrimSpace(v)
		}
	}
	switch name {
	case "defs", "symbol", "clipPath", "mask", "marker", "pattern", "title", "desc", "style", "script", "metadata":
		s.hidden = true
	case "text":
		w.flush()
		w.x, w.y = 0, 0
		s.text = true
	}
	s.inherit(at)
	if s.text && (name == "text" || name == "tspan") {
		w.place(at, s)
	}
	w.stack = append(w.stack, s)
}

func (s *style) inherit(at map[string]string) {
	if v, ok := at["transform"]; ok {
		s.to = s.to.Mult(transform(v))
	}
	if v, ok := at["fill"]; ok && v != "inherit" {
		if c, err := oksvg.ParseSVGColor(v); err == nil {
			s.fill = c
		}
		if v == "none" {
			s.fill = nil
		}
	}
	for _, k := range []string{"opacity", "fill-opacity"} {
		if f, err := strconv.ParseFloat(at[k], 64); err == nil {
			s.opacity *= min(max(f, 0), 1)
		}
	}
	if f, ok := length(at["font-size"], s.size); ok {
		s.size = f
	}
	set := func(v *string, k string) {
		if at[k] != "" {
			*v = at[k]
		}
	}
	set(&s.anchor, "text-anchor")
	set(&s.base, "dominant-baseline")
	if v := at["font-weight"]; v != "" {
		n, _ := strconv.Atoi(v)
		s.bold = v == "bold" || v == "bolder" || n >= 600
	}
	if v := strings.ToLower(at["font-family"]); v != "" {
		s.mono = strings.Contains(v, "mono") || strings.Contains(v, "courier") || strings.Contains(v, "consol")
	}
	if v := at["font"]; v != "" { // matplotlib writes size and family together
		for word := range strings.FieldsSeq(v) {
			if f, ok := length(word, s.size); ok && strings.HasSuffix(word, "px") {
				s.size = f
			}
			s.bold = s.bold || word == "bold"
		}
	}
	if at["display"] == "none" || at["visibility"] == "hidden" {
		s.hidden = true
	}
}

// place moves the pen to the position in an element's attributes.
func (w *writer) place(at map[string]string, s style) {
	x, okX := length(first(at["x"]), s.size)
	y, okY := length(first(at["y"]), s.size)
	if okX || okY {
		w.flush()
	}
	if okX {
		w.x = x
	}
	if okY {
		w.y = y
	}
	dx, moved := length(first(at["dx"]), s.size)
	dy, lowered := length(first(at["dy"]), s.size)
	if moved || lowered {
		w.flush()
		w.x, w.y = w.x+dx, w.y+dy
	}
}

func first(list string) string {
	for f := range strings.FieldsFuncSeq(list, func(r rune) bool { return r == ',' || unicode.IsSpace(r) }) {
		return f
	}
	return ""
}

// units maps units of length to CSS pixels. It does not have em, which depends on the font.
var units = map[string]float64{"": 1, "px": 1, "pt": 96.0 / 72, "pc": 16, "in": 96, "cm": 96 / 2.54, "mm": 96 / 25.4}

// length returns a length in CSS pixels, where em is the font size. It returns false if s
// is not a length in a known unit.
func length(s string, em float64) (float64, bool) {
	number := strings.TrimRight(s, "abcdefghijklmnopqrstuvwxyz%")
	f, err := strconv.ParseFloat(number, 64)
	if err != nil || f != f || f > 1e6 || f < -1e6 {
		return 0, false
	}
	switch unit := s[len(number):]; unit {
	case "em", "rem":
		return f * em, true
	case "%":
		return f / 100 * em, true
	default:
		u, ok := units[unit]
		return f * u, ok
	}
}

// collapse replaces each run of white space by one space. It drops line breaks and
// indentation at the ends.
func collapse(s string) string {
	lead, tail := "", ""
	if s != strings.TrimLeft(s, " \t\r\n") && !strings.HasPrefix(s, "\n") {
		lead = " "
	}
	if s != strings.TrimRight(s, " \t\r\n") && !strings.HasSuffix(strings.TrimRight(s, " \t"), "\n") {
		tail = " "
	}
	if mid := strings.Join(strings.Fields(s), " "); mid != "" {
		return lead + mid + tail
	}
	return ""
}

// flush draws the chunk, aligned to the pen's position by its anchor, and clears it.
func (w *writer) flush() {
	width := 0.0
	for _, r := range w.chunk {
		width += measure(r.text, r.style)
	}
	if len(w.chunk) > 0 {
		switch w.chunk[0].anchor {
		case "middle":
			w.x -= width / 2
		case "end":
			w.x -= width
		}
	}
	for _, r := range w.chunk {
		w.write(r)
	}
	w.chunk = nil
}

// write draws a run and advances the pen.
func (w *writer) write(r run) {
	y := w.y
	switch r.base {
	case "middle", "central":
		y += 0.34 * r.size
	case "hanging", "text-before-edge", "text-top":
		y += 0.75 * r.size
	}
	var raster *vector.Rasterizer
	if r.fill != nil && r.opacity > 0 {
		raster = vector.NewRasterizer(w.m.Rect.Dx(), w.m.Rect.Dy())
	}
	for _, c := range r.text {
		if w.glyphs++; w.glyphs > maxGlyphs {
			return
		}
		outline, advance := glyph(c, r.style)
		if raster != nil {
			trace(raster, outline, r.to, w.x, y)
		}
		w.x += advance
	}
	if raster != nil {
		red, green, blue, alpha := r.fill.RGBA()
		ink := color.NRGBA64{uint16(red), uint16(green), uint16(blue), uint16(float64(alpha) * r.opacity)}
		raster.DrawOp = draw.Over
		raster.Draw(w.m, w.m.Rect, image.NewUniform(ink), image.Point{})
	}
}

// trace adds a glyph's outline at (x, y), transformed by to.
func trace(raster *vector.Rasterizer, outline sfnt.Segments, to rasterx.Matrix2D, x, y float64) {
	at := func(p fixed.Point26_6) (float32, float32) {
		px, py := to.Transform(x+float64(p.X)/64, y+float64(p.Y)/64)
		return float32(px), float32(py)
	}
	for _, s := range outline {
		ax, ay := at(s.Args[0])
		switch s.Op {
		case sfnt.SegmentOpMoveTo:
			raster.ClosePath()
			raster.MoveTo(ax, ay)
		case sfnt.SegmentOpLineTo:
			raster.LineTo(ax, ay)
		case sfnt.SegmentOpQuadTo:
			bx, by := at(s.Args[1])
			raster.QuadTo(ax, ay, bx, by)
		case sfnt.SegmentOpCubeTo:
			bx, by := at(s.Args[1])
			cx, cy := at(s.Args[2])
			raster.CubeTo(ax, ay, bx, by, cx, cy)
		}
	}
	raster.ClosePath()
}

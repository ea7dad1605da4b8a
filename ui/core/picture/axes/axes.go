// Package axes reads where the axes of a matplotlib figure are in its picture, and converts a
// rectangle of the picture to ranges of data.
//
// A kernel of Easel adds a description of the axes to each PNG that it displays, as compressed JSON
// in a text chunk (jupyter/kernelside/python/easel_axes.py). Easel adds one to what it
// draws of Plotly, Bokeh and Vega. The chunk may be hostile: reading it is bounded in bytes, axes
// and names, and what makes no sense is as good as absent.
//
// # Goroutines
//
// The package has no state. Its functions are safe for concurrent use.
package axes

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"encoding/json"
	"hash/crc32"
	"io"
	"math"
	"strings"
	"unicode"

	"easel/internal/truncate"
)

// Limits of a description.
const (
	mostChunk    = 16 << 10  // bytes of the chunk
	mostText     = 256 << 10 // bytes of the inflated JSON
	mostAxes     = 256
	mostNames    = 64
	mostRunes    = 120
	mostChunks   = 100_000 // of the picture
	pngSignature = "\x89PNG\r\n\x1a\n"
)

// Keyword is the keyword of the text chunk that contains the description.
const Keyword = "easel:axes"

// A Rect is a rectangle in pixels of a picture, from its top left corner.
type Rect struct{ X0, Y0, X1, Y1 float64 }

// Intersect returns the part of r that is in o. It is empty if they do not overlap.
func (r Rect) Intersect(o Rect) Rect {
	return Rect{max(r.X0, o.X0), max(r.Y0, o.Y0), min(r.X1, o.X1), min(r.Y1, o.Y1)}
}

// Empty reports whether r has no area.
func (r Rect) Empty() bool { return !(r.X0 < r.X1 && r.Y0 < r.Y1) }

// In reports whether r lies within o.
func (r Rect) In(o Rect) bool { return r.Intersect(o) == r }

func (r Rect) scale(x, y float64) Rect { return Rect{r.X0 * x, r.Y0 * y, r.X1 * x, r.Y1 * y} }

func (r Rect) finite() bool {
	for _, v := range []float64{r.X0, r.Y0, r.X1, r.Y1} {
		if math.IsNaN(v) || math.Abs(v) > 1e9 {
			return false
		}
	}
	return true
}

// A Figure is what a picture says about its axes.
type Figure struct {
	Width, Height int // of the picture, in pixels
	Axes          []Axes
	More          int // axes that are not described
}

// Axes are the axes of a plot within a figure.
type Axes struct {
	Number     int    // as in fig.axes, from 1; insets follow
	Kind       string // colorbar, inset, twin, secondary, or empty
	Of         int    // number of the axes that these belong to, or 0
	Title      string
	XLabel     string
	YLabel     string
	Box        Rect   // in pixels of the picture
	Projection string // for example polar: there are no coordinates; empty if there are
	X, Y       *Axis  // nil if there is none
}

// An Axis is one axis with its limits.
type Axis struct {
	From, To float64 // the values at the left or bottom, and at the right or top; for dates, seconds since 1970
	Scale    Scale
	Names    []Name // of positions
	args     []float64
	offset   float64 // of a date's time zone, in seconds
}

// A Name is the name of a position on an axis, such as that of a category.
type Name struct {
	At   float64
	Text string
}

// A Scale says how values are spread over an axis.
type Scale string

// The scales that have coordinates. Any other has none.
const (
	Linear   Scale = ""
	Log      Scale = "log"
	Symlog   Scale = "symlog"
	Asinh    Scale = "asinh"
	Logit    Scale = "logit"
	Date     Scale = "date"
	Category Scale = "category"
)

// Parse reads the description in a PNG. ok is false if there is none that makes sense.
func Parse(png []byte) (f Figure, ok bool) {
	chunk, w, h := find(png)
	if chunk == nil || w <= 0 || h <= 0 {
		return Figure{}, false
	}
	text, ok := inflate(chunk)
	if !ok {
		return Figure{}, false
	}
	return read(text, w, h)
}

// read reads the JSON of a picture of w by h pixels.
func read(text []byte, w, h int) (f Figure, ok bool) {
	var d description
	if json.Unmarshal(text, &d) != nil || d.Version != 1 || d.Size[0] <= 0 || d.Size[1] <= 0 {
		return Figure{}, false
	}
	f = Figure{Width: w, Height: h, More: max(0, d.More)}
	for _, a := range d.Axes[:min(len(d.Axes), mostAxes)] {
		if a, ok := a.read(float64(w)/float64(d.Size[0]), float64(h)/float64(d.Size[1])); ok {
			f.Axes = append(f.Axes, a)
		}
	}
	return f, len(f.Axes) > 0
}

// find returns the content of the chunk, and the size of the picture.
func find(png []byte) (chunk []byte, w, h int) {
	rest, ok := bytes.CutPrefix(png, []byte(pngSignature))
	if !ok {
		return nil, 0, 0
	}
	for range mostChunks {
		if len(rest) < 12 {
			break
		}
		n := int64(binary.BigEndian.Uint32(rest))
		if n > int64(len(rest)-12) {
			break
		}
		kind, body := string(rest[4:8]), rest[8:8+n]
		switch {
		case kind == "IHDR" && n >= 8:
			w, h = int(binary.BigEndian.Uint32(body)), int(binary.BigEndian.Uint32(body[4:]))
		case kind == "iTXt" && n <= mostChunk && bytes.HasPrefix(body, []byte(Keyword+"\x00")):
			if crc32.ChecksumIEEE(rest[4:8+n]) != binary.BigEndian.Uint32(rest[8+n:]) {
				return nil, 0, 0
			}
			return body[len(Keyword)+1:], w, h
		}
		rest = rest[12+n:]
	}
	return nil, 0, 0
}

// inflate returns the text of the chunk: after the keyword come two bytes that say that it is
// compressed, a language and a translated keyword, which are empty.
func inflate(chunk []byte) ([]byte, bool) {
	data, ok := bytes.CutPrefix(chunk, []byte("\x01\x00\x00\x00"))
	if !ok {
		return nil, false
	}
	r, err := zlib.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, false
	}
	text, err := io.ReadAll(io.LimitReader(r, mostText+1))
	return text, err == nil && len(text) <= mostText
}

// A description is the JSON in the chunk.
type description struct {
	Version int        `json:"v"`
	Size    [2]int     `json:"size"`
	Axes    []axesJSON `json:"axes"`
	More    int        `json:"more"`
}

type axesJSON struct {
	N          int        `json:"n"`
	Kind       string     `json:"kind"`
	Of         int        `json:"of"`
	Title      string     `json:"title"`
	XLabel     string     `json:"xlabel"`
	YLabel     string     `json:"ylabel"`
	Box        [4]float64 `json:"box"`
	Projection string     `json:"projection"`
	X          *axisJSON  `json:"x"`
	Y          *axisJSON  `json:"y"`
}

type axisJSON struct {
	Lim    [2]float64          `json:"lim"`
	Scale  string              `json:"scale"`
	Args   []float64           `json:"args"`
	Offset float64             `json:"offset"`
	Names  [][]json.RawMessage `json:"names"`
}

// read checks a description of axes, whose boxes it scales to the pixels of the picture.
func (a axesJSON) read(x, y float64) (Axes, bool) {
	box := Rect{a.Box[0], a.Box[1], a.Box[2], a.Box[3]}.scale(x, y)
	if box.Empty() || !box.finite() || a.N < 1 {
		return Axes{}, false
	}
	return Axes{
		Number: a.N, Kind: clean(a.Kind), Of: max(0, a.Of), Title: clean(a.Title), XLabel: clean(a.XLabel), YLabel: clean(a.YLabel),
		Box: box, Projection: clean(a.Projection), X: a.X.read(), Y: a.Y.read(),
	}, true
}

func (a *axisJSON) read() *Axis {
	if a == nil {
		return nil
	}
	axis := &Axis{From: a.Lim[0], To: a.Lim[1], Scale: Scale(clean(a.Scale)), args: a.Args, offset: a.Offset}
	if math.Abs(axis.offset) > 86400 || math.IsNaN(axis.offset) {
		axis.offset = 0
	}
	for _, pair := range a.Names[:min(len(a.Names), mostNames)] {
		var n Name
		if len(pair) == 2 && json.Unmarshal(pair[0], &n.At) == nil && json.Unmarshal(pair[1], &n.Text) == nil {
			n.Text = clean(n.Text)
			axis.Names = append(axis.Names, n)
		}
	}
	return axis
}

// clean returns text on one line, without control characters and not too long.
func clean(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == unicode.ReplacementChar {
			return ' '
		}
		return r
	}, s)
	return truncate.Runes(strings.Join(strings.Fields(s), " "), mostRunes)
}

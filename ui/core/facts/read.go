package facts

import (
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"io"
	"math"
	"regexp"
	"strings"
	"unicode"

	"easel/internal/truncate"
)

// MIMEType is the type of what [Read] reads.
const MIMEType = "application/vnd.easel.facts+json"

// version is the version of the format that this Easel reads and writes.
const version = 1

// Bounds of what is read. A kernel sends less; one that sends more is not one of ours.
const (
	MostBytes    = 8 << 20  // of JSON
	mostNumbers  = 1 << 20  // of all columns: twice the 4 MB that a kernel sends
	MostAll      = 64 << 20 // as MostBytes, of all values, which Easel asks a kernel for
	mostAll      = 8 << 20  // as mostNumbers
	mostAxes     = 256
	mostSeries   = 1024 // of one axes
	mostColumns  = 8
	mostNames    = 4096
	mostText     = 300 // characters of a title, a label or a name
	mostOverlaps = 1024
	mostUnseen   = 100 // of one axes
)

// The JSON of a figure, as in docs/adr/0041-a-display-carries-its-numbers.md.
type (
	figureJSON struct {
		V       int           `json:"v"`
		Axes    []axesJSON    `json:"axes"`
		More    int           `json:"more,omitempty"`
		Drawing []overlapJSON `json:"drawing,omitempty"`
	}
	axesJSON struct {
		N          int          `json:"n"`
		Title      string       `json:"title,omitempty"`
		Projection string       `json:"projection,omitempty"`
		Legend     bool         `json:"legend,omitempty"`
		Twin       int          `json:"twin,omitempty"`
		Side       string       `json:"side,omitempty"`
		X          axisJSON     `json:"x"`
		Y          axisJSON     `json:"y"`
		Series     []seriesJSON `json:"series"`
		More       int          `json:"more,omitempty"`
		Unseen     []unseenJSON `json:"unseen,omitempty"`
	}
	unseenJSON struct {
		Kind  string `json:"kind"`
		Label string `json:"label,omitempty"`
		Why   string `json:"why"`
		Count int    `json:"count,omitempty"`
	}
	axisJSON struct {
		Label string     `json:"label,omitempty"`
		Lim   []*float64 `json:"lim,omitempty"`
		Scale string     `json:"scale,omitempty"`
		Names []string   `json:"names,omitempty"`
		At    []float64  `json:"at,omitempty"`
	}
	seriesJSON struct {
		Kind    string       `json:"kind"`
		Label   string       `json:"label,omitempty"`
		Colour  string       `json:"colour,omitempty"`
		Alpha   float64      `json:"alpha,omitempty"`
		Style   string       `json:"style,omitempty"`
		Count   int          `json:"count"`
		Columns []columnJSON `json:"columns"`
		Whole   *wholeJSON   `json:"whole,omitempty"`
		Spills  bool         `json:"spills,omitempty"`
		Names   []string     `json:"names,omitempty"`
		Values  string       `json:"values,omitempty"`
		Shape   []int        `json:"shape,omitempty"`
		Extent  []*float64   `json:"extent,omitempty"`
	}
	columnJSON struct {
		Name    string `json:"name"`
		Numbers string `json:"numbers"`
	}
	wholeJSON struct {
		NaN     int        `json:"nan"`
		Outside int        `json:"outside"`
		Min     []*float64 `json:"min,omitempty"`
		Max     []*float64 `json:"max,omitempty"`
		Last    []*float64 `json:"last,omitempty"`
		Shape   []int      `json:"shape,omitempty"`
	}
	overlapJSON struct {
		Kind  string    `json:"kind"`
		Axes  int       `json:"axes,omitempty"`
		A     string    `json:"a,omitempty"`
		B     string    `json:"b,omitempty"`
		Box   []float64 `json:"box,omitempty"`
		Share float64   `json:"share,omitempty"`
		More  int       `json:"more,omitempty"`
	}
)

// Read reads what a kernel sends with a figure. Its size is bounded. What makes no sense is left
// out: a series whose kind is unknown or whose columns do not match, or the whole figure, for which ok is
// false.
func Read(raw []byte) (f Figure, ok bool) { return read(raw, MostBytes, mostNumbers) }

// ReadAll reads all values of a figure, for which Easel has asked its kernel.
func ReadAll(raw []byte) (f Figure, ok bool) { return read(raw, MostAll, mostAll) }

func read(raw []byte, most, numbers int) (f Figure, ok bool) {
	var j figureJSON
	if len(raw) == 0 || len(raw) > most || json.Unmarshal(raw, &j) != nil || j.V != version {
		return Figure{}, false
	}
	r := reader{left: numbers}
	f.More = max(0, j.More)
	for _, a := range j.Axes[:min(len(j.Axes), mostAxes)] {
		f.Axes = append(f.Axes, r.axes(a))
	}
	f.More += len(j.Axes) - len(f.Axes)
	for _, o := range j.Drawing[:min(len(j.Drawing), mostOverlaps)] {
		if overlap, ok := overlapOf(o); ok {
			f.Drawing = append(f.Drawing, overlap)
		}
	}
	return f, len(f.Axes) > 0
}

// ReadDrawing reads what is wrong with the places of texts and legends, as a kernel measured it.
func ReadDrawing(raw []byte) (list []Overlap) {
	var all []overlapJSON
	if len(raw) > MostBytes || json.Unmarshal(raw, &all) != nil {
		return nil
	}
	for _, o := range all[:min(len(all), mostOverlaps)] {
		if overlap, ok := overlapOf(o); ok {
			list = append(list, overlap)
		}
	}
	return list
}

// A reader counts the numbers that a figure may still have.
type reader struct{ left int }

func (r *reader) axes(j axesJSON) Axes {
	a := Axes{
		Number: max(0, j.N), Title: text(j.Title), X: axisOf(j.X), Y: axisOf(j.Y), Projection: text(j.Projection), Legend: j.Legend,
		Twin: max(0, j.Twin), More: max(0, j.More),
	}
	for _, s := range j.Series[:min(len(j.Series), mostSeries)] {
		if series, ok := r.series(s); ok {
			a.Series = append(a.Series, series)
		}
	}
	if side := Side(j.Side); a.Twin > 0 && (side == Right || side == Top) {
		a.Side = side
	}
	for _, u := range j.Unseen[:min(len(j.Unseen), mostUnseen)] {
		switch why := Why(u.Why); why {
		case Transparent, Lineless, OnGround:
			a.Unseen = append(a.Unseen, Unseen{text(u.Kind), text(u.Label), why, max(0, u.Count)})
		}
	}
	a.More += len(j.Series) - len(a.Series)
	return a
}

func axisOf(j axisJSON) Axis {
	a := Axis{Label: text(j.Label), From: math.NaN(), To: math.NaN(), Scale: scale(j.Scale)}
	if len(j.Lim) == 2 {
		a.From, a.To = number(j.Lim[0]), number(j.Lim[1])
	}
	a.Names = names(j.Names)
	if len(j.At) == len(j.Names) {
		a.At = j.At[:len(a.Names)]
	} else if len(j.At) > 0 {
		a.Names = nil // nobody knows where they are
	}
	return a
}

func names(all []string) (list []string) {
	for _, n := range all[:min(len(all), mostNames)] {
		list = append(list, text(n))
	}
	return list
}

func scale(s string) Scale {
	switch s := Scale(s); s {
	case Linear, Log, Symlog, Logit, Date, Category:
		return s
	case "linear":
		return Linear
	case Other:
	}
	return Other
}

// columnsOf are the columns without which a series of a kind says nothing.
var columnsOf = map[Kind][]string{
	Line: {"x", "y"}, Points: {"x", "y"}, Bars: {"x", "y"}, BarsH: {"x", "y"}, Histogram: {"width"},
	Box: {"median"}, Area: {"low", "high"}, ErrorBars: {"low", "high"}, Image: {}, Pie: {"value"}, Rules: {}, Mesh: {},
}

func (r *reader) series(j seriesJSON) (s Series, ok bool) {
	s = Series{
		Kind: Kind(j.Kind), Label: text(j.Label), Colour: colour(j.Colour), Style: truncate.Runes(text(j.Style), 30),
		Count: j.Count, Spills: j.Spills,
	}
	if j.Alpha > 0 && j.Alpha < 1 {
		s.Alpha = j.Alpha
	}
	needs, known := columnsOf[s.Kind]
	if !known || len(j.Columns) == 0 && s.Kind != Image && s.Kind != Mesh || len(j.Columns) > mostColumns {
		return Series{}, false
	}
	for _, c := range j.Columns {
		numbers, ok := r.numbers(c.Numbers)
		if _, twice := s.Column(c.Name); !ok || twice || c.Name == "" || len(c.Name) > 20 {
			return Series{}, false
		}
		s.Columns = append(s.Columns, Column{Name: text(c.Name), Numbers: numbers})
		if len(numbers) != len(s.Columns[0].Numbers) {
			return Series{}, false
		}
	}
	for _, name := range needs {
		if _, ok := s.Column(name); !ok {
			return Series{}, false
		}
	}
	s.Count = max(0, s.Count)
	if len(s.Columns) > 0 {
		s.Count = max(s.Count, len(s.Columns[0].Numbers))
	}
	s.Whole = wholeOf(j.Whole, s.Count)
	s.Names, s.Values, s.Shape = names(j.Names), text(j.Values), shape(j.Shape)
	if len(j.Extent) == len(s.Extent) {
		for i, v := range j.Extent {
			s.Extent[i] = number(v)
		}
	}
	return s, true
}

func wholeOf(j *wholeJSON, count int) *Whole {
	if j == nil {
		return nil
	}
	in := func(n int) int { return min(max(0, n), count) }
	return &Whole{NaN: in(j.NaN), Outside: in(j.Outside), Min: point(j.Min), Max: point(j.Max), Last: point(j.Last), Shape: shape(j.Shape)}
}

// shape returns rows and columns, or 0 if they make no sense.
func shape(j []int) [2]int {
	const most = 1 << 24
	if len(j) != 2 || j[0] < 1 || j[1] < 1 || j[0] > most || j[1] > most {
		return [2]int{}
	}
	return [2]int{j[0], j[1]}
}

func point(j []*float64) Point {
	if len(j) != 2 {
		return Point{math.NaN(), math.NaN()}
	}
	return Point{number(j[0]), number(j[1])}
}

func number(v *float64) float64 {
	if v == nil {
		return math.NaN()
	}
	return *v
}

// numbers reads the numbers of a column. It never reads more than the figure may still have.
func (r *reader) numbers(packed string) ([]float64, bool) {
	z, err := zlib.NewReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(packed)))
	if err != nil {
		return nil, false
	}
	data, err := io.ReadAll(io.LimitReader(z, int64(r.left)*8+1))
	n := len(data) / 8
	if err != nil || len(data)%8 != 0 || n > r.left {
		return nil, false
	}
	r.left -= n
	numbers := make([]float64, n)
	var one [8]byte
	for i := range numbers {
		for b := range one {
			one[b] = data[b*n+i]
		}
		numbers[i] = math.Float64frombits(binary.LittleEndian.Uint64(one[:]))
	}
	return numbers, true
}

func overlapOf(j overlapJSON) (o Overlap, ok bool) {
	o = Overlap{Kind: OverlapKind(j.Kind), Axes: max(0, j.Axes), A: text(j.A), B: text(j.B), Share: j.Share, More: max(0, j.More)}
	switch o.Kind {
	case TextOverText, TextOverAxes, TextCut, LegendOverData, SmallText:
	default:
		return Overlap{}, false
	}
	if len(j.Box) == len(o.Box) {
		o.Box = [4]float64(j.Box)
	}
	return o, true
}

var colourForm = regexp.MustCompile(`^#[0-9a-f]{6}$`)

func colour(s string) string {
	if !colourForm.MatchString(s) {
		return ""
	}
	return s
}

// text returns a text of a plot as one line without control characters. It is for people and models, so
// what is long is cut.
func text(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), r == unicode.ReplacementChar, unicode.Is(unicode.Bidi_Control, r):
			return -1
		}
		return r
	}, s)
	return truncate.Runes(strings.TrimSpace(s), mostText)
}

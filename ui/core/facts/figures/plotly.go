package figures

import (
	"encoding/json"
	"math"
	"strings"

	"easel/ui/core/facts"
)

// A trace is what the package reads of Plotly's traces.
type trace struct {
	Type, Mode, Name, Orientation string
	X, Y, Z, Values, Labels, Base json.RawMessage
	XAxis, YAxis                  string
	Visible                       any
	ShowLegend                    *bool
	Line, Marker                  struct {
		Color json.RawMessage
		Dash  string
	}
}

// A plotlyFigure is a figure of Plotly.
type plotlyFigure struct {
	Data   []trace
	Layout map[string]json.RawMessage
}

// A plotlyReader reads the traces of a figure.
type plotlyReader struct {
	layout   map[string]json.RawMessage
	colours  []string
	left     int // numbers that may still be read
	axes     []*facts.Axes
	by       map[string]*facts.Axes
	scales   map[*facts.Axis]*scale
	coloured int
}

func plotly(data []byte) (f facts.Figure) {
	var j plotlyFigure
	if json.Unmarshal(data, &j) != nil {
		return f
	}
	r := &plotlyReader{layout: j.Layout, left: mostNumbers, by: make(map[string]*facts.Axes), scales: make(map[*facts.Axis]*scale)}
	var template struct {
		Layout struct{ Colorway []string }
	}
	_ = json.Unmarshal(j.Layout["template"], &template) // without it, series have no colours
	r.colours = template.Layout.Colorway
	for i := range j.Data {
		t := &j.Data[i]
		a := r.on(t)
		if a == nil {
			f.More++
			continue
		}
		if t.Visible == false || t.Visible == "legendonly" {
			continue
		}
		s, ok := r.series(a, t)
		if !ok || len(a.Series) >= mostSeries {
			a.More++
			continue
		}
		a.Series = append(a.Series, s)
	}
	for _, a := range r.axes {
		f.Axes = append(f.Axes, *a)
	}
	return f
}

// on returns the axes of a trace; nil if there are too many.
func (r *plotlyReader) on(t *trace) *facts.Axes {
	key := t.XAxis + " " + t.YAxis
	if t.Type == "pie" {
		key = "pie"
	}
	if a := r.by[key]; a != nil || len(r.axes) == mostAxes {
		return a
	}
	a := &facts.Axes{Number: len(r.axes) + 1}
	if a.Number == 1 {
		a.Title = titleOf(r.layout["title"])
	}
	_ = json.Unmarshal(r.layout["showlegend"], &a.Legend)
	a.X, a.Y = facts.Axis{From: math.NaN(), To: math.NaN()}, facts.Axis{From: math.NaN(), To: math.NaN()}
	r.axis(&a.X, "xaxis"+strings.TrimPrefix(t.XAxis, "x"))
	r.axis(&a.Y, "yaxis"+strings.TrimPrefix(t.YAxis, "y"))
	r.by[key], r.axes = a, append(r.axes, a)
	return a
}

// axis reads what the layout says of an axis.
func (r *plotlyReader) axis(a *facts.Axis, key string) {
	var j struct {
		Title json.RawMessage
		Type  string
		Range json.RawMessage
	}
	_ = json.Unmarshal(r.layout[key], &j)
	a.Label = titleOf(j.Title)
	s := &scale{axis: a, kind: j.Type}
	r.scales[a] = s
	left := 2
	if ends, ok := listOf(j.Range, &left); ok && ends.len() == 2 && j.Type != "category" {
		if v, ok := s.places(ends); ok {
			a.From, a.To = v[0], v[1]
		}
	}
	if j.Type == "log" {
		a.Scale, a.From, a.To = facts.Log, math.Pow(10, a.From), math.Pow(10, a.To)
	}
}

// titleOf returns a title, which is a text or has one.
func titleOf(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return clean(text)
	}
	var title struct{ Text string }
	_ = json.Unmarshal(raw, &title)
	return clean(title.Text)
}

func (r *plotlyReader) series(a *facts.Axes, t *trace) (s facts.Series, ok bool) {
	s.Label, s.Colour = clean(t.Name), r.colour(t)
	switch t.Type {
	case "", "scatter", "scattergl":
		s.Kind, s.Style = facts.Line, "-"
		if strings.Contains(t.Mode, "markers") {
			s.Style = "o-"
			if !strings.Contains(t.Mode, "lines") {
				s.Kind, s.Style = facts.Points, "o"
			}
		}
		s.Style += t.Line.Dash
	case "bar":
		s.Kind = facts.Bars
		if t.Orientation == "h" {
			s.Kind = facts.BarsH
		}
	case "pie":
		return r.pie(s, t)
	case "heatmap":
		return r.heatmap(s, t)
	default:
		return s, false
	}
	return r.points(a, s, t)
}

// points reads a series of places and values. Without places, these are 0, 1, 2, ….
func (r *plotlyReader) points(a *facts.Axes, s facts.Series, t *trace) (facts.Series, bool) {
	x, hasX := listOf(t.X, &r.left)
	y, hasY := listOf(t.Y, &r.left)
	n := max(x.len(), y.len())
	if !hasX && hasY {
		x = upTo(n)
	}
	if hasX && !hasY {
		y = upTo(n)
	}
	if n == 0 || x.len() != y.len() || len(t.Base) > 0 {
		return s, false
	}
	xs, ok := r.scales[&a.X].places(x)
	ys, ok2 := r.scales[&a.Y].places(y)
	s.Count, s.Columns = n, []facts.Column{{Name: "x", Numbers: xs}, {Name: "y", Numbers: ys}}
	return s, ok && ok2
}

func upTo(n int) (l list) {
	for i := range n {
		l.numbers = append(l.numbers, float64(i))
	}
	return l
}

func (r *plotlyReader) pie(s facts.Series, t *trace) (facts.Series, bool) {
	values, ok := listOf(t.Values, &r.left)
	if !ok || values.texts != nil {
		return s, false
	}
	sum := 0.0
	for _, v := range values.numbers {
		sum += v
	}
	for i := range values.numbers {
		values.numbers[i] /= sum
	}
	s.Kind, s.Count, s.Columns = facts.Pie, values.len(), []facts.Column{{Name: "value", Numbers: values.numbers}}
	if labels, ok := listOf(t.Labels, &r.left); ok && len(labels.texts) == s.Count {
		s.Names = labels.texts
	}
	return s, sum > 0
}

func (r *plotlyReader) heatmap(s facts.Series, t *trace) (facts.Series, bool) {
	var rows []json.RawMessage
	if json.Unmarshal(t.Z, &rows) != nil || len(rows) == 0 {
		return s, false // a typed array, of two dimensions
	}
	var all []float64
	across := 0
	for _, raw := range rows {
		row, ok := listOf(raw, &r.left)
		if !ok || row.texts != nil || across > 0 && row.len() != across {
			return s, false
		}
		across = row.len()
		all = append(all, row.numbers...)
	}
	s.Kind, s.Count, s.Shape, s.Columns = facts.Image, len(all), [2]int{len(rows), across}, []facts.Column{{Name: "value", Numbers: all}}
	return s, true
}

// colour returns the colour of a trace: its own, or the next of the template.
func (r *plotlyReader) colour(t *trace) string {
	for _, raw := range []json.RawMessage{t.Line.Color, t.Marker.Color} {
		var text string
		if len(raw) > 0 && json.Unmarshal(raw, &text) != nil {
			return "" // it has several
		}
		if text != "" {
			return colour(text)
		}
	}
	if len(r.colours) == 0 {
		return ""
	}
	r.coloured++
	return colour(r.colours[(r.coloured-1)%len(r.colours)])
}

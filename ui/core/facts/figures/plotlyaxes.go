package figures

import (
	"encoding/json"
	"math"
	"strings"

	"easel/ui/core/facts"
)

// An axisJSON is what the package reads of an axis of Plotly's layout.
type axisJSON struct {
	Title, Range        json.RawMessage
	Type                string
	Matches, Overlaying string
	Side                string
	CategoryOrder       string
	CategoryArray       json.RawMessage
	Domain              []float64
}

// layoutAxis returns an axis of the layout. What it does not say is that of the axis that it matches.
func (r *plotlyReader) layoutAxis(id string) (j axisJSON) {
	_ = json.Unmarshal(r.layout[layoutKey(id)], &j)
	if j.Matches == "" || j.Matches == id {
		return j
	}
	var other axisJSON
	_ = json.Unmarshal(r.layout[layoutKey(j.Matches)], &other)
	if titleOf(j.Title) == "" {
		j.Title = other.Title
	}
	if len(j.Range) == 0 {
		j.Range = other.Range
	}
	if j.Type == "" {
		j.Type = other.Type
	}
	if j.CategoryOrder == "" {
		j.CategoryOrder, j.CategoryArray = other.CategoryOrder, other.CategoryArray
	}
	return j
}

// layoutKey returns the name in the layout of an axis, which traces call x, y2 and so on.
func layoutKey(id string) string {
	if id == "" {
		return ""
	}
	return id[:1] + "axis" + id[1:]
}

// on returns the axes of a trace; nil if there are too many.
func (r *plotlyReader) on(t *trace) *plotlyAxes {
	x, y := t.XAxis, t.YAxis
	if x == "" {
		x = "x"
	}
	if y == "" {
		y = "y"
	}
	projection := ""
	key := x + " " + y
	switch {
	case t.Type == "pie":
		key = "pie " + string(t.Domain)
	case strings.HasPrefix(t.Type, "scatterpolar"):
		key, projection = "polar", "polar"
	}
	if a := r.by[key]; a != nil || len(r.axes) == mostAxes {
		return a
	}
	a := &plotlyAxes{Axes: &facts.Axes{Number: len(r.axes) + 1, Projection: projection}, xID: x, yID: y, stacked: make(map[stackPlace]float64)}
	if key != x+" "+y {
		a.x, a.y = newScale(), newScale()
	} else {
		across, up := r.layoutAxis(x), r.layoutAxis(y)
		a.x, a.y = r.scale(x, across), r.scale(y, up)
		a.X.Label, a.Y.Label = titleOf(across.Title), titleOf(up.Title)
		a.Title = r.partTitle(across, up)
	}
	if a.Title == "" && a.Number == 1 {
		a.Title = titleOf(r.layout["title"])
	}
	r.by[key], r.axes = a, append(r.axes, a)
	return a
}

// twins finds the axes that lie on others, whichever comes first.
func (r *plotlyReader) twins() {
	for _, a := range r.axes {
		across, up := r.layoutAxis(a.xID), r.layoutAxis(a.yID)
		base, side := r.by[a.xID+" "+up.Overlaying], up.Side
		if base == nil || up.Overlaying == "" {
			base, side = r.by[across.Overlaying+" "+a.yID], across.Side
			if across.Overlaying == "" {
				base = nil
			}
		}
		if base == nil || base == a {
			continue
		}
		a.Twin = base.Number
		if s := facts.Side(side); s == facts.Right || s == facts.Top {
			a.Side = s
		}
	}
}

// newScale returns the scale of an axis whose ends are unknown.
func newScale() *scale { return &scale{axis: &facts.Axis{From: math.NaN(), To: math.NaN()}} }

// scale returns the scale of an axis, which it shares with those that it matches.
func (r *plotlyReader) scale(id string, j axisJSON) *scale {
	if j.Matches != "" {
		id = j.Matches
	}
	if r.scales[id] == nil {
		r.scales[id] = newScale()
		r.axis(r.scales[id], j)
	}
	return r.scales[id]
}

// axis reads what the layout says of an axis.
func (r *plotlyReader) axis(s *scale, j axisJSON) {
	a := s.axis
	if s.kind = j.Type; s.kind == "-" {
		s.kind = ""
	}
	left := mostNames
	if names, ok := listOf(j.CategoryArray, &left); ok && (j.CategoryOrder == "array" || j.CategoryOrder == "") {
		s.kind = "category"
		_, _ = s.places(names)
	}
	if s.kind == "log" {
		a.Scale = facts.Log
	}
	var ends []any
	if json.Unmarshal(j.Range, &ends) != nil || len(ends) != 2 || ends[0] == nil || ends[1] == nil {
		return // a missing end is where the data ends
	}
	l := valuesOf(ends)
	switch {
	case l.texts == nil && s.kind == "log":
		a.From, a.To = math.Pow(10, l.numbers[0]), math.Pow(10, l.numbers[1])
	case l.texts == nil && s.kind == "category":
		a.From, a.To = l.numbers[0], l.numbers[1]
	case l.texts == nil || s.kind != "category":
		if v, ok := (&scale{axis: new(facts.Axis), kind: s.kind}).places(l); ok {
			a.From, a.To = v[0], v[1]
		}
	}
}

// partTitle returns the title of sub-plots, which is an annotation above them.
func (r *plotlyReader) partTitle(x, y axisJSON) string {
	var notes []struct {
		Text, XRef, YRef string
		X, Y             any
		ShowArrow        *bool
	}
	_ = json.Unmarshal(r.layout["annotations"], &notes)
	if len(x.Domain) != 2 || len(y.Domain) != 2 {
		return ""
	}
	const near = 0.001
	for _, n := range notes {
		at, _ := n.X.(float64)
		up, _ := n.Y.(float64)
		if n.XRef == "paper" && n.YRef == "paper" && n.ShowArrow != nil && !*n.ShowArrow &&
			math.Abs(at-(x.Domain[0]+x.Domain[1])/2) < near && math.Abs(up-y.Domain[1]) < near {
			return clean(n.Text)
		}
	}
	return ""
}

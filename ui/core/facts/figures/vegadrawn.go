package figures

import (
	"math"
	"slices"
	"strings"

	"easel/ui/core/facts"
)

// A Place is where axes are in a drawn chart.
type Place struct {
	Number int        // as in facts.Axes
	Box    [4]float64 // left, top, right, bottom, in pixels of the chart
	X, Y   *facts.Axis
}

// drawnChart is what the marks of a drawn chart say, as ui/core/render/vlconvert/python/probe.py reads it.
type drawnChart struct {
	Legend bool
	Groups []drawnGroup
}

// A drawnGroup is a group of marks that is drawn once. Values are lists of texts, to which its marks and scales refer.
type drawnGroup struct {
	At     [2]float64
	Title  string
	Marks  []drawnMark
	Scales map[string]drawnScale
	Values [][]string
}

type drawnMark struct {
	Type, Sort string
	Style      []string
	Clip       bool
	Channels   map[string]drawnChannel
}

// A drawnChannel is from what a place or colour comes: a list of values, or one value.
type drawnChannel struct {
	Scale, Field string
	At           *int
	Value        *string
	Sure         bool // no condition changes the value
}

type drawnScale struct {
	Type, Title, Orient string
	Domain, Range       int
	Ends                *int // the places of the first and last category, and the width of one
}

// Drawn reads what a chart of Vega or Vega-Lite shows from what its marks say, and where its axes are.
func Drawn(said []byte) (f facts.Figure, places []Place) {
	var c drawnChart
	if !decoded(said, &c) {
		return f, nil
	}
	r := &drawnReader{left: mostNumbers, titles: make(map[[2]int]string)}
	for _, g := range c.Groups {
		if g.Title = clean(g.Title); g.Title != "" {
			r.titles[g.place()] = g.Title
		}
	}
	for i := range c.Groups {
		r.group(&c.Groups[i])
	}
	for _, a := range r.axes {
		if len(a.Series) == 0 && a.More == 0 {
			continue
		}
		a.Number, a.Legend = len(f.Axes)+1, c.Legend
		if a.base != nil {
			a.Twin = a.base.Number
		}
		f.Axes = append(f.Axes, a.Axes)
		if p, ok := a.place(); ok {
			places = append(places, p)
		}
	}
	f.More = r.more
	return f, places
}

// A drawnReader reads the groups of a chart.
type drawnReader struct {
	left   int // numbers that may still be read
	titles map[[2]int]string
	axes   []*drawnAxes
	more   int
}

// drawnAxes are axes: two scales at one place.
type drawnAxes struct {
	facts.Axes

	at   [2]int
	x, y *position
	base *drawnAxes // the axes on which these lie
}

func (g *drawnGroup) place() [2]int {
	return [2]int{int(math.Round(g.At[0])), int(math.Round(g.At[1]))}
}

// group reads the marks of a group.
func (r *drawnReader) group(g *drawnGroup) {
	scales := make(map[string]*position)
	for name, s := range g.Scales {
		if p := g.position(s); p != nil {
			scales[name] = p
		}
	}
	boxes := boxesOf(g)
	for i := range g.Marks {
		m := &drawnReading{drawnReader: r, g: g, drawnMark: &g.Marks[i], scales: scales}
		x, y := m.scaleOf("x", "xc", "x2"), m.scaleOf("y", "yc", "y2")
		if m.Type == "arc" {
			x, y = "", ""
		} else if x == "" && y == "" {
			continue
		}
		a := r.on(g, x, y, scales)
		if a == nil {
			r.more++
			continue
		}
		var list []facts.Series
		var ok bool
		switch {
		case boxes.part(i):
			continue
		case boxes != nil && boxes.box == i:
			list, ok = m.boxplot(boxes)
		default:
			list, ok = m.series(x, y)
		}
		if !ok || len(a.Series)+len(list) > mostSeries {
			a.More++
			continue
		}
		for i := range list {
			list[i].Spills = !m.Clip
		}
		a.Series = append(a.Series, list...)
	}
}

// on returns the axes with two scales at the place of a group; nil if there are too many. A mark with one scale only is on the first
// axes there that have it.
func (r *drawnReader) on(g *drawnGroup, x, y string, scales map[string]*position) *drawnAxes {
	at := g.place()
	i := slices.IndexFunc(r.axes, func(a *drawnAxes) bool {
		return a.at == at && (x == "" || a.x.is(x)) && (y == "" || a.y.is(y))
	})
	if i >= 0 {
		return r.axes[i]
	}
	if len(r.axes) == mostAxes {
		return nil
	}
	nan := math.NaN()
	a := &drawnAxes{at: at, x: scales[x], y: scales[y], Axes: facts.Axes{Title: r.titles[at]}}
	a.X, a.Y = facts.Axis{From: nan, To: nan}, facts.Axis{From: nan, To: nan}
	if a.x != nil {
		a.x.name = x
		a.X = a.x.axis(false)
	}
	if a.y != nil {
		a.y.name = y
		a.Y = a.y.axis(true)
	}
	if base := slices.IndexFunc(r.axes, func(o *drawnAxes) bool {
		return o.at == at && o.base == nil && o.x != nil && o.y != nil && (o.x.is(x) || o.y.is(y))
	}); base >= 0 && a.x != nil && a.y != nil {
		a.base = r.axes[base]
		switch {
		case a.base.x.is(x) && a.y.orient == "right":
			a.Side = facts.Right
		case a.base.y.is(y) && a.x.orient == "top":
			a.Side = facts.Top
		}
	}
	r.axes = append(r.axes, a)
	return a
}

// place returns where the axes are; ok is false if an axis has no known scale.
func (a *drawnAxes) place() (p Place, ok bool) {
	if a.x == nil || a.y == nil {
		return p, false
	}
	x0, x1 := a.x.span()
	y0, y1 := a.y.span()
	ox, oy := float64(a.at[0]), float64(a.at[1])
	p = Place{Number: a.Number, Box: [4]float64{ox + x0, oy + y0, ox + x1, oy + y1}}
	if a.X.Scale != facts.Other {
		p.X = &a.X
	}
	if a.Y.Scale != facts.Other {
		p.Y = &a.Y
	}
	return p, !slices.ContainsFunc(p.Box[:], math.IsNaN) && x1 > x0 && y1 > y0
}

// scaleOf returns the name of the scale that the first of some channels has; "" if there is none.
func (m *drawnReading) scaleOf(channels ...string) string {
	for _, name := range channels {
		if c, has := m.Channels[name]; has && c.Scale != "" && m.scales[c.Scale] != nil {
			return c.Scale
		}
	}
	return ""
}

// values returns a list of the group, which may be hostile.
func (g *drawnGroup) values(at int) []string {
	if at < 0 || at >= len(g.Values) {
		return nil
	}
	if v := g.Values[at]; len(v) > 1 || len(v) == 1 && v[0] != "" {
		return v
	}
	return nil
}

// boxParts are the marks of a box plot, of which Vega-Lite makes several.
type boxParts struct {
	box, median int
	rules       []int
}

// part reports whether a mark is a part of a box other than the box.
func (b *boxParts) part(i int) bool {
	return b != nil && (i == b.median || slices.Contains(b.rules, i))
}

// boxesOf returns the box plot in a group; nil if there is none, or more than one.
func boxesOf(g *drawnGroup) *boxParts {
	b := &boxParts{box: -1, median: -1}
	boxes := 0
	for i, m := range g.Marks {
		switch style := strings.Join(m.Style, " "); {
		case strings.Contains(style, "boxplot-box"):
			b.box = i
			boxes++
		case strings.Contains(style, "boxplot-median"):
			b.median = i
		case strings.Contains(style, "boxplot-rule"):
			b.rules = append(b.rules, i)
		}
	}
	if boxes != 1 || b.median < 0 {
		return nil
	}
	return b
}

package figures

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"easel/ui/core/facts"
)

// A drawnReading is a mark of a drawn chart that is read.
type drawnReading struct {
	*drawnReader
	*drawnMark

	g      *drawnGroup
	scales map[string]*position
	n      int // how many rows the mark has
}

// has reports whether a channel comes from data or a scale, not from pixels.
func (m *drawnReading) has(name string) bool {
	c, ok := m.Channels[name]
	return ok && c.Scale != "" && m.scales[c.Scale] != nil
}

// column returns the values of a channel; nil if it has none.
func (m *drawnReading) column(name string) []float64 {
	c, ok := m.Channels[name]
	if !ok {
		return nil
	}
	list := m.scales[c.Scale].numbers(m.texts(name))
	if offset := m.Channels[name+"Offset"]; offset.Scale != "" {
		m.move(list, name+"Offset", m.scales[c.Scale], m.scales[offset.Scale])
	}
	return list
}

// texts returns the values of a channel as they are written, one for each row.
func (m *drawnReading) texts(name string) []string {
	c := m.Channels[name]
	var list []string
	switch {
	case c.At != nil:
		list = m.g.values(*c.At)
	case c.Value != nil:
		list = []string{*c.Value}
	}
	if len(list) == 1 && m.n > 1 && c.Field == "" {
		return slices.Repeat(list, m.n)
	}
	return list
}

// move moves values within their categories, as bars beside each other are.
func (m *drawnReading) move(list []float64, name string, outer, inner *position) {
	if inner == nil || outer == nil || !inner.discrete() || !outer.discrete() || len(inner.domain) == 0 {
		return
	}
	within := inner.numbers(m.texts(name))
	if len(within) != len(list) {
		return
	}
	for i, k := range within {
		list[i] += (inner.first + k*inner.step() - outer.band/2) / outer.step()
	}
}

// breadth returns the width of a bar on a scale, in its values.
func (m *drawnReading) breadth(name string) float64 {
	p, inner := m.scales[m.Channels[name].Scale], m.scales[m.Channels[name+"Offset"].Scale]
	if p == nil || !p.discrete() {
		return 0
	}
	if inner != nil && inner.discrete() {
		return math.Abs(inner.band / p.step())
	}
	return math.Abs(p.band / p.step())
}

// rows sets how many rows the mark has. It returns false if that is not known, or more than are read.
func (m *drawnReading) rows() bool {
	for _, c := range m.Channels {
		if c.At != nil && c.Field != "" {
			n := len(m.g.values(*c.At))
			if m.n > 0 && n > 0 && n != m.n {
				return false
			}
			m.n = max(m.n, n)
		}
	}
	m.n = max(m.n, 1)
	m.left -= 4 * m.n
	return m.left >= 0
}

// series returns what the mark draws.
func (m *drawnReading) series(x, y string) ([]facts.Series, bool) {
	if !m.rows() {
		return nil, false
	}
	across, up := cmp.Or(m.first("x", "xc"), "x"), cmp.Or(m.first("y", "yc"), "y")
	switch m.Type {
	case "symbol", "line", "trail":
		if x == "" || y == "" {
			return nil, false
		}
		return m.points(across, up)
	case "area":
		return m.area(across, up)
	case "rect":
		if slices.Contains(m.Style, "tick") && x != "" && y != "" {
			return m.points(across, up)
		}
		return m.rects(across, up)
	case "rule":
		return m.rule(across, up)
	case "arc":
		return m.arcs()
	}
	return nil, false
}

// first returns the first of some channels that comes from a scale.
func (m *drawnReading) first(names ...string) string {
	for _, name := range names {
		if m.has(name) {
			return name
		}
	}
	return ""
}

// A paint is what divides the rows of a mark into series: their colour, or else their form.
type paint struct {
	labels []string // nil: all rows are of one series
	colour map[string]string
	one    string // the colour of all
	style  map[string]string
	value  []float64 // of a scale of colours
	title  string
}

func (m *drawnReading) paint() (p paint) {
	name := "fill"
	if fill := m.Channels["fill"]; fill.Scale == "" && (m.Channels["stroke"].Scale != "" || fill.Value == nil && fill.At == nil ||
		fill.Value != nil && *fill.Value == "transparent") {
		name = "stroke"
	}
	c := m.Channels[name]
	scale := m.scales[c.Scale]
	switch {
	case scale == nil && c.Value != nil && c.Sure:
		p.one = colour(*c.Value)
	case scale == nil:
	case scale.discrete() && c.Field != "":
		p.labels, p.colour = m.texts(name), looks(scale, colour)
	case c.Field != "":
		p.value, p.title = scale.numbers(m.texts(name)), scale.title
	case scale.discrete() && c.Value != nil: // a layer with a name in the legend
		p.labels, p.colour = m.texts(name), looks(scale, colour)
	}
	for _, name := range []string{"shape", "strokeDash"} {
		form := m.Channels[name]
		scale := m.scales[form.Scale]
		if scale == nil || !scale.discrete() || form.Field == "" {
			continue
		}
		if p.labels == nil {
			p.labels = m.texts(name)
		}
		if form.Field == c.Field || c.Field == "" {
			p.style = looks(scale, func(s string) string { return s })
		}
	}
	if len(p.labels) != m.n {
		p.labels = nil
	}
	if len(p.value) != m.n {
		p.value = nil
	}
	return p
}

// looks returns how the values of a scale of colours or forms look.
func looks(p *position, read func(string) string) map[string]string {
	by := make(map[string]string)
	if len(p.colours) == 0 {
		return by
	}
	for i, name := range p.domain {
		by[name] = read(p.colours[i%len(p.colours)])
	}
	return by
}

// divided returns a series for each group of rows. They have the same kind and columns.
func (m *drawnReading) divided(s facts.Series, columns []facts.Column) (list []facts.Series, ok bool) {
	for _, c := range columns {
		if len(c.Numbers) != m.n {
			return nil, false
		}
	}
	p := m.paint()
	s.Colour = p.one
	if o := m.Channels["opacity"]; o.Value != nil && o.Sure {
		if alpha := numberOf(*o.Value); alpha > 0 && alpha < 1 {
			s.Alpha = alpha
		}
	}
	if p.value != nil && (s.Kind == facts.Points || s.Kind == facts.Mesh) {
		columns, s.Values = append(columns, facts.Column{Name: "value", Numbers: p.value}), p.title
	}
	if p.labels == nil {
		s.Columns, s.Count = columns, m.n
		return []facts.Series{s}, true
	}
	by := make(map[string]*facts.Series)
	var order []string
	for i, label := range p.labels {
		one := by[label]
		if one == nil {
			one = new(facts.Series)
			*one = s
			one.Label, one.Colour = clean(label), p.colour[label]
			one.Style += strings.TrimSpace(p.style[label])
			for _, c := range columns {
				one.Columns = append(one.Columns, facts.Column{Name: c.Name})
			}
			by[label], order = one, append(order, label)
		}
		one.Count++
		for k := range columns {
			one.Columns[k].Numbers = append(one.Columns[k].Numbers, columns[k].Numbers[i])
		}
	}
	slices.Sort(order)
	for _, label := range order {
		list = append(list, *by[label])
	}
	return list, len(list) <= mostSeries
}

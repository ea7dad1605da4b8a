package figures

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"easel/ui/core/facts"
)

// points reads the points of symbols and lines.
func (m *drawnReading) points(across, up string) ([]facts.Series, bool) {
	s := facts.Series{Kind: facts.Points}
	columns := []facts.Column{{Name: "x", Numbers: m.column(across)}, {Name: "y", Numbers: m.column(up)}}
	if m.Type == "line" || m.Type == "trail" {
		s.Kind, s.Style = facts.Line, "-"
	} else if m.has("size") && m.Channels["size"].Field != "" {
		columns = append(columns, facts.Column{Name: "size", Numbers: m.column("size")})
	}
	list, ok := m.divided(s, columns)
	if ok && s.Kind == facts.Line {
		m.ordered(list, 0, 1)
	}
	return list, ok
}

// ordered sorts the points of lines and areas as Vega does before it joins them.
func (m *drawnReading) ordered(list []facts.Series, across, up int) {
	by := -1
	switch m.Sort {
	case "":
		return
	case "x", "datum[\"" + m.Channels["x"].Field + "\"]", m.Channels["x"].Field:
		by = across
	case "y", "datum[\"" + m.Channels["y"].Field + "\"]", m.Channels["y"].Field:
		by = up
	}
	if by < 0 {
		return
	}
	for i := range list {
		sortRows(&list[i], by)
	}
}

// ends returns two columns, the smaller value of each row first. A missing second one is 0.
func (m *drawnReading) ends(one, other string) (low, high []float64) {
	a, b := m.column(one), m.column(other)
	if b == nil {
		b = make([]float64, len(a))
	}
	if len(a) != m.n || len(b) != m.n {
		return nil, nil
	}
	for i := range a {
		low, high = append(low, math.Min(a[i], b[i])), append(high, math.Max(a[i], b[i]))
	}
	return low, high
}

func (m *drawnReading) area(across, up string) ([]facts.Series, bool) {
	place := "x"
	from, to := m.ends(up, "y2")
	at := m.column(across)
	if m.has("x2") {
		place, at = "y", m.column(up)
		from, to = m.ends(across, "x2")
	}
	list, ok := m.divided(facts.Series{Kind: facts.Area}, []facts.Column{
		{Name: place, Numbers: at}, {Name: "low", Numbers: from}, {Name: "high", Numbers: to},
	})
	if ok {
		m.ordered(list, 0, 0)
	}
	return list, ok
}

// rects reads bars, histograms and cells.
func (m *drawnReading) rects(across, up string) ([]facts.Series, bool) {
	wide, tall := m.has("x2"), m.has("y2")
	switch {
	case !m.has(across) || !m.has(up):
		return nil, false
	case !wide && !tall, wide && tall && !m.grounded("x2") && !m.grounded("y2"):
		return m.cells(across, up)
	case tall && (!wide || m.grounded("y2")):
		return m.bars(facts.Bars, "x", "y", across, up)
	}
	return m.bars(facts.BarsH, "y", "x", up, across)
}

// grounded reports whether bars begin at the values of a channel: at 0, or at the end of the bar below.
func (m *drawnReading) grounded(name string) bool {
	c := m.Channels[name]
	return c.Field == "" || strings.HasSuffix(c.Field, "_start")
}

// bars reads bars: place is the axis along which they stand, and way the one in which they go.
func (m *drawnReading) bars(kind facts.Kind, place, way, at, end string) ([]facts.Series, bool) {
	base := m.column(way + "2")
	if !m.has(place + "2") {
		width := slices.Repeat([]float64{m.breadth(at)}, m.n)
		columns := []facts.Column{
			{Name: place, Numbers: m.column(at)}, {Name: way, Numbers: m.column(end)}, {Name: "base", Numbers: base},
		}
		if width[0] > 0 {
			columns = append(columns, facts.Column{Name: "width", Numbers: width})
		}
		return m.divided(facts.Series{Kind: kind}, columns)
	}
	from, to := m.ends(at, place+"2")
	ends := m.column(end)
	if len(from) != m.n || len(ends) != m.n || len(base) != m.n {
		return nil, false
	}
	middle, width, length := make([]float64, m.n), make([]float64, m.n), make([]float64, m.n)
	for i := range from {
		middle[i], width[i], length[i] = (from[i]+to[i])/2, to[i]-from[i], ends[i]-base[i]
	}
	if kind == facts.Bars && strings.Contains(m.Channels[end].Field, "count") && m.scales[m.Channels[at].Scale].kind == "linear" {
		list, ok := m.divided(facts.Series{Kind: facts.Histogram}, []facts.Column{
			{Name: "x", Numbers: from}, {Name: "width", Numbers: width}, {Name: "y", Numbers: length}, {Name: "base", Numbers: base},
		})
		if ok {
			m.binned(list)
		}
		return list, ok
	}
	if p := m.scales[m.Channels[at].Scale]; p.kind == "time" || p.kind == "utc" {
		middle = from // the month, and not its middle, is what the axis says
	}
	return m.divided(facts.Series{Kind: kind}, []facts.Column{
		{Name: place, Numbers: middle}, {Name: way, Numbers: ends}, {Name: "width", Numbers: width}, {Name: "base", Numbers: base},
	})
}

// cells reads the cells of a heatmap.
func (m *drawnReading) cells(across, up string) ([]facts.Series, bool) {
	x, y := m.column(across), m.column(up)
	if m.has("x2") {
		x = middles(m.ends(across, "x2"))
	}
	if m.has("y2") {
		y = middles(m.ends(up, "y2"))
	}
	p := m.paint()
	if p.value == nil || len(x) != m.n || len(y) != m.n {
		return nil, false
	}
	return []facts.Series{{
		Kind: facts.Mesh, Count: m.n, Values: p.title,
		Columns: []facts.Column{{Name: "x", Numbers: x}, {Name: "y", Numbers: y}, {Name: "value", Numbers: p.value}},
	}}, true
}

func middles(low, high []float64) []float64 {
	for i := range low {
		low[i] = (low[i] + high[i]) / 2
	}
	return low
}

// rule reads lines over the whole axes, and those from one value to another.
func (m *drawnReading) rule(across, up string) ([]facts.Series, bool) {
	switch hasX, hasY := m.has(across), m.has(up); {
	case hasX && !hasY && !m.has("x2"):
		return m.divided(facts.Series{Kind: facts.Rules}, []facts.Column{{Name: "x", Numbers: m.column(across)}})
	case hasY && !hasX && !m.has("y2"):
		return m.divided(facts.Series{Kind: facts.Rules}, []facts.Column{{Name: "y", Numbers: m.column(up)}})
	case hasX && hasY && m.has("y2") && !m.has("x2"):
		low, high := m.ends(up, "y2")
		return m.divided(facts.Series{Kind: facts.ErrorBars}, []facts.Column{
			{Name: "x", Numbers: m.column(across)}, {Name: "low", Numbers: low}, {Name: "high", Numbers: high},
		})
	case hasX && hasY && m.has("x2") && !m.has("y2"):
		low, high := m.ends(across, "x2")
		return m.divided(facts.Series{Kind: facts.ErrorBars}, []facts.Column{
			{Name: "y", Numbers: m.column(up)}, {Name: "low", Numbers: low}, {Name: "high", Numbers: high},
		})
	}
	return nil, false
}

// arcs reads the wedges of a pie.
func (m *drawnReading) arcs() ([]facts.Series, bool) {
	from, to := m.ends("startAngle", "endAngle")
	if len(from) != m.n || !m.has("startAngle") && !m.has("endAngle") && m.Channels["startAngle"].At == nil {
		return nil, false
	}
	total := 0.0
	for i := range from {
		total += to[i] - from[i]
	}
	s := facts.Series{Kind: facts.Pie, Count: m.n}
	share := make([]float64, m.n)
	for i := range from {
		share[i] = (to[i] - from[i]) / total
	}
	if labels := m.paint().labels; len(labels) == m.n {
		for _, label := range labels {
			s.Names = append(s.Names, clean(label))
		}
	}
	s.Columns = []facts.Column{{Name: "value", Numbers: share}}
	return []facts.Series{s}, total > 0
}

// boxplot reads the boxes of Vega-Lite, whose parts are marks with the same rows.
func (m *drawnReading) boxplot(b *boxParts) ([]facts.Series, bool) {
	if !m.rows() {
		return nil, false
	}
	place, way := "x", "y"
	if m.has("x2") {
		place, way = "y", "x"
	}
	q1, q3 := m.ends(way, way+"2")
	at := m.column(cmp.Or(m.first(place, place+"c"), place))
	part := func(i int) *drawnReading {
		return &drawnReading{drawnReader: m.drawnReader, g: m.g, drawnMark: &m.g.Marks[i], scales: m.scales, n: m.n}
	}
	middle := part(b.median)
	median := middle.column(cmp.Or(middle.first(way, way+"c"), way))
	low, high := slices.Clone(q1), slices.Clone(q3)
	for _, i := range b.rules {
		from, to := part(i).ends(way, way+"2")
		for k := range min(len(from), len(low)) {
			low[k], high[k] = math.Min(low[k], from[k]), math.Max(high[k], to[k])
		}
	}
	return m.divided(facts.Series{Kind: facts.Box}, []facts.Column{
		{Name: place, Numbers: at},
		{Name: "min", Numbers: low},
		{Name: "q1", Numbers: q1},
		{Name: "median", Numbers: median},
		{Name: "q3", Numbers: q3},
		{Name: "max", Numbers: high},
	})
}

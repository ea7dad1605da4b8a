package figures

import (
	"cmp"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"easel/ui/core/facts"
)

// fewPoints is how many points plotly.js marks if nothing says whether it should.
const fewPoints = 20

// scatter reads points, lines and areas.
func (r *plotlyReader) scatter(a *plotlyAxes, s facts.Series, t *trace) ([]facts.Series, bool) {
	if strings.HasPrefix(t.Type, "scatterpolar") {
		t.X, t.Y, t.X0, t.Y0 = t.Theta, t.R, nil, nil
	}
	x, y, ok := r.points(a, t)
	if !ok {
		return a.broken(t)
	}
	s.Kind, s.Style, s.Count = facts.Line, "-", len(x)
	if marked := strings.Contains(t.Mode, "markers") || t.Mode == "" && s.Count < fewPoints; marked {
		s.Style = "o-"
		if t.Mode != "" && !strings.Contains(t.Mode, "lines") {
			s.Kind, s.Style = facts.Points, "o"
		}
		var symbol string
		if _ = json.Unmarshal(t.Marker.Symbol, &symbol); symbol != "" && symbol != "circle" {
			s.Style = strings.Replace(s.Style, "o", symbol, 1)
		}
	}
	if t.Line.Dash != "solid" {
		s.Style += t.Line.Dash
	}
	if t.ConnectGaps && s.Kind == facts.Line {
		s.Style += " connected" // its points have neighbours, even beyond NaN
	}
	s.Columns = []facts.Column{{Name: "x", Numbers: x}, {Name: "y", Numbers: y}}
	if t.StackGroup != "" {
		return r.area(a, s, t)
	}
	if s.Kind == facts.Points {
		r.mapped(&s, t)
	}
	return append(errorBars(a, s, t), s), true
}

// points returns where the points of a trace are. Without places, these are 0, 1, 2, ….
func (r *plotlyReader) points(a *plotlyAxes, t *trace) (x, y []float64, ok bool) {
	across, hasX := listOf(t.X, &r.left)
	up, hasY := listOf(t.Y, &r.left)
	n := max(across.len(), up.len())
	if !hasX && hasY && len(t.X) == 0 {
		across = upTo(n)
	}
	if hasX && !hasY && len(t.Y) == 0 {
		up = upTo(n)
	}
	n = min(across.len(), up.len()) // plotly.js ignores the rest
	if n == 0 || len(t.X0) > 0 && !hasX || len(t.Y0) > 0 && !hasY {
		return nil, nil, false
	}
	x, ok = a.x.places(across.first(n))
	y, ok2 := a.y.places(up.first(n))
	return x, y, ok && ok2
}

func upTo(n int) (l list) {
	for i := range n {
		l.numbers = append(l.numbers, float64(i))
	}
	return l
}

// mapped adds what sizes and colours of points say.
func (r *plotlyReader) mapped(s *facts.Series, t *trace) {
	for _, c := range []struct {
		name string
		raw  json.RawMessage
	}{{"size", t.Marker.Size}, {"value", t.Marker.Color}} {
		if l, ok := listOf(c.raw, &r.left); ok && l.texts == nil && l.len() == s.Count {
			s.Columns = append(s.Columns, facts.Column{Name: c.name, Numbers: l.numbers})
			if c.name == "value" {
				s.Values = r.values(t.Marker.ColorAxis, t.Marker.ColorBar.Title)
			}
		}
	}
}

// values returns the title of a colorbar.
func (r *plotlyReader) values(axis string, own json.RawMessage) string {
	var shared struct {
		ColorBar struct{ Title json.RawMessage }
	}
	if axis != "" && json.Unmarshal(r.layout[axis], &shared) == nil {
		own = shared.ColorBar.Title
	}
	return titleOf(own)
}

// A stackPlace is where bars or areas are stacked.
type stackPlace struct {
	group string
	at    float64
}

// shareStacks marks the areas of stacks that are unknown: what one trace says of its stack, drawn or not, holds for all in it.
func shareStacks(traces []trace) {
	type stack struct{ x, y, group string }
	unknown := make(map[stack]bool)
	of := func(t *trace) stack { return stack{cmp.Or(t.XAxis, "x"), cmp.Or(t.YAxis, "y"), t.StackGroup} }
	for i := range traces {
		t := &traces[i]
		lies := t.Orientation == "h" || t.Orientation == "" && len(t.X) > 0 && len(t.Y) == 0
		if t.Visible != false && (lies || t.GroupNorm != "") {
			unknown[of(t)] = true
		}
	}
	for i := range traces {
		traces[i].unknown = unknown[of(&traces[i])]
	}
}

// broken notes that a trace is not read, so that nothing is known of the areas stacked on it.
func (a *plotlyAxes) broken(t *trace) ([]facts.Series, bool) {
	if t.StackGroup != "" {
		a.stacked[stackPlace{group: "broken " + t.StackGroup}] = 1
	}
	return nil, false
}

// area reads areas that are stacked. Those of other places would have to be interpolated.
func (r *plotlyReader) area(a *plotlyAxes, s facts.Series, t *trace) ([]facts.Series, bool) {
	x, y := s.Columns[0].Numbers, s.Columns[1].Numbers
	count := stackPlace{group: "count of " + t.StackGroup}
	known, before := a.stacked[count]
	if t.unknown || a.stacked[stackPlace{group: "broken " + t.StackGroup}] != 0 || before && int(known) != len(x) {
		return a.broken(t)
	}
	low, high, ends := make([]float64, len(x)), make([]float64, len(x)), make(map[stackPlace]float64)
	for i := range x {
		at := stackPlace{"area " + t.StackGroup, x[i]}
		end, there := a.stacked[at]
		if _, twice := ends[at]; twice || before && !there {
			return a.broken(t)
		}
		low[i], high[i], ends[at] = end, end+y[i], end
		if !math.IsNaN(y[i]) {
			ends[at] = high[i]
		}
	}
	maps.Copy(a.stacked, ends)
	a.stacked[count] = float64(len(x))
	s.Kind, s.Style = facts.Area, ""
	s.Columns = []facts.Column{{Name: "x", Numbers: x}, {Name: "low", Numbers: low}, {Name: "high", Numbers: high}}
	return []facts.Series{s}, true
}

// bars reads bars, which may be stacked. Bars side by side are at the place that they share.
func (r *plotlyReader) bars(a *plotlyAxes, s facts.Series, t *trace) ([]facts.Series, bool) {
	var norm string
	_ = json.Unmarshal(r.layout["barnorm"], &norm)
	if norm != "" {
		return nil, false
	}
	across, up := a.x, a.y
	if t.Orientation == "" && len(t.X) > 0 && len(t.Y) == 0 {
		t.Orientation = "h"
	}
	s.Kind = facts.Bars
	if t.Orientation == "h" {
		s.Kind, t.X, t.Y, t.X0, t.Y0, across, up = facts.BarsH, t.Y, t.X, t.Y0, t.X0, up, across
	}
	lengths := &plotlyAxes{x: across, y: newScale(), Axes: a.Axes}
	places, values, ok := r.points(lengths, t)
	if !ok || lengths.y.axis.Scale != facts.Linear || up.kind == "category" {
		return nil, false
	}
	s.Count = len(places)
	return r.piled(a, s, t, places, values)
}

// piled stacks bars on those before them, if the figure does.
func (r *plotlyReader) piled(a *plotlyAxes, s facts.Series, t *trace, places, values []float64) ([]facts.Series, bool) {
	up, names := a.y, []string{"x", "y"}
	if s.Kind == facts.BarsH {
		up, names = a.x, []string{"y", "x"}
	}
	base := make([]float64, len(values))
	if len(t.Base) > 0 {
		l, ok := listOf(t.Base, &r.left)
		var one float64
		if json.Unmarshal(t.Base, &one) == nil {
			l, ok = list{numbers: slices.Repeat([]float64{one}, len(values))}, true
		}
		if base, ok = up.placesOf(l, ok); !ok || len(base) != len(values) {
			return nil, false
		}
	}
	ends := make([]float64, len(values))
	for i, v := range values {
		at := stackPlace{"bars", places[i]}
		if r.barMode == "relative" && v < 0 {
			at.group = "negative bars"
		}
		stacked := (r.barMode == "stack" || r.barMode == "relative") && len(t.Base) == 0
		if stacked {
			base[i] = a.stacked[at]
		}
		if up.axis.Scale == facts.Date {
			v /= 1000 // a length in milliseconds
		}
		if ends[i] = base[i] + v; stacked && !math.IsNaN(v) {
			a.stacked[at] = ends[i]
		}
	}
	s.Columns = []facts.Column{{Name: names[0], Numbers: places}, {Name: names[1], Numbers: ends}}
	if slices.ContainsFunc(base, func(b float64) bool { return b != 0 }) {
		s.Columns = append(s.Columns, facts.Column{Name: "base", Numbers: base})
	}
	return append(errorBars(a, s, t), s), true
}

// An errorsJSON is error bars of a trace.
type errorsJSON struct {
	Type              string
	Visible           *bool
	Symmetric         *bool
	Array, ArrayMinus json.RawMessage
	Value             float64
	ValueMinus        *float64
}

// errorBars returns the error bars of a series, whose x and y are known.
func errorBars(a *plotlyAxes, s facts.Series, t *trace) (all []facts.Series) {
	for _, way := range []struct {
		j          *errorsJSON
		over, from string
	}{{t.ErrorY, "x", "y"}, {t.ErrorX, "y", "x"}} {
		if way.j == nil || way.j.Visible != nil && !*way.j.Visible || a.Projection != "" {
			continue
		}
		from := s.Numbers(way.from)
		above, below, ok := way.j.lengths(from)
		if !ok {
			continue
		}
		low, high := make([]float64, len(from)), make([]float64, len(from))
		for i, v := range from {
			low[i], high[i] = v-below[i], v+above[i]
		}
		all = append(all, facts.Series{
			Kind: facts.ErrorBars, Label: s.Label, Colour: s.Colour, Count: s.Count,
			Columns: []facts.Column{{Name: way.over, Numbers: s.Numbers(way.over)}, {Name: "low", Numbers: low}, {Name: "high", Numbers: high}},
		})
	}
	return all
}

// lengths returns how far error bars reach from values.
func (j *errorsJSON) lengths(from []float64) (above, below []float64, ok bool) {
	above = make([]float64, len(from))
	switch j.Type {
	case "percent", "constant":
		below = make([]float64, len(from))
		for i, v := range from {
			unit := 1.0
			if j.Type == "percent" {
				unit = math.Abs(v) / 100
			}
			above[i], below[i] = unit*j.Value, unit*j.Value
			if j.ValueMinus != nil && j.Symmetric != nil && !*j.Symmetric {
				below[i] = unit * *j.ValueMinus
			}
		}
		return above, below, true
	case "", "data":
		left := mostNumbers
		up, ok := listOf(j.Array, &left)
		if !ok || up.texts != nil || up.len() != len(from) {
			return nil, nil, false
		}
		if len(j.ArrayMinus) == 0 || string(j.ArrayMinus) == "null" || j.Symmetric != nil && *j.Symmetric {
			return up.numbers, up.numbers, true
		}
		down, ok := listOf(j.ArrayMinus, &left)
		return up.numbers, down.numbers, ok && down.texts == nil && down.len() == len(from)
	}
	return nil, nil, false
}

// pie reads the wedges of a pie. Those with the same label are one.
func (r *plotlyReader) pie(s facts.Series, t *trace) ([]facts.Series, bool) {
	values, ok := listOf(t.Values, &r.left)
	labels, named := listOf(t.Labels, &r.left)
	if !ok && named && len(t.Values) == 0 {
		values = list{numbers: slices.Repeat([]float64{1}, labels.len())} // they are counted
	}
	n := values.len()
	if n == 0 || values.texts != nil || named && labels.len() != n {
		return nil, false
	}
	at := make(map[string]int)
	var shares []float64
	sum := 0.0
	for i, v := range values.numbers {
		name := strconv.Itoa(i)
		if named {
			name = labels.text(i)
		}
		place, known := at[name]
		if !known {
			place = len(shares)
			at[name], shares = place, append(shares, 0)
			if named {
				s.Names = append(s.Names, clean(name))
			}
		}
		if v > 0 {
			shares[place] += v
			sum += v
		}
	}
	for i := range shares {
		shares[i] /= sum
	}
	s.Colour = "" // each wedge has its own
	s.Kind, s.Count, s.Columns = facts.Pie, len(shares), []facts.Column{{Name: "value", Numbers: shares}}
	return []facts.Series{s}, sum > 0
}

// heatmap reads a matrix of values, and where it is.
func (r *plotlyReader) heatmap(a *plotlyAxes, s facts.Series, t *trace) ([]facts.Series, bool) {
	rows, across, values, ok := matrix(t.Z, &r.left)
	if !ok {
		return nil, false
	}
	s.Kind, s.Count, s.Shape, s.Colour = facts.Image, len(values), [2]int{rows, across}, ""
	s.Label = "" // which nothing shows
	s.Columns = []facts.Column{{Name: "value", Numbers: values}}
	s.Values = r.values(t.ColorAxis, t.ColorBar.Title)
	left, right, okX := r.edges(a.x, t.X, across)
	first, last, okY := r.edges(a.y, t.Y, rows)
	if okX && okY {
		s.Extent = [4]float64{left, right, first, last}
	}
	return []facts.Series{s}, true
}

// edges returns where the cells of a matrix begin and end along an axis. Cells of various sizes have none.
func (r *plotlyReader) edges(s *scale, raw json.RawMessage, n int) (from, to float64, ok bool) {
	l, has := listOf(raw, &r.left)
	if !has {
		l = upTo(n)
	}
	at, ok := s.places(l)
	if !ok || len(at) != n && len(at) != n+1 {
		return 0, 0, false
	}
	if len(at) == n+1 {
		return at[0], at[n], true
	}
	step := 1.0
	if n > 1 {
		step = (at[n-1] - at[0]) / float64(n-1)
	}
	return at[0] - step/2, at[n-1] + step/2, true
}

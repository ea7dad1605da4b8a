package figures

import (
	"encoding/json"
	"math"
	"slices"

	"easel/ui/core/facts"
)

// boxes reads boxes and violins: their quartiles as plotly.js computes them, and the points that it shows.
func (r *plotlyReader) boxes(a *plotlyAxes, s facts.Series, t *trace) ([]facts.Series, bool) {
	if len(t.Q1) > 0 || len(t.Median) > 0 {
		return r.givenBoxes(a, s, t)
	}
	values, upright, ok := r.boxed(t)
	if !ok {
		return nil, false
	}
	across, up, place := a.x, a.y, "x"
	rawPlaces := t.X
	if !upright {
		across, up, place, rawPlaces = a.y, a.x, "y", t.Y
	}
	numbers, ok := up.places(values)
	at, ok2 := r.boxPlaces(across, rawPlaces, t, len(numbers))
	if !ok || !ok2 || up.axis.Scale == facts.Category {
		return nil, false
	}
	groups, order := make(map[float64][]float64), []float64{}
	for i, v := range numbers {
		if math.IsNaN(v) || math.IsNaN(at[i]) {
			continue
		}
		if groups[at[i]] == nil {
			order = append(order, at[i])
		}
		groups[at[i]] = append(groups[at[i]], v)
	}
	slices.Sort(order)
	s.Kind, s.Count = facts.Box, len(order)
	return drawnBoxes(s, t, place, order, groups), len(order) > 0
}

// drawnBoxes returns the boxes at places, and a series of the points beside them.
func drawnBoxes(s facts.Series, t *trace, place string, order []float64, groups map[float64][]float64) []facts.Series {
	shown := cmpOr(t.BoxPoints, t.Points)
	var five [5][]float64
	var beside, outliers []float64
	for _, g := range order {
		all := slices.Sorted(slices.Values(groups[g]))
		low, q1, median, q3, high := fiveNumbers(all, t.QuartileMethod, shown, t.Type == "violin")
		for i, v := range []float64{low, q1, median, q3, high} {
			five[i] = append(five[i], v)
		}
		for _, v := range groups[g] {
			if shown == "all" || shown != false && (v < low || v > high) {
				beside, outliers = append(beside, g), append(outliers, v)
			}
		}
	}
	s.Columns = []facts.Column{{Name: place, Numbers: order}}
	for i, name := range fiveNames {
		s.Columns = append(s.Columns, facts.Column{Name: name, Numbers: five[i]})
	}
	if t.Type == "violin" {
		s.Style = "violin"
	}
	if len(outliers) == 0 {
		return []facts.Series{s}
	}
	value := map[string]string{"x": "y", "y": "x"}[place]
	points := facts.Series{Kind: facts.Points, Label: s.Label, Colour: s.Colour, Style: "o", Count: len(outliers)}
	points.Columns = []facts.Column{{Name: place, Numbers: beside}, {Name: value, Numbers: outliers}}
	if place == "y" {
		slices.Reverse(points.Columns)
	}
	if isStrip(t) {
		return []facts.Series{points}
	}
	return []facts.Series{s, points}
}

var fiveNames = []string{"min", "q1", "median", "q3", "max"}

// cmpOr returns the first of two values that is there; "outliers" if none is.
func cmpOr(a, b any) any {
	switch {
	case a != nil:
		return a
	case b != nil:
		return b
	}
	return "outliers"
}

// isStrip reports whether only the points of boxes are visible, as in Plotly Express' strip.
func isStrip(t *trace) bool {
	var fill, line string
	_ = json.Unmarshal(t.FillColor, &fill)
	_ = json.Unmarshal(t.Line.Color, &line)
	return fill == line && len(fill) > 2 && fill[len(fill)-3:] == ",0)"
}

// boxed returns the values of boxes, and whether these stand upright.
func (r *plotlyReader) boxed(t *trace) (values list, upright, ok bool) {
	x, hasX := listOf(t.X, &r.left)
	y, hasY := listOf(t.Y, &r.left)
	upright = hasY
	if hasX && hasY && y.texts != nil && x.texts == nil {
		upright = false
	}
	switch t.Orientation {
	case "h":
		upright = false
	case "v":
		upright = true
	}
	if upright {
		return y, true, hasY
	}
	return x, false, hasX
}

// boxPlaces returns the place of each value: what the other axis says, or the name of the trace.
func (r *plotlyReader) boxPlaces(s *scale, raw json.RawMessage, t *trace, n int) ([]float64, bool) {
	if l, ok := listOf(raw, &r.left); ok {
		if l.len() < n {
			return nil, false
		}
		return s.places(l.first(n))
	}
	zero := t.X0
	if t.Orientation == "h" || len(t.X) > 0 {
		zero = t.Y0
	}
	var v any
	if _ = json.Unmarshal(zero, &v); v == nil && t.Name != "" {
		v = t.Name
	}
	if v == nil || v == " " { // Plotly Express says " "
		return make([]float64, n), true
	}
	at, ok := s.places(valuesOf([]any{v}))
	if !ok {
		return nil, false
	}
	return slices.Repeat(at, n), true
}

// givenBoxes reads boxes of which the figure gives the quartiles.
func (r *plotlyReader) givenBoxes(a *plotlyAxes, s facts.Series, t *trace) ([]facts.Series, bool) {
	median, ok := listOf(t.Median, &r.left)
	n := median.len()
	if !ok || median.texts != nil || t.Orientation == "h" {
		return nil, false
	}
	at, ok := r.boxPlaces(a.x, t.X, t, n)
	if !ok {
		return nil, false
	}
	s.Kind, s.Count, s.Columns = facts.Box, n, []facts.Column{{Name: "x", Numbers: at}}
	q1, ok1 := listOf(t.Q1, &r.left)
	q3, ok3 := listOf(t.Q3, &r.left)
	low, hasLow := listOf(t.LowerFence, &r.left)
	high, hasHigh := listOf(t.UpperFence, &r.left)
	if !hasLow {
		low = q1
	}
	if !hasHigh {
		high = q3
	}
	for i, l := range []list{low, q1, median, q3, high} {
		if l.texts != nil || l.len() != n {
			return nil, false
		}
		s.Columns = append(s.Columns, facts.Column{Name: fiveNames[i], Numbers: l.numbers})
	}
	return []facts.Series{s}, ok1 && ok3
}

// fiveNumbers returns the ends of the whiskers, the quartiles and the median of sorted values.
func fiveNumbers(v []float64, method string, shown any, violin bool) (low, q1, median, q3, high float64) {
	median = interpolated(v, 0.5)
	below, above := v[:len(v)/2], v[(len(v)+1)/2:]
	switch {
	case method == "inclusive" && len(v)%2 == 1:
		below, above = v[:len(v)/2+1], v[len(v)/2:]
		fallthrough
	case (method == "exclusive" || method == "inclusive") && len(v) > 1:
		q1, q3 = interpolated(below, 0.5), interpolated(above, 0.5)
	default:
		q1, q3 = interpolated(v, 0.25), interpolated(v, 0.75)
	}
	if low, high = v[0], v[len(v)-1]; violin || shown == false {
		return low, q1, median, q3, high
	}
	reach := 1.5 * (q3 - q1)
	inside := slices.DeleteFunc(slices.Clone(v), func(f float64) bool { return f < q1-reach || f > q3+reach })
	if len(inside) > 0 {
		low, high = min(q1, inside[0]), max(q3, inside[len(inside)-1])
	}
	return low, q1, median, q3, high
}

// interpolated returns a quantile of sorted values, as plotly.js interpolates.
func interpolated(v []float64, q float64) float64 {
	at := q*float64(len(v)) - 0.5
	if at <= 0 {
		return v[0]
	}
	if at >= float64(len(v)-1) {
		return v[len(v)-1]
	}
	i, share := math.Modf(at)
	return v[int(i)]*(1-share) + v[int(i)+1]*share
}

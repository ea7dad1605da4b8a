package words

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"easel/ui/core/facts"
)

// lengths returns a series with the lengths of its bars, or the thickness of its area, as values if it lies on others or an
// area on zero; otherwise s.
func (v view) lengths(s *facts.Series) *facts.Series {
	name, from := "y", "base"
	switch s.Kind {
	case facts.BarsH:
		name = "x"
	case facts.Area:
		name, from = "high", "low"
	case facts.Bars:
	default:
		return s
	}
	ends, base := s.Numbers(name), s.Numbers(from)
	if len(base) != len(ends) {
		return s
	}
	long, onZero := make([]float64, len(ends)), s.Kind == facts.Area
	for i, b := range base {
		long[i] = ends[i] + b
		onZero = onZero && (b == 0 || ends[i] == 0)
	}
	if !onZero {
		if !v.stacked(s, base) {
			return s
		}
		for i, b := range base {
			long[i] = ends[i] - b
		}
	}
	own := *s
	own.Columns = nil
	for _, c := range s.Columns {
		switch c.Name {
		case from:
			continue
		case name:
			c.Numbers = long
		}
		own.Columns = append(own.Columns, c)
	}
	return &own
}

// stacked reports whether a series begins where others end.
func (v view) stacked(s *facts.Series, base []float64) bool {
	if !slices.ContainsFunc(base, func(b float64) bool { return b != 0 }) {
		return false
	}
	places, _, _ := along(s)
	tops := make(map[end]bool)
	for i := range v.Series {
		o := &v.Series[i]
		if o == s || o.Kind != s.Kind {
			continue
		}
		at, values, _ := along(o)
		for k := range min(len(at), len(values)) {
			tops[end{rounded(at[k]), rounded(values[k])}] = true
		}
	}
	for i, b := range base {
		if b != 0 && !tops[end{rounded(valueAt(places, i)), rounded(b)}] {
			return false
		}
	}
	return true
}

// rounded leaves out the digits that computing a number may have changed.
func rounded(v float64) float64 {
	if v == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
		return v
	}
	scale := math.Pow(10, 9-math.Floor(math.Log10(math.Abs(v))))
	if math.IsInf(scale, 0) || scale == 0 {
		return v
	}
	return math.Round(v*scale) / scale
}

// bars describes a series of bars: each of a few, else the smallest and the largest.
func (v view) bars(s *facts.Series) string {
	own := v.lengths(s)
	over, up := v.axes(s)
	if list := v.listed(own, over, up); list != "" {
		return v.of(s) + " " + list
	}
	return fmt.Sprintf("%s %d, %s", v.of(s), s.Count, v.span(measured(v.Axes, own), over, up))
}

// listed returns the values of a few bars or points.
func (v view) listed(s *facts.Series, over, up axis) string {
	places, values, _ := along(s)
	if v.terse > 0 || len(values) == 0 || s.Count > mostValues || len(values) < s.Count || len(places) != len(values) {
		return ""
	}
	r, base := measured(v.Axes, s), s.Numbers("base")
	up.From, up.To = min(0, r.low.v), r.high.v
	said := make([]string, len(values))
	for i, value := range values {
		text := up.say(value)
		if b := valueAt(base, i); b != 0 && !math.IsNaN(b) {
			text = up.say(b) + " to " + text
		}
		if name := over.say(places[i]); over.has(places[i]) {
			said[i] = name + " " + text
		} else {
			said[i] = text + " at " + name
		}
	}
	return strings.Join(said, ", ")
}

// totals describes the tops of stacked bars.
func (v view) totals(list []*facts.Series) string {
	first := list[0]
	places, _, horizontal := along(first)
	tops, any := make(map[float64]float64), false
	for _, s := range list {
		at, ends, _ := along(s)
		below := slices.ContainsFunc(ends, func(e float64) bool { return e < 0 })
		if below || len(at) != len(ends) || !slices.Equal(at, places) || s.Whole != nil {
			return ""
		}
		any = any || v.lengths(s) != s
		for i := range at {
			tops[at[i]] = max(tops[at[i]], ends[i])
		}
	}
	if !any {
		return ""
	}
	sum := facts.Series{Kind: first.Kind, Count: len(places)}
	values := make([]float64, len(places))
	for i, p := range places {
		values[i] = tops[p]
	}
	sum.Columns = []facts.Column{{Name: "x", Numbers: places}, {Name: "y", Numbers: values}}
	if horizontal {
		sum.Columns[0].Name, sum.Columns[1].Name = "y", "x"
	}
	over, up := v.axes(&sum)
	if said := v.listed(&sum, over, up); said != "" {
		return "stacked, totals " + said
	}
	return "stacked, totals " + v.span(measured(v.Axes, &sum), over, up)
}

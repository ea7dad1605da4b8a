package checks

import (
	"math"
	"slices"

	"easel/ui/core/facts"
)

// same finds two series, boxes or groups of axes with the same values. A series that is drawn twice to look
// different has one label or is of two kinds; these have two labels and one kind.
func same(a *facts.Axes) []Finding {
	var found []Finding
	for i := range a.Series {
		if i == maxSeries {
			break
		}
		if a.Series[i].Kind == facts.Box {
			found = append(found, sameBoxes(a, i)...)
		}
		for j := range i {
			if f, ok := sameSeries(a, j, i); ok {
				found = append(found, f)
				break
			}
		}
	}
	if len(found) > 3 {
		return nil // everything is drawn twice
	}
	return found
}

func sameSeries(a *facts.Axes, i, j int) (Finding, bool) {
	s, t := &a.Series[i], &a.Series[j]
	if s.Kind != t.Kind || s.Label == "" || t.Label == "" || s.Label == t.Label {
		return Finding{}, false
	}
	var p, q []float64
	switch s.Kind {
	case facts.Line, facts.Points, facts.Bars, facts.Histogram:
		p, q = s.Numbers("y"), t.Numbers("y")
	case facts.BarsH:
		p, q = s.Numbers("x"), t.Numbers("x")
	default:
		return Finding{}, false
	}
	if (s.Kind == facts.Points || s.Kind == facts.Line) && a.Y.Scale == facts.Category {
		p, q = s.Numbers("x"), t.Numbers("x") // the rows of a dot plot have the same names
	}
	at := shared(p, q)
	n := len(at)
	if n < 5 || n < len(p)*9/10 {
		return Finding{}, false
	}
	f := Finding{Check: Same, Series: []int{i, j}, Strength: float64(n) * 2, Points: []PointSet{{i, at}, {j, slices.Clone(at)}}}
	f.Axis, f.N, f.Of, f.A, f.B = "y", n, len(p), s.Label, t.Label
	return f, true
}

// shared returns the places of values that are equal in both, if the values are too various for chance.
func shared(p, q []float64) (at []int) {
	if len(p) != len(q) || len(p) < 5 || len(p) > maxPoints {
		return nil
	}
	changes := map[float64]bool{}
	for i := range p {
		if p[i] == q[i] {
			at = append(at, i)
			changes[p[i]] = true
		}
	}
	if len(changes) < 5 || len(changes)*3 < len(at) || straight(p) {
		return nil
	}
	return at
}

// straight reports whether values go up or down in equal steps, as numbers of rows do.
func straight(v []float64) bool {
	for i := 2; i < len(v); i++ {
		if d := (v[i] - v[i-1]) - (v[i-1] - v[i-2]); d > 1e-9*(v[i]-v[0]) || d < -1e-9*(v[i]-v[0]) {
			return false
		}
	}
	return true
}

// sameBoxes finds boxes with the same five numbers, if these are fine enough that no two agree by chance.
func sameBoxes(a *facts.Axes, i int) []Finding {
	s := &a.Series[i]
	five := make([][]float64, 5)
	var all []float64
	for k, column := range []string{"min", "q1", "median", "q3", "max"} {
		five[k] = s.Numbers(column)
		all = append(all, five[k]...)
	}
	n := len(five[0])
	for _, c := range five {
		n = min(n, len(c))
	}
	if n < 2 || n > 500 {
		return nil
	}
	all = slices.DeleteFunc(all, func(f float64) bool { return !finite(f) })
	if len(all) < 10 {
		return nil
	}
	slices.Sort(all)
	size, _ := step(all)
	var found []Finding
	for p := range n {
		for q := range p {
			wide := five[3][p] - five[1][p]
			if !equalAt(five, p, q) || !(wide > 0) || size > 0 && wide < 15*size || !ascending(five, p) {
				continue
			}
			f := Finding{Check: Same, Series: []int{i}, Strength: 20, Points: []PointSet{{i, []int{q, p}}}}
			f.Axis, f.N, f.Of, f.Groups = "y", 5, 5, n
			f.A, f.B = place(a, s, q), place(a, s, p)
			f.Value = float64(p)
			found = append(found, f)
		}
	}
	if len(found) > n/2 {
		return nil
	}
	return found
}

func equalAt(columns [][]float64, p, q int) bool {
	for _, c := range columns {
		if p >= len(c) || q >= len(c) || c[p] != c[q] {
			return false
		}
	}
	return true
}

func ascending(columns [][]float64, p int) bool {
	for k := 1; k < len(columns); k++ {
		if !(columns[k][p] > columns[k-1][p]) {
			return false
		}
	}
	return true
}

// place returns the name of a box.
func place(a *facts.Axes, s *facts.Series, i int) string {
	at := s.Numbers("x")
	names := a.X.Names
	if len(names) == 0 {
		names = a.Y.Names
	}
	// Categories are at 0, 1, …; boxes of matplotlib at 1, 2, …
	if i < len(at) {
		first := slices.Min(at)
		if k := at[i] - first; (first == 0 || first == 1) && k == math.Trunc(k) && int(k) < len(names) {
			return names[int(k)]
		}
	}
	return number(i + 1)
}

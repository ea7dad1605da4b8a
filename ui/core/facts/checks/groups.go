package checks

import (
	"math"
	"slices"

	"easel/ui/core/facts"
)

// sameGroups finds two categories with the same values, which a strip plot has in one series or in one for each.
func sameGroups(a *facts.Axes) []Finding {
	along, across, axis := "x", "y", &a.X
	if a.X.Scale != facts.Category && a.X.Names == nil {
		along, across, axis = across, along, &a.Y
		if a.Y.Scale != facts.Category && a.Y.Names == nil {
			return nil
		}
	}
	type group struct {
		values []float64
		sets   map[int][]int
	}
	groups := map[float64]*group{}
	var places []float64
	for i := range a.Series {
		s := &a.Series[i]
		where, values := s.Numbers(along), s.Numbers(across)
		if s.Kind != facts.Points || len(where) != len(values) || len(where) > maxPoints || i == maxSeries {
			continue
		}
		for j := range where {
			if !finite(where[j]) || !finite(values[j]) {
				continue
			}
			at := math.Round(where[j])
			g := groups[at]
			if g == nil {
				g = &group{sets: map[int][]int{}}
				groups[at], places = g, append(places, at)
			}
			g.values, g.sets[i] = append(g.values, values[j]), append(g.sets[i], j)
		}
	}
	if len(places) > maxSeries {
		return nil
	}
	slices.Sort(places)
	for _, at := range places {
		slices.Sort(groups[at].values)
	}
	var found []Finding
	for i, q := range places {
		for _, p := range places[:i] {
			g, h := groups[p], groups[q]
			if n := len(g.values); n < 10 || !slices.Equal(g.values, h.values) || 3*len(tallies(g.values)) < n || straight(g.values) {
				continue
			}
			f := Finding{Check: Same, Strength: 2 * float64(len(g.values))}
			for s := range a.Series {
				if marks := slices.Concat(g.sets[s], h.sets[s]); len(marks) > 0 {
					f.Series, f.Points = append(f.Series, s), append(f.Points, PointSet{s, marks})
				}
			}
			f.Axis, f.N, f.Of, f.Value = across, len(g.values), len(g.values), q
			f.A, f.B = category(axis, p), category(axis, q)
			found = append(found, f)
		}
	}
	if len(found) > 3 || 2*len(found) > len(places) {
		return nil // each is drawn twice
	}
	return found
}

// category returns the name of a category, or its number from 1.
func category(a *facts.Axis, at float64) string {
	for i, name := range a.Names {
		if a.At == nil && at == float64(i) || i < len(a.At) && math.Abs(a.At[i]-at) < 0.5 {
			return name
		}
	}
	return number(int(at) + 1)
}

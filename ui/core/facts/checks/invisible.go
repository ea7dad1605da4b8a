package checks

import (
	"math"
	"slices"
	"strings"

	"easel/ui/core/facts"
)

// invisible finds what is drawn, but cannot be seen. The axis of such a finding is why.
func invisible(a *facts.Axes) []Finding {
	var found []Finding
	for _, u := range a.Unseen {
		f := Finding{Check: Invisible, Strength: certain}
		f.Axis, f.A, f.N = string(u.Why), u.Label, u.Count
		if f.A == "" {
			f.A = u.Kind
		}
		found = append(found, f)
	}
	for i := range a.Series {
		if i == maxSeries {
			break
		}
		s := &a.Series[i]
		if at := lone(s); len(at) > 0 {
			f := Finding{Check: Invisible, Series: []int{i}, Strength: certain, Points: []PointSet{{i, at}}}
			f.Axis, f.A, f.N, f.Of = "lone", name(a, i), len(at), s.Count
			found = append(found, f)
		}
		for j := i + 1; j < min(len(a.Series), maxSeries); j++ {
			if hides(&a.Series[j], s) {
				f := Finding{Check: Invisible, Series: []int{i}, Strength: certain}
				f.Axis, f.A, f.B, f.N = "covered", name(a, i), name(a, j), s.Count
				found = append(found, f)
				break
			}
		}
	}
	return found
}

// lone returns the points of a line without markers that have no neighbour: they leave no trace.
func lone(s *facts.Series) (at []int) {
	style, _, _ := strings.Cut(s.Style, "(")
	if s.Kind != facts.Line || s.Whole != nil || strings.Trim(style, "-.: ") != "" {
		return nil
	}
	xs, ys := s.Numbers("x"), s.Numbers("y")
	there := func(i int) bool {
		return i >= 0 && i < min(len(xs), len(ys)) && !math.IsNaN(xs[i]) && !math.IsNaN(ys[i])
	}
	for i := range ys {
		if there(i) && !there(i-1) && !there(i+1) {
			at = append(at, i)
		}
	}
	return at
}

// hides reports whether opaque bars that are drawn later cover each bar of other ones, so that of these nothing is left.
func hides(top, s *facts.Series) bool {
	opaque := top.Colour != "" && top.Alpha == 0 && top.Style == "" && s.Style == ""
	if s.Kind != facts.Bars && s.Kind != facts.BarsH || top.Kind != s.Kind || !opaque {
		return false
	}
	at, along := "x", "y"
	if s.Kind == facts.BarsH {
		at, along = along, at
	}
	ends, bases, over, under := s.Numbers(along), s.Numbers("base"), top.Numbers(along), top.Numbers("base")
	if len(ends) == 0 || len(over) != len(ends) || len(bases) != len(ends) || len(under) != len(ends) {
		return false
	}
	if !slices.Equal(s.Numbers(at), top.Numbers(at)) || !slices.Equal(s.Numbers("width"), top.Numbers("width")) || s.Whole != nil {
		return false
	}
	long := false
	for i := range ends {
		long = long || ends[i] != bases[i]
		if !(min(over[i], under[i]) <= min(ends[i], bases[i]) && max(over[i], under[i]) >= max(ends[i], bases[i])) {
			return false
		}
	}
	return long
}

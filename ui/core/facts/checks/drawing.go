package checks

import (
	"math"

	"easel/ui/core/facts"
)

// certain is the strength of findings of the drawing.
const certain = 50

// drawing runs the checks of the drawing that follow from facts.
func drawing(a *facts.Axes) []Finding {
	found := cutBars(a)
	found = append(found, logDrops(a)...)
	found = append(found, offAxis(a)...)
	return append(found, colours(a)...)
}

// cutBars finds bars whose base is beyond the end of the axis, so that their lengths do not compare.
func cutBars(a *facts.Axes) []Finding {
	for i := range a.Series {
		s := &a.Series[i]
		axis, on := &a.Y, "y"
		if s.Kind == facts.BarsH {
			axis, on = &a.X, "x"
		} else if s.Kind != facts.Bars && s.Kind != facts.Histogram {
			continue
		}
		if axis.Scale != facts.Linear || !finite(axis.From) || !finite(axis.To) {
			continue
		}
		ends, base := s.Numbers(on), s.Numbers("base")
		lo, hi := math.Min(axis.From, axis.To), math.Max(axis.From, axis.To)
		n := 0
		for k, end := range ends {
			b := 0.0
			if k < len(base) {
				b = base[k]
			}
			if slack := (hi - lo) * 1e-9; b == 0 && finite(end) && end != 0 && (b < lo-slack && end > 0 || b > hi+slack && end < 0) {
				n++
			}
		}
		if n == 0 || 2*n < len(ends) {
			continue
		}
		f := Finding{Check: CutBars, Series: []int{i}, Strength: certain}
		f.Axis, f.N, f.Of, f.Value, f.A = on, n, len(ends), lo, name(a, i)
		if lo < 0 {
			f.Value = hi
		}
		return []Finding{f}
	}
	return nil
}

// coordinates returns the columns that are along an axis.
func coordinates(s *facts.Series, axis string) [][]float64 {
	switch s.Kind {
	case facts.Line, facts.Points:
		return [][]float64{s.Numbers(axis)}
	case facts.Bars, facts.Histogram:
		if axis == "y" {
			return [][]float64{s.Numbers("y")}
		}
	case facts.BarsH:
		if axis == "x" {
			return [][]float64{s.Numbers("x")}
		}
	case facts.Area, facts.ErrorBars:
		if axis == "x" {
			return [][]float64{s.Numbers("x")}
		}
	default:
	}
	return nil
}

// logDrops finds values that are not above zero on a log axis.
func logDrops(a *facts.Axes) []Finding {
	var found []Finding
	for i := range a.Series {
		s := &a.Series[i]
		for _, axis := range []string{"x", "y"} {
			scale := a.Y.Scale
			if axis == "x" {
				scale = a.X.Scale
			}
			if scale != facts.Log {
				continue
			}
			for _, c := range coordinates(s, axis) {
				var at []int
				for k, v := range c {
					// A bar without height is not dropped: it has none.
					if v <= 0 && (v < 0 || s.Kind == facts.Line || s.Kind == facts.Points) {
						at = append(at, k)
					}
				}
				if len(at) > 0 {
					f := Finding{Check: LogDrops, Series: []int{i}, Strength: certain, Points: []PointSet{{i, at}}}
					f.Axis, f.N, f.Of, f.A = axis, len(at), len(c), name(a, i)
					found = append(found, f)
				}
			}
		}
	}
	return found
}

// offAxis finds points beyond the ends of the axes.
func offAxis(a *facts.Axes) []Finding {
	if !finite(a.X.From+a.X.To) && !finite(a.Y.From+a.Y.To) {
		return nil // an axis without known ends shows all of its values
	}
	var found []Finding
	for i := range a.Series {
		s := &a.Series[i]
		if s.Kind != facts.Line && s.Kind != facts.Points {
			continue
		}
		x, y := s.Numbers("x"), s.Numbers("y")
		var at []int
		f := Finding{Check: OffAxis, Series: []int{i}, Strength: certain}
		f.Low, f.High = math.Inf(1), math.Inf(-1)
		for k := range min(len(x), len(y)) {
			if !finite(x[k]) || !finite(y[k]) || unshown(&a.X, x[k]) || unshown(&a.Y, y[k]) { // LogDrops says the latter
				continue
			}
			if beyond(&a.X, x[k]) || beyond(&a.Y, y[k]) {
				at = append(at, k)
				f.Low, f.High = math.Min(f.Low, y[k]), math.Max(f.High, y[k])
			}
		}
		if f.N, f.Of = len(at), len(x); s.Spills {
			f.Groups = 1
		}
		if s.Whole != nil {
			f.Of = max(s.Count, f.Of)
			if a.X.Scale != facts.Log && a.Y.Scale != facts.Log {
				f.N = max(f.N, s.Whole.Outside)
			}
		}
		if len(at) == 0 && s.Whole != nil {
			f.Low, f.High = s.Whole.Min.Y, s.Whole.Max.Y
		}
		if f.N > 0 {
			f.Axis, f.A, f.Points = "both", name(a, i), []PointSet{{i, at}}
			found = append(found, f)
		}
	}
	return found
}

// unshown reports whether a log axis cannot show a value.
func unshown(a *facts.Axis, v float64) bool { return a.Scale == facts.Log && v <= 0 }

// beyond reports whether a value lies outside an axis by more than the errors of its computation.
func beyond(a *facts.Axis, v float64) bool {
	slack := 1e-9 * math.Abs(a.To-a.From)
	return v < math.Min(a.From, a.To)-slack || v > math.Max(a.From, a.To)+slack
}

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
	found = append(found, invisible(a)...)
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

// offAxis finds points beyond the ends of the axes. An axis without known ends shows all of its values.
func offAxis(a *facts.Axes) []Finding {
	var found []Finding
	for i := range a.Series {
		s := &a.Series[i]
		if s.Kind != facts.Line && s.Kind != facts.Points {
			continue
		}
		b := a.Beyond(s)
		f := Finding{Check: OffAxis, Series: []int{i}, Strength: certain}
		f.N, f.Of, f.Beyond = len(b.Points), len(s.Numbers("x")), b
		if s.Spills {
			f.Groups = 1
		}
		f.Low, f.High = math.Inf(1), math.Inf(-1)
		for _, k := range b.Points {
			f.Low, f.High = math.Min(f.Low, s.Numbers("y")[k]), math.Max(f.High, s.Numbers("y")[k])
		}
		if s.Whole != nil {
			f.Beyond = facts.Beyond{} // the sides of all points are not known
			f.Of = max(s.Count, f.Of)
			if a.X.Scale != facts.Log && a.Y.Scale != facts.Log {
				f.N = max(f.N, s.Whole.Outside)
			}
		}
		if len(b.Points) == 0 && s.Whole != nil {
			f.Low, f.High = s.Whole.Min.Y, s.Whole.Max.Y
		}
		if f.N > 0 {
			f.Axis, f.A, f.Points = "both", name(a, i), []PointSet{{i, b.Points}}
			found = append(found, f)
		}
	}
	return found
}

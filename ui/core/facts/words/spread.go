package words

import (
	"math"

	"easel/ui/core/facts"
)

// A Spread is how far the values of a series reach. A value is NaN if there is none.
type Spread struct {
	Low, High    float64
	NaN, Outside int
	Horizontal   bool // the values lie along x
}

// Measure returns the spread of a series of an axes.
func Measure(a *facts.Axes, s *facts.Series) Spread {
	_, _, horizontal := along(s)
	r := measured(a, s)
	return Spread{Low: r.low.v, High: r.high.v, NaN: r.nan, Outside: r.outside, Horizontal: horizontal}
}

// An end is the lowest, highest or last value of a series, and where it is. Both are NaN if there is none.
type end struct{ at, v float64 }

var nowhere = end{math.NaN(), math.NaN()}

// A spread is what the values of a series come to.
type spread struct {
	low, high, last end
	nan, outside    int
}

// add takes a value into the spread.
func (r *spread) add(at, v float64) {
	if !(v >= r.low.v) && !math.IsNaN(v) {
		r.low = end{at, v}
	}
	if !(v <= r.high.v) && !math.IsNaN(v) {
		r.high = end{at, v}
	}
}

// along returns the columns of the places and of the values of a series.
func along(s *facts.Series) (at, values []float64, horizontal bool) {
	switch s.Kind {
	case facts.BarsH:
		return s.Numbers("y"), s.Numbers("x"), true
	case facts.Area, facts.ErrorBars:
		if at := s.Numbers("x"); at != nil {
			return at, s.Numbers("high"), false
		}
		return s.Numbers("y"), s.Numbers("high"), true
	case facts.Box:
		if at := s.Numbers("x"); at != nil {
			return at, s.Numbers("median"), false
		}
		return s.Numbers("y"), s.Numbers("median"), true
	case facts.Image, facts.Mesh, facts.Pie:
		return nil, s.Numbers("value"), false
	default:
	}
	return s.Numbers("x"), s.Numbers("y"), false
}

// measured returns the spread of a series between axes.
func measured(a *facts.Axes, s *facts.Series) spread {
	r := spread{low: nowhere, high: nowhere, last: nowhere}
	places, values, horizontal := along(s)
	across, up := a.X, a.Y
	if horizontal {
		across, up = a.Y, a.X
	}
	if places == nil {
		up = facts.Axis{From: math.NaN(), To: math.NaN()}
	}
	outside, dropped := 0, false
	for i, v := range values {
		at := float64(i)
		if places != nil {
			at = valueAt(places, i)
		}
		if math.IsNaN(v) || math.IsNaN(at) {
			r.nan++
			continue
		}
		if unshown(across, at) || unshown(up, v) { // a finding of its own
			dropped = true
		} else if across.Outside(at) || up.Outside(v) {
			outside++
		}
		r.add(at, v)
		r.last = end{at, v}
	}
	for i, v := range s.Numbers("low") {
		r.add(valueAt(places, i), v)
	}
	r.outside = outside
	if w := s.Whole; w != nil {
		r.whole(w, horizontal)
	}
	if dropped { // which the figures of the whole count, too
		r.outside = outside
	}
	if s.Kind != facts.Line && s.Kind != facts.Points && s.Kind != facts.ErrorBars {
		r.outside = 0 // bars and areas reach into the axes
	}
	if s.Kind == facts.Image || s.Kind == facts.Mesh || s.Kind == facts.Rules {
		r.nan = 0
	}
	return r
}

func valueAt(list []float64, i int) float64 {
	if i < len(list) {
		return list[i]
	}
	return math.NaN()
}

// unshown reports whether a log axis cannot show a value.
func unshown(a facts.Axis, v float64) bool { return a.Scale == facts.Log && v <= 0 }

// whole takes the figures of all values instead of those of the sample.
func (r *spread) whole(w *facts.Whole, horizontal bool) {
	r.nan, r.outside = w.NaN, w.Outside
	for _, part := range []struct {
		of  facts.Point
		end *end
	}{{w.Min, &r.low}, {w.Max, &r.high}, {w.Last, &r.last}} {
		e := end{part.of.X, part.of.Y}
		if horizontal {
			e = end{e.v, e.at}
		}
		if !math.IsNaN(e.v) {
			*part.end = e
		}
	}
}

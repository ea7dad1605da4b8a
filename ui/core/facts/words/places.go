package words

import (
	"math"

	"easel/ui/core/facts"
)

// named returns what the places of a series are called on an axis; nil if not each of them has a name. Bars and boxes of
// several series stand beside the place of their name. each is whether every place must have a name of its own.
func named(a facts.Axis, places []float64, each bool) map[float64]string {
	if len(a.Names) == 0 || len(places) == 0 || len(places) > 4096 {
		return nil
	}
	at := a.At
	if at == nil {
		at = make([]float64, len(a.Names))
		for i := range at {
			at[i] = float64(i)
		}
	}
	if len(at) != len(a.Names) {
		return nil
	}
	gap := math.Inf(1) // between two names
	for i := 1; i < len(at); i++ {
		gap = min(gap, math.Abs(at[i]-at[i-1]))
	}
	if found := shifted(a.Names, at, places, gap); found != nil {
		return found
	}
	if math.IsInf(gap, 1) {
		gap = 1
	}
	found, taken := make(map[float64]string, len(places)), make(map[int]bool)
	for _, p := range places {
		i := nearest(at, p)
		if math.Abs(at[i]-p) >= gap/2 || each && taken[i] {
			return nil
		}
		found[p], taken[i] = a.Names[i], true
	}
	return found
}

// shifted names places that lie beside those of the names, all at the same distance.
func shifted(names []string, at, places []float64, gap float64) map[float64]string {
	if len(places) != len(names) {
		return nil
	}
	by := places[0] - at[0]
	if math.Abs(by) >= gap {
		return nil
	}
	found := make(map[float64]string, len(places))
	for i, p := range places {
		if math.Abs(p-at[i]-by) > 1e-6*gap {
			return nil
		}
		found[p] = names[i]
	}
	return found
}

func nearest(at []float64, p float64) (best int) {
	for i, v := range at {
		if math.Abs(v-p) < math.Abs(at[best]-p) {
			best = i
		}
	}
	return best
}

// axes returns the axis of the places of a series and that of its values, the first one with names for the places.
func (v view) axes(s *facts.Series) (over, up axis) {
	places, _, horizontal := along(s)
	over, up = axis{Axis: v.X}, axis{Axis: v.Y}
	if horizontal {
		over, up = up, over
	}
	switch s.Kind {
	case facts.Bars, facts.BarsH, facts.Box:
		over.named = named(over.Axis, places, true)
	case facts.Points, facts.Line, facts.ErrorBars:
		if over.Scale == facts.Category || v.boxed {
			over.named = named(over.Axis, places, false)
		}
	default:
	}
	return over, up
}

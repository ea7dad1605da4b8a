package words

import (
	"fmt"
	"math"
	"slices"

	"easel/ui/core/facts"
)

// errorBars describes error bars by their lengths if they belong to points, and by their ends otherwise.
func (v view) errorBars(s *facts.Series) string {
	over, up := v.axes(s)
	name := "error bars"
	if s.Label != "" {
		name = label(s.Label) + " error bars"
	}
	for i := range v.Series {
		half, ok := halves(s, &v.Series[i])
		switch {
		case !ok:
			continue
		case half.low.v == half.high.v:
			return name + " ±" + up.say(half.low.v)
		case v.terse > 2:
			return fmt.Sprintf("%s ±%s to ±%s", name, number(half.low.v, half.high.v), number(half.high.v, half.high.v))
		}
		return fmt.Sprintf("%s ±%s (%s) to ±%s (%s)", name, number(half.low.v, half.high.v), over.say(half.low.at),
			number(half.high.v, half.high.v), over.say(half.high.at))
	}
	return fmt.Sprintf("%s %d, %s", name, s.Count, v.span(measured(v.Axes, s), over, up))
}

// halves returns how far error bars reach to both sides of the values of another series; ok is false if they do not.
func halves(bars, of *facts.Series) (half spread, ok bool) {
	places, highs, horizontal := along(bars)
	lows := bars.Numbers("low")
	at, values := of.Numbers("x"), of.Numbers("y")
	if horizontal {
		at, values = values, at
	}
	if of.Kind == facts.ErrorBars || !slices.Equal(at, places) || len(values) != len(lows) || len(values) != len(highs) || len(values) == 0 {
		return half, false
	}
	half = spread{low: nowhere, high: nowhere}
	for k, v := range values {
		long := highs[k] - lows[k]
		if !(math.Abs((lows[k]+highs[k])/2-v) <= 1e-6*long) {
			return half, false
		}
		half.add(places[k], long/2)
	}
	return half, true
}

package words

import "easel/ui/core/facts"

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
	return Spread{Low: r.low, High: r.high, NaN: r.nan, Outside: r.outside, Horizontal: horizontal}
}

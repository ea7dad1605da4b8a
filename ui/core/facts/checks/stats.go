package checks

import (
	"cmp"
	"math"
	"slices"
)

// never is the decimal logarithm of the probability, over all places that a check looks at, below which
// a count is reported: one in a million. Smooth data then alarms in one of 50,000 plots with twenty checks.
// Real data is not as smooth as the models, and needs the margin.
const never = -6

// poisson returns the decimal logarithm of an upper bound of P(X ≥ k) for a mean.
func poisson(k int, mean float64) float64 {
	n := float64(k)
	if n <= mean+1 || mean <= 0 {
		return 0
	}
	lg, _ := math.Lgamma(n + 1)
	log := n*math.Log(mean) - mean - lg - math.Log1p(-mean/(n+1))
	return math.Min(0, log/math.Ln10)
}

// poissonLow returns the decimal logarithm of an upper bound of P(X ≤ k) for a mean.
func poissonLow(k int, mean float64) float64 {
	n := float64(k)
	if n >= mean {
		return 0
	}
	lg, _ := math.Lgamma(n + 1)
	log := n*math.Log(mean) - mean - lg - math.Log1p(-n/mean)
	return math.Min(0, log/math.Ln10)
}

// binomial returns the decimal logarithm of an upper bound of P(X ≥ k) of n trials with probability p.
func binomial(k, n int, p float64) float64 {
	kf, nf := float64(k), float64(n)
	if kf <= nf*p || n == 0 || p <= 0 {
		return 0
	}
	if p >= 1 {
		return 0
	}
	a, _ := math.Lgamma(nf + 1)
	b, _ := math.Lgamma(kf + 1)
	c, _ := math.Lgamma(nf - kf + 1)
	ratio := (nf - kf) * p / ((kf + 1) * (1 - p))
	log := a - b - c + kf*math.Log(p) + (nf-kf)*math.Log1p(-p)
	if ratio < 1 {
		log -= math.Log1p(-ratio)
	}
	return math.Min(0, log/math.Ln10)
}

// quantile returns a quantile of sorted values.
func quantile(sorted []float64, q float64) float64 {
	if len(sorted) == 0 {
		return math.NaN()
	}
	return sorted[min(int(q*float64(len(sorted))), len(sorted)-1)]
}

// inOrder returns the places of values, in the order of the values and then of the places.
func inOrder(values []float64) []int {
	type entry struct {
		value float64
		place int
	}
	es := make([]entry, len(values))
	for i, f := range values {
		es[i] = entry{f, i}
	}
	slices.SortFunc(es, func(a, b entry) int {
		switch {
		case a.value < b.value:
			return -1
		case a.value > b.value:
			return 1
		case a.value == b.value:
			return a.place - b.place
		}
		return cmp.Or(cmp.Compare(a.value, b.value), a.place-b.place) // one of them is NaN
	})
	at := make([]int, len(es))
	for i, e := range es {
		at[i] = e.place
	}
	return at
}

// inSize returns the values sorted.
func inSize(values []float64) []float64 {
	s := slices.Clone(values)
	slices.Sort(s)
	return s
}

// median returns the median, as quantile does.
func median(v []float64) float64 {
	if len(v) == 0 {
		return math.NaN()
	}
	return nth(slices.Clone(v), len(v)/2)
}

// nth returns the value that would be at a place if the values were sorted. It moves smaller ones before the place, and larger ones
// behind it. NaN is not allowed.
func nth(v []float64, place int) float64 {
	for lo, hi := 0, len(v)-1; lo < hi; {
		pivot := v[(lo+hi)/2]
		i, j := lo, hi
		for i <= j {
			for v[i] < pivot {
				i++
			}
			for v[j] > pivot {
				j--
			}
			if i <= j {
				v[i], v[j] = v[j], v[i]
				i++
				j--
			}
		}
		switch {
		case place <= j:
			hi = j
		case place >= i:
			lo = i
		default:
			lo = hi
		}
	}
	return v[place]
}

// step returns the largest distance of which all differences of the values are multiples, if it is a decimal
// fraction with few digits, and the power of ten at which the values are whole. It is 0, 0 if they have no such step.
func step(sorted []float64) (size, decimal float64) {
	if len(sorted) == 0 {
		return 0, 0
	}
	for k := -3; k <= 9; k++ {
		unit := math.Pow10(-k)
		if whole(sorted, unit) {
			return common(sorted, unit) * unit, unit
		}
	}
	return 0, 0
}

// whole reports whether all values are multiples of a unit, within the precision of float32.
func whole(sorted []float64, unit float64) bool {
	for _, v := range sorted {
		u := v / unit
		slack := 1e-9 + 1e-7*math.Abs(u)
		if slack > 0.02 || math.Abs(u-math.Round(u)) > slack {
			return false
		}
	}
	return true
}

// common returns the greatest common divisor of the differences of values in units.
func common(sorted []float64, unit float64) float64 {
	var g int64
	last := math.Round(sorted[0] / unit)
	for _, v := range sorted[1:] {
		u := math.Round(v / unit)
		if d := u - last; d > 0 && d < 1e15 {
			g = divisor(g, int64(d))
		}
		if last = u; g == 1 {
			break
		}
	}
	return math.Max(1, float64(g))
}

func divisor(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// A tally is how often a value occurs.
type tally struct {
	value float64
	count int
}

// tallies counts sorted values.
func tallies(sorted []float64) []tally {
	var ts []tally
	for _, v := range sorted {
		if n := len(ts); n > 0 && ts[n-1].value == v {
			ts[n-1].count++
		} else {
			ts = append(ts, tally{v, 1})
		}
	}
	return ts
}

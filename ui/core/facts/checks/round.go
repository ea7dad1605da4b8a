package checks

import "math"

// bases are the multiples of the last decimal place at which values may heap.
var bases = []int64{100, 50, 20, 10, 5}

// round finds heaps at round numbers: of the values near a multiple, far more are exactly the multiple than one of the
// values beside it. If the values are smooth, each of the places beside a multiple is as frequent as the
// multiple, so the count is binomial.
func round(v *view) []Finding {
	var found []Finding
	for _, axis := range []string{"y", "x"} {
		values, sorted, ts, _, unit := v.values(axis)
		if unit == 0 || v.category(axis) || len(values) < 40 || len(ts) < 20 {
			continue
		}
		best, log := int64(0), float64(never)
		for _, base := range bases {
			if (sorted[len(sorted)-1]-sorted[0])/unit < 4*float64(base) {
				continue
			}
			if l := heap(ts, unit, base, len(values)); l < log {
				best, log = base, l
			}
		}
		if best == 0 {
			continue
		}
		f := v.finding(Round, v.where(func(i int) bool { return residue(values[i], unit, best) == 0 }), log)
		f.Axis, f.Value = axis, float64(best)*unit
		f.Next = f.Of / int(best)
		found = append(found, f)
	}
	return found
}

func residue(value, unit float64, base int64) int64 {
	r := int64(math.Round(value/unit)) % base
	if r < 0 {
		r += base
	}
	return r
}

// heap returns the logarithm of the probability of so many values at multiples; 0 if few of all values are in the heap.
func heap(ts []tally, unit float64, base int64, n int) float64 {
	reach := min(4, base/2)
	on, beside, heaps, used := 0, 0, 0, 0
	most := 0
	for _, t := range ts {
		r := residue(t.value, unit, base)
		switch {
		case r == 0:
			on, heaps, most = on+t.count, heaps+1, max(most, t.count)
			if t.count > 1 {
				used++
			}
		case r <= reach || base-r <= reach:
			beside += t.count
		}
	}
	places := 2 * float64(reach)
	excess := float64(on) - float64(beside)/places
	// One value that repeats is not a heap; neither are values which all are multiples.
	if excess < 0.12*float64(n) || heaps < 4 || used < 3 || 2*most > on || beside < n/10 {
		return 0
	}
	// The higher share allows for values that lie unevenly beside the multiples.
	return binomial(on, on+beside, math.Min(0.5, 1.25/(places+1))) + math.Log10(float64(2*len(bases)))
}

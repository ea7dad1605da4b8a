package checks

import (
	"math"
	"slices"
)

// A weight is a value that occurs more often than those near it.
type weight struct {
	tally
	place int     // in the tallies
	log   float64 // decimal logarithm of the probability, over all values
}

// around returns the mean and the standard deviation of the counts of the 24 values nearest to one, without those that skip has
// and without the four highest, which may be heavy, too.
func around(ts []tally, i int, skip func(i int) bool) (mean, sd float64) {
	const each, highest = 12, 4
	var counts []float64
	for _, d := range []int{-1, 1} {
		seen := 0
		for j := i + d; j >= 0 && j < len(ts) && seen < each; j += d {
			if skip != nil && skip(j) {
				continue
			}
			counts = append(counts, float64(ts[j].count))
			seen++
		}
	}
	if len(counts) < 6 {
		return math.Inf(1), 0
	}
	slices.Sort(counts)
	counts = counts[:len(counts)-min(highest, len(counts)/4)]
	var sum, squares float64
	for _, c := range counts {
		sum, squares = sum+c, squares+c*c
	}
	n := float64(len(counts))
	mean = sum / n
	return mean, math.Sqrt(max(0, squares/n-mean*mean))
}

// rare is the limit for values that repeat: one in 10,000 by a mean that is too high on purpose.
const rare = -4

// weights returns the values that occur improbably often beside those near them: Poisson for the second and further times, with
// their mean at the nearest values and one standard deviation, because counts of real data scatter more than Poisson's.
func weights(ts []tally) []weight {
	var heavy []weight
	for i, t := range ts {
		if t.count < 4 {
			continue
		}
		mean, sd := around(ts, i, nil)
		log := poisson(t.count-1, math.Max(mean-1+sd, 0.2)) + math.Log10(float64(len(ts)))
		if log < rare {
			heavy = append(heavy, weight{t, i, log})
		}
	}
	return heavy
}

// continuous reports whether most values are different, as those of a measurement are. Counts, ratings and
// categories repeat by nature.
func continuous(ts []tally, heavy []weight, n int) bool {
	all := n
	for _, h := range heavy {
		n -= h.count
	}
	if 10*n < 4*all {
		return false
	}
	rest := len(ts) - len(heavy)
	return n >= fewPoints && rest >= 15 && float64(rest) >= 0.2*float64(n)
}

// heavy finds single values that repeat (a default, a stuck sensor), and several among values that are otherwise different.
func heavy(v *view) []Finding {
	var found []Finding
	for _, axis := range []string{"y", "x"} {
		if v.category(axis) || v.line && axis == "x" {
			continue
		}
		_, _, ts, _, _ := v.values(axis)
		ws := weights(ts)
		if v.line {
			ws = slices.DeleteFunc(ws, func(w weight) bool { return !v.scattered(w) })
		}
		if len(ws) == 0 || !continuous(ts, ws, len(v.x)) || rounds(v, axis, ws) {
			continue
		}
		next := 0
		for i, t := range ts {
			if !slices.ContainsFunc(ws, func(w weight) bool { return w.place == i }) {
				next = max(next, t.count)
			}
		}
		ws = slices.DeleteFunc(ws, func(w weight) bool {
			return atEnd(ts, w) || !apart(ts, w) && w.count < 3*next && (w.count < 2*next || w.log > never)
		})
		if f, ok := v.repeated(axis, ws, next); ok {
			found = append(found, f)
		}
	}
	return found
}

// scattered reports whether a value occurs in many places of a line. Neighbours with one value are a constant run, or what a
// slow curve has at its turn.
func (v *view) scattered(w weight) bool {
	runs, on := 0, false
	for _, i := range v.byX {
		is := v.y[i] == w.value
		if is && !on {
			runs++
		}
		on = is
	}
	return 10*runs >= 7*w.count
}

// rounds reports whether all heavy values are round ones, which the check of round numbers describes better.
func rounds(v *view, axis string, ws []weight) bool {
	_, _, _, _, unit := v.values(axis)
	return len(ws) > 2 && unit > 0 && !slices.ContainsFunc(ws, func(w weight) bool {
		return math.Mod(math.Round(w.value/unit), 5) != 0
	})
}

// atEnd reports whether a value is the smallest or largest and has others near it: a wall.
func atEnd(ts []tally, w weight) bool {
	last := len(ts) - 1
	span := ts[last].value - ts[0].value
	return w.place == 0 && ts[1].value-ts[0].value < span/5 || w.place == last && ts[last].value-ts[last-1].value < span/5
}

// apart reports whether a value is far from all others, as -99 among temperatures is.
func apart(ts []tally, w weight) bool {
	last := len(ts) - 1
	span := ts[last].value - ts[0].value
	return w.place == 0 && ts[1].value-ts[0].value >= span/5 || w.place == last && ts[last].value-ts[last-1].value >= span/5
}

func (v *view) repeated(axis string, ws []weight, next int) (Finding, bool) {
	values, _, ts, _, _ := v.values(axis)
	if len(ws) == 0 {
		return Finding{}, false
	}
	top, log := ws[0], 0.0
	of := map[float64]bool{}
	for _, w := range ws {
		of[w.value] = true
		if log += w.log; w.log < top.log {
			top = w
		}
	}
	check := Repeats
	if len(ws) >= 3 {
		// Doses, years and other chosen values repeat, too, but then all of them do.
		if mean, _ := around(ts, top.place, func(j int) bool { return of[ts[j].value] }); mean > 1.5 || len(ws) > 12 {
			return Finding{}, false
		}
		check = Strings
	}
	f := v.finding(check, v.where(func(i int) bool { return of[values[i]] && (check == Strings || values[i] == top.value) }), log)
	f.Axis, f.Value, f.Next, f.Groups = axis, top.value, max(next, 1), len(ws)
	return f, true
}

// walls finds values that pile up exactly at the largest or smallest one.
func walls(v *view) []Finding {
	var found []Finding
	for _, axis := range []string{"y", "x"} {
		if v.category(axis) || v.line && (axis == "x" || v.turns() < 0.25) {
			continue
		}
		values, _, ts, _, _ := v.values(axis)
		ws := weights(ts)
		if !continuous(ts, ws, len(v.x)) {
			continue
		}
		for _, w := range ws {
			if !atEnd(ts, w) || v.natural(axis, w, ts) {
				continue
			}
			f := v.finding(Wall, v.where(func(i int) bool { return values[i] == w.value }), w.log)
			f.Axis, f.Value = axis, w.value
			for i, t := range ts {
				if i != w.place {
					f.Next = max(f.Next, t.count)
				}
			}
			if w.count < 3*f.Next {
				continue
			}
			found = append(found, f)
		}
	}
	return found
}

// natural reports whether values may well end there: at zero, or at 1, 10 or 100 of a scale that begins at zero. There is a
// wall even so if the values fall towards it along the other axis, so that it cuts them off: it is then in
// one half of the other values much more often than in the other, and those of that half are nearer to it.
func (v *view) natural(axis string, w weight, ts []tally) bool {
	limit := w.value == 0 || w.place > 0 && ts[0].value >= 0 && (w.value == 1 || w.value == 10 || w.value == 100)
	if !limit {
		return false
	}
	values, _, _, _, _ := v.values(axis)
	order := v.byX
	if axis == "x" {
		order = inOrder(v.y)
	}
	var on [2]int
	var off [2][]float64
	for k, i := range order {
		half := 2 * k / len(order)
		if values[i] == w.value {
			on[half]++
		} else {
			off[half] = append(off[half], math.Abs(values[i]-w.value))
		}
	}
	most := 0
	if on[1] > on[0] {
		most = 1
	}
	if len(off[0]) < 5 || len(off[1]) < 5 || binomial(on[most], w.count, 0.5) > -3 {
		return true
	}
	return median(off[most]) > 0.6*median(off[1-most])
}

func compare(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

package checks

import (
	"math"
	"slices"

	"easel/ui/core/facts"
)

// thresholds finds a pile on one side of a round number and a hole on the other, as an approval limit leaves them. What is
// expected on each side is between the counts of the two strips beyond.
func thresholds(v *view) []Finding {
	var found []Finding
	for _, axis := range []string{"y", "x"} {
		values, sorted, ts, size, _ := v.values(axis)
		n := len(values)
		if n < 60 || len(ts) < 30 || v.category(axis) {
			continue
		}
		span := quantile(sorted, 0.95) - quantile(sorted, 0.05)
		best, at, wide, log := 0, 0.0, 0.0, float64(never)
		for _, width := range []float64{0.02, 0.04, 0.08} {
			w := width * span
			if size > 0 {
				w = math.Ceil(w/size) * size // a strip holds as many steps as the next
				if w < 3*size {
					continue
				}
			}
			for _, limit := range limits(sorted) {
				pile, l := cliff(sorted, limit, w, size)
				if l < log {
					best, at, wide, log = pile, limit, w, l
				}
			}
		}
		if best == 0 || rough(sorted, at, wide, size) || single(ts, best, at, wide) {
			continue
		}
		lo, hi := at-wide, at
		other := count(sorted, at+size/2, at+wide+size/2)
		marks := v.where(func(i int) bool { return values[i] >= lo-size/2 && values[i] <= hi+size/2 })
		if best < 0 {
			lo, hi = at, at+wide
			other = count(sorted, at-wide-size/2, at-size/2)
			marks = v.where(func(i int) bool { return values[i] >= lo-size/2 && values[i] <= hi+size/2 })
		}
		f := v.finding(Threshold, marks, log)
		f.Axis, f.Value, f.Low, f.High, f.Next = axis, at, lo, hi, other
		f.Groups = best
		found = append(found, f)
	}
	return found
}

// limits returns the round numbers among sorted values at which thresholds are set.
func limits(sorted []float64) []float64 {
	lo, hi := quantile(sorted, 0.03), quantile(sorted, 0.97)
	if !(hi > lo) {
		return nil
	}
	unit := math.Pow10(int(math.Floor(math.Log10((hi - lo) / 4))))
	var at []float64
	s := unit / 2
	for k := math.Ceil(lo / s); k*s <= hi && len(at) < 200; k++ {
		at = append(at, k*s)
	}
	return at
}

// count returns how many sorted values are in [from, to).
func count(sorted []float64, from, to float64) int {
	return below(sorted, to) - below(sorted, from)
}

func below(sorted []float64, v float64) int {
	lo, hi := 0, len(sorted)
	for lo < hi {
		if m := (lo + hi) / 2; sorted[m] < v {
			lo = m + 1
		} else {
			hi = m
		}
	}
	return lo
}

// cliff tests one limit. The sign of pile says on which side it is: below or above.
func cliff(sorted []float64, limit, w, size float64) (pile int, log float64) {
	for _, shift := range []float64{0, size} { // whether the limit itself belongs to the upper side or to the lower one
		// Strips -4 … 3 from the limit, half a step away from values.
		c := [8]int{}
		from := limit - 4*w - size/2 + shift
		last := below(sorted, from)
		for k := range c {
			next := last + below(sorted[last:], from+float64(k+1)*w)
			c[k], last = next-last, next
		}
		for _, side := range []float64{-1, 1} {
			if side > 0 {
				slices.Reverse(c[:])
			}
			if l := jump(c[1], c[2], c[3], c[4], c[5], c[6]); l < log {
				pile, log = int(-side), l
			}
			if l := fall(c[:], 3, 1) + 3; 3*(c[4]+c[5]+c[6]) < c[0]+c[1]+c[2] && l < log && tailed(sorted, limit, side) {
				pile, log = int(-side), l
			}
		}
		if size == 0 {
			break
		}
	}
	return pile, log + math.Log10(200)
}

// tailed reports whether there is much on a side of a limit: a quarter of the values, or the longer tail. The other tail of a
// skewed distribution begins steeply by nature.
func tailed(sorted []float64, limit, side float64) bool {
	n := len(sorted)
	beyond := n - below(sorted, limit)
	middle := quantile(sorted, 0.5)
	longer := quantile(sorted, 0.95)-middle > middle-quantile(sorted, 0.05)
	if side > 0 { // strips are reversed
		beyond = n - beyond
		longer = !longer
	}
	return 4*beyond > n || longer
}

// jump returns the logarithm of the probability of a pile beside a hole, between two strips on each side.
func jump(farther, far, pile, hole, beyond, last int) float64 {
	left, right := float64(far+farther)/2, float64(beyond+last)/2
	if pile < 8 || hole*4 > pile || right < 2 {
		return 0
	}
	// The pile is above both sides, and the hole below both.
	high := math.Max(left, math.Max(right, float64(far))) + 1
	low := math.Min(float64(beyond), math.Min(left, right))
	up := poisson(pile, high+math.Sqrt(high)/2)
	down := poissonLow(hole, low)
	if up > -1.5 || down > -1 {
		return 0
	}
	return up + down + 2*math.Log10(1+math.Abs(up+down)/2)/2
}

// single reports whether one value makes up much of a pile: it repeats.
func single(ts []tally, pile int, at, wide float64) bool {
	sum, most := 0, 0
	for _, t := range ts {
		if pile > 0 && t.value >= at-wide && t.value <= at || pile < 0 && t.value >= at && t.value <= at+wide {
			sum, most = sum+t.count, max(most, t.count)
		}
	}
	return 4*most > sum && most > 3
}

// rough reports whether counts in strips go up and down also elsewhere, as those of places or prices do.
func rough(sorted []float64, at, wide, size float64) bool {
	lo, hi := quantile(sorted, 0.02), quantile(sorted, 0.98)
	from := at - math.Floor((at-lo)/wide)*wide - size/2
	var c []int
	for ; from < hi && len(c) < 100; from += wide {
		c = append(c, count(sorted, from, from+wide))
	}
	return jagged(c) > 2
}

// jagged returns how often counts change more than chance does: by a factor of two, and by three deviations.
func jagged(c []int) (n int) {
	for k := 1; k+1 < len(c); k++ {
		side := float64(c[k-1]+c[k+1]) / 2
		here := float64(c[k])
		if d := math.Abs(here - side); d > 3*math.Sqrt(side+1) && (here > 2*side || 2*here < min(float64(c[k-1]), float64(c[k+1]))) {
			n++
		}
	}
	return n
}

// histogram runs the checks of a histogram's bins.
func histogram(a *facts.Axes, i int) []Finding {
	s := &a.Series[i]
	x, w, y := s.Numbers("x"), s.Numbers("width"), s.Numbers("y")
	if len(y) < 8 || len(x) != len(y) || len(w) != len(y) || len(y) > maxPoints {
		return nil
	}
	c, ok := counted(y)
	if !ok {
		return nil
	}
	var found []Finding
	if f, ok := binJump(a, i, c, x, w); ok {
		found = append(found, f)
	}
	if f, ok := spike(a, i, c, x, w); ok {
		found = append(found, f)
	}
	return found
}

// counted returns the counts of bins; heights that are a density are counts times a constant.
func counted(y []float64) ([]int, bool) {
	least := math.Inf(1)
	for _, h := range y {
		if !finite(h) || h < 0 {
			return nil, false
		}
		if h > 0 {
			least = math.Min(least, h)
		}
	}
	for k := 1; k <= 6; k++ {
		unit := least / float64(k)
		if least >= 1 && least == math.Round(least) {
			unit = 1
		}
		c, ok := make([]int, len(y)), true
		for i, h := range y {
			n := h / unit
			ok = ok && n < 1e9 && math.Abs(n-math.Round(n)) < 1e-6*math.Max(1, n)
			c[i] = int(math.Round(math.Min(n, 1e9)))
		}
		if ok {
			return c, true
		}
	}
	return nil, false
}

// binJump finds a bin far higher than those before it and next to one far lower than those after it.
func binJump(a *facts.Axes, i int, c []int, x, w []float64) (Finding, bool) {
	n := len(c)
	at, side, log := 0, 0, float64(never)
	for k := 2; k+3 < n; k++ {
		if l := jump(c[k-2], c[k-1], c[k], c[k+1], c[k+2], c[k+3]) + math.Log10(float64(2*n)); l < log {
			at, side, log = k, 1, l
		}
		m := n - 1 - k
		if l := jump(c[m+2], c[m+1], c[m], c[m-1], c[m-2], c[m-3]) + math.Log10(float64(2*n)); l < log {
			at, side, log = m, -1, l
		}
	}
	if side == 0 {
		at, side, log = steepest(c)
	}
	if side == 0 {
		return Finding{}, false
	}
	if jagged(c) > 2 {
		return Finding{}, false
	}
	f := Finding{Check: Threshold, Series: []int{i}, Strength: -log, Points: []PointSet{{i, []int{at, at + side}}}}
	f.Axis, f.N, f.Next, f.Of, f.Groups = "x", c[at], c[at+side], total(c), side
	f.Low, f.High = x[at], x[at]+w[at]
	f.Value = f.High
	if side < 0 {
		f.Value = f.Low
	}
	f.A = name(a, i)
	return f, true
}

// fall returns the logarithm of the probability that a bin is so far above the three before it, and the three after it so far below
// half of these: bins too wide to show the hole, or a hole wider than them. The first bin after it may contain the limit.
func fall(c []int, k, side int) (log float64) {
	var before, most int
	for j := 1; j <= 3; j++ {
		before, most = before+c[k-side*j], max(most, c[k-side*j])
	}
	mean := float64(before) / 3
	if mean < 4 || 10*c[k] < 14*most || 10*c[k] < 15*c[k+side] {
		return 0
	}
	up := poisson(c[k], mean+0.5*math.Sqrt(mean))
	for between := range 2 {
		after, last := 0, k+side*(3+between)
		if last < 0 || last >= len(c) {
			continue
		}
		for j := 1; j <= 3; j++ {
			after += c[k+side*(j+between)]
		}
		if down := poissonLow(after, float64(before)/2); up < -2 && down < -1.3 && after > 3 {
			log = math.Min(log, up+down)
		}
	}
	return log
}

// steepest finds the bin with the least probable fall after it.
func steepest(c []int) (at, side int, log float64) {
	log = -3
	for k := 3; k+3 < len(c); k++ {
		for _, s := range []int{1, -1} {
			if l := fall(c, k, s) + math.Log10(float64(2*len(c))); l < log && binsTailed(c, k, s) {
				at, side, log = k, s, l
			}
		}
	}
	return at, side, log
}

// binsTailed is tailed for the bins beyond one.
func binsTailed(c []int, k, side int) bool {
	all := total(c)
	before := total(c[:k])
	after := all - before - c[k]
	sum, middle := 0, 0
	for sum < all/2 {
		sum += c[middle]
		middle++
	}
	if side < 0 {
		before, after = after, before
		middle = len(c) - middle
	}
	return 4*after > all || 2*middle < len(c) && before > 0
}

func total(c []int) (sum int) {
	for _, n := range c {
		sum += n
	}
	return sum
}

// spike finds a bin far higher than the three on each side. Whole numbers in narrow bins make combs, in which one of the
// three is as high.
func spike(a *facts.Axes, i int, c []int, x, w []float64) (Finding, bool) {
	at, high, log := -1, 0, float64(never)-2
	// Where several bins stick out, values are whole numbers of which some bins hold two.
	times := 2
	if peaks(c) > 1 {
		times = 3
	}
	for k := range c {
		most, seen := 0, 0
		for j := max(0, k-3); j <= min(len(c)-1, k+3); j++ {
			if j != k {
				most, seen = max(most, c[j]), seen+1
			}
		}
		if c[k] < 10 || c[k] < times*most || most < 3 || k == 0 || k == len(c)-1 && most*5 > c[k] {
			continue
		}
		if l := poisson(c[k], float64(most)+2*math.Sqrt(float64(most))) + math.Log10(float64(len(c))); l < log {
			at, high, log = k, most, l
		}
	}
	if at < 0 || jagged(c) > 3 {
		return Finding{}, false
	}
	f := Finding{Check: Spike, Series: []int{i}, Strength: -log, Points: []PointSet{{i, []int{at}}}}
	f.Axis, f.N, f.Next, f.Of, f.Value = "x", c[at], high, total(c), x[at]
	f.Low, f.High, f.A = x[at], x[at]+w[at], name(a, i)
	return f, true
}

// peaks returns how many bins stick out from both neighbours.
func peaks(c []int) (n int) {
	for k := 1; k+1 < len(c); k++ {
		side := float64(max(c[k-1], c[k+1]))
		if here := float64(c[k]); here >= 10 && here > 1.4*side && here-side > 3*math.Sqrt(side+1) {
			n++
		}
	}
	return n
}

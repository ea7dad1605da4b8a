package checks

import (
	"math"
	"slices"

	"easel/ui/core/facts"
)

// flat finds a run of equal neighbours, in the order of x, in values that otherwise change.
func flat(v *view) []Finding {
	n := len(v.byX)
	if n < fewPoints || v.category("x") || len(v.ty) < 10 || float64(len(v.tx)) < 0.8*float64(n) {
		return nil
	}
	longest, end, run, equals := 0, 0, 1, 0
	for k := 1; k < n; k++ {
		if v.y[v.byX[k]] != v.y[v.byX[k-1]] {
			run = 1
			continue
		}
		equals++
		if run++; run > longest {
			longest, end = run, k
		}
	}
	if longest < 5 || longest*2 > n {
		return nil
	}
	value := v.y[v.byX[end]]
	if v.turns() < 0.25 && !v.interrupted(end-longest+1, end) {
		return nil
	}
	// The share of equal neighbours outside the run; for a value at the end of the range, as zeros are, equal neighbours are
	// expected as often as the value occurs.
	p := float64(equals-(longest-1)+2) / float64(n)
	if value == v.sy[0] || value == v.sy[n-1] || value == 0 {
		at := v.where(func(i int) bool { return v.y[i] == value })
		p = max(p, float64(len(at))/float64(n), 0.3)
	}
	log := float64(longest-1)*math.Log10(math.Min(1, 2*p)) + math.Log10(float64(n))
	if log > never {
		return nil
	}
	f := v.finding(Flat, slices.Clone(v.byX[end-longest+1:end+1]), log)
	f.Axis, f.Value = "y", value
	v.stretch(&f, end-longest+1, end)
	return []Finding{f}
}

// interrupted reports whether a run of equal values breaks a curve that is too smooth to turn often, as a stuck sensor does in a daily
// cycle. What is computed may be constant at its limits, at zero, or between two ramps. So the run must be at none of these: the curve
// crosses its value again and again, or jumps at an end of the run.
func (v *view) interrupted(from, to int) bool {
	n, value := len(v.byX), v.y[v.byX[to]]
	if value == 0 || value <= quantile(v.sy, 0.02) || value >= quantile(v.sy, 0.98) {
		return false
	}
	crossings := 0
	steps := make([]float64, 0, n)
	for k := 1; k < n; k++ {
		a, b := v.y[v.byX[k-1]], v.y[v.byX[k]]
		if (a < value) != (b < value) && (k < from || k > to+1) {
			crossings++
		}
		if a != b && (k < from || k > to+1) {
			steps = append(steps, math.Abs(b-a))
		}
	}
	jump := 0.0
	for _, k := range []int{from, to + 1} {
		if k > 0 && k < n {
			jump = max(jump, math.Abs(v.y[v.byX[k]]-v.y[v.byX[k-1]]))
		}
	}
	return crossings >= 3 || len(steps) >= fewPoints/2 && jump > 4*median(steps)
}

// stretch fills in the range in x of a run.
func (v *view) stretch(f *Finding, from, to int) {
	f.From, f.To = v.x[v.byX[from]], v.x[v.byX[to]]
}

// smooth finds a run of neighbours, in the order of x, that deviate far less from the line between their own neighbours than the rest
// of the points do. A run of L deviations that are all among the smallest tenth has the probability 0.1^L; they are
// compared by rank, so the distribution of the noise does not matter.
func smooth(v *view) []Finding {
	n := len(v.byX)
	if n < 40 || v.category("x") || len(v.ty) < 20 || float64(len(v.tx)) < 0.8*float64(n) || v.turns() < 0.4 {
		return nil
	}
	bend := v.bends()
	sorted := inSize(bend)
	middle := quantile(sorted, 0.5)
	if middle <= 0 || middle < 3*v.stepY {
		return nil
	}
	var best Finding
	log, from, to := 0.0, 0, 0
	for _, q := range []float64{0.1, 0.2, 0.3} {
		limit := quantile(sorted, q)
		for k := 0; k < len(bend); k++ {
			start := k
			for k < len(bend) && bend[k] <= limit {
				k++
			}
			length := k - start
			if length < 6 || 3*length > n {
				continue
			}
			// Deviations that share points are correlated: a run of L has about 2/3·L independent ones.
			l := 0.67*float64(length)*math.Log10(q) + math.Log10(float64(3*n))
			if l < log && v.calm(bend, start, k, sorted) {
				log, from, to = l, start, k+1
			}
		}
	}
	if log > never+1.5 {
		return nil
	}
	best = v.finding(Smooth, slices.Clone(v.byX[from:to+1]), log)
	best.Axis = "y"
	v.stretch(&best, from, to)
	in := median(bend[from : to-1])
	best.Value = middle / math.Max(in, math.Max(v.stepY/4, middle*0.01))
	return []Finding{best}
}

// bends returns how far each point but the first and last lies from the line between its neighbours in the order of x.
func (v *view) bends() []float64 {
	bend := make([]float64, len(v.byX)-2)
	for k := range bend {
		a, b, c := v.byX[k], v.byX[k+1], v.byX[k+2]
		t := 0.5
		if w := v.x[c] - v.x[a]; w > 0 {
			t = (v.x[b] - v.x[a]) / w
		}
		bend[k] = math.Abs(v.y[b] - v.y[a] - t*(v.y[c]-v.y[a]))
	}
	return bend
}

// calm reports whether the deviations of a run are a sixth or less of what they are elsewhere, also near the run: the noise of many
// measurements changes slowly along x.
func (v *view) calm(bend []float64, from, to int, sorted []float64) bool {
	in := median(bend[from:to])
	around := append(slices.Clone(bend[max(0, from-30):from]), bend[to:min(len(bend), to+30)]...)
	return len(around) >= 10 && 6*in <= quantile(sorted, 0.5) && 5*in <= median(around)
}

// block finds a run of values that occurs twice in a series, as a copied part does. Values with few digits repeat by
// chance, and those of a computed, periodic curve always.
func block(v *view) []Finding {
	const length = 6
	n := len(v.byX)
	if n < 30 || len(v.ty)*2 < n || v.turns() < 0.3 {
		return nil
	}
	first := map[[length]float64]int{}
	var a, b, long, again int
	for k := 0; k+length <= n; k++ {
		var w [length]float64
		same := 0
		last := math.NaN()
		for j := range w {
			w[j] = v.y[v.byX[k+j]]
			if w[j] == last {
				same++
			}
			last = w[j]
		}
		if same > 2 {
			continue
		}
		at, seen := first[w]
		if !seen {
			first[w] = k
			continue
		}
		again++
		if k-at < length || k < b+long {
			continue
		}
		l := length
		for k+l < n && at+l < k && v.y[v.byX[at+l]] == v.y[v.byX[k+l]] {
			l++
		}
		if l > long {
			a, b, long = at, k, l
		}
	}
	// A quarter of all runs occur twice: it is periodic.
	if long == 0 || 4*again > n {
		return nil
	}
	log := -math.Log10(float64(len(v.ty)))*float64(long)/2 + 2*math.Log10(float64(n))
	if log > never+3 {
		return nil
	}
	marks := append(slices.Clone(v.byX[a:a+long]), v.byX[b:b+long]...)
	f := v.finding(Block, marks, log)
	f.N, f.Axis = long, "y"
	v.stretch(&f, b, b+long-1)
	f.Low, f.High = v.x[v.byX[a]], v.x[v.byX[a+long-1]]
	return []Finding{f}
}

// held finds series that change only every nth time, among series that change every time.
func held(a *facts.Axes) []Finding {
	type line struct{ series, every, changes int }
	var held []line
	moving := 0
	for i := range a.Series {
		s := &a.Series[i]
		y := s.Numbers("y")
		if i == maxSeries || s.Kind != facts.Line && s.Kind != facts.Points || len(y) < 9 || len(y) > maxPoints {
			continue
		}
		if various(y) {
			moving++
			continue
		}
		every, changes, equal := rhythm(y, s.Numbers("x"))
		switch {
		case every > 1:
			held = append(held, line{i, every, changes})
		case 10*equal <= len(y):
			moving++
		}
	}
	// Where all series are steps, they are drawn as steps.
	if moving == 0 || len(held) > moving {
		return nil
	}
	var found []Finding
	for _, h := range held {
		n := len(a.Series[h.series].Numbers("y"))
		at := make([]int, n)
		for k := range at {
			at[k] = k
		}
		// Of n-1 places, the changes are exactly the multiples.
		log := -float64(n-1-h.changes) / 2
		f := Finding{Check: Held, Series: []int{h.series}, Points: []PointSet{{h.series, at}}, Strength: -log}
		f.Axis, f.N, f.Of, f.Groups, f.Next, f.A = "y", h.changes, n, h.every, moving, name(a, h.series)
		found = append(found, f)
	}
	return found
}

// various reports that at least nine in ten values are different, so that in no order many neighbours are equal. It puts them in no
// order, and counts too few: values with the same place among the bits count as one.
func various(y []float64) bool {
	bits := make([]uint64, len(y)/4+1)
	n := 0
	for _, f := range y {
		h := math.Float64bits(f+0) * 0x9E3779B97F4A7C15 // -0 + 0 is 0
		k := h >> 32 * uint64(64*len(bits)) >> 32       // the first bits depend on all of those of the value
		if bit := uint64(1) << (k % 64); bits[k/64]&bit == 0 {
			bits[k/64] |= bit
			n++
		}
	}
	return 10*n >= 9*len(y)
}

// rhythm returns n if the values, in the order of x, change only at every nth place, how often they change and how often not;
// 0 if they don't.
func rhythm(y, x []float64) (every, changes, equal int) {
	if len(x) == len(y) && !slices.IsSorted(x) {
		y = pick(y, inOrder(x))
	}
	at := make([]int, 0, len(y))
	for k := 1; k < len(y); k++ {
		if y[k] == y[k-1] {
			equal++
		} else {
			at = append(at, k)
		}
	}
	if len(at) < 3 || len(at) >= equal+1 {
		return 0, len(at), equal
	}
	gap := 0
	for k := 1; k < len(at); k++ {
		gap = int(divisor(int64(gap), int64(at[k]-at[k-1])))
	}
	// A value may be unchanged by chance, but seldom.
	if gap < 2 || len(at) < (len(y)-1)*7/(10*gap) {
		return 0, len(at), equal
	}
	return gap, len(at), equal
}

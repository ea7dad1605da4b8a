package figures

import (
	"cmp"
	"math"
	"slices"
	"strconv"
)

// A binsJSON is what a figure says of the bins of a histogram.
type binsJSON struct{ Start, End, Size any }

// bins are the bins that histograms share.
type bins struct {
	numbers []float64 // of all of these histograms
	count   int       // of numbers, and of those that are missing
	most    int       // how many bins there should be; 0: as plotly.js likes
	given   *binsJSON

	found       bool
	start, size float64
}

// upright reports whether a histogram counts x.
func upright(t *trace) bool {
	if t.Orientation != "" {
		return t.Orientation == "v"
	}
	return len(t.X) > 0
}

// binGroup names the bins of a histogram, as the documentation of Plotly's bingroup says.
func (r *plotlyReader) binGroup(t *trace, i int) string {
	way := "y"
	if upright(t) {
		way = "x"
	}
	switch {
	case t.BinGroup != "":
		return way + " group " + t.BinGroup
	case r.barMode != "overlay":
		return way + " of " + t.XAxis + " " + t.YAxis
	}
	return way + strconv.Itoa(i)
}

// shareBins finds the bins of all histograms, which depend on the values of those that share them.
func (r *plotlyReader) shareBins(traces []trace) {
	for i := range traces {
		t := &traces[i]
		if t.Type != "histogram" {
			continue
		}
		t.group = r.binGroup(t, i)
		b := r.bins[t.group]
		if b == nil {
			b = &bins{}
			r.bins[t.group] = b
		}
		raw, most, given := t.X, t.NBinsX, t.XBins
		if !upright(t) {
			raw, most, given = t.Y, t.NBinsY, t.YBins
		}
		left := mostNumbers
		if l, ok := listOf(raw, &left); ok && l.texts == nil {
			b.numbers, b.count = append(b.numbers, l.numbers...), b.count+l.len()
		}
		b.most, b.given = cmp.Or(b.most, most), cmp.Or(b.given, given)
	}
}

// find finds where bins are: as the figure says, or as plotly.js chooses them.
func (b *bins) find() (ok bool) {
	if b.found {
		return b.size > 0
	}
	b.found = true
	wanted := 0.0
	if g := b.given; g != nil {
		start, hasStart := g.Start.(float64)
		size, hasSize := g.Size.(float64)
		switch {
		case hasStart && hasSize && size > 0:
			b.start, b.size = start, size
			return true
		case g.Start != nil || g.Size != nil && !hasSize:
			return false
		}
		wanted = size
	}
	b.numbers = slices.DeleteFunc(b.numbers, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
	if len(b.numbers) > 0 {
		b.start, b.size = autoBins(b.numbers, b.count, b.most, wanted)
	}
	return b.size > 0 && !math.IsInf(b.size, 0)
}

// autoBins chooses bins as autoBin of plotly.js does: steps of 1, 2 or 5, not much larger than what
// the standard deviation suggests, and edges that no heap of values is at. count includes missing values. size is 0 if
// it has to be chosen.
func autoBins(v []float64, count, most int, size float64) (start, step float64) {
	low, high := slices.Min(v), slices.Max(v)
	if step = size; step <= 0 {
		rough := 0.0
		if most > 0 {
			rough = (high - low) / float64(most)
		} else {
			rough = roughSize(v, count)
		}
		if !(rough > 0) || math.IsInf(rough, 0) {
			rough = 1
		}
		base := math.Pow(10, math.Floor(math.Log(rough)/math.Ln10))
		step = base * above(rough/base, 2, 5, 10)
	}
	return shifted((math.Ceil(low/step)-1)*step, step, v, low, high), step
}

// roughSize returns the size of bins that plotly.js rounds to a step.
func roughSize(v []float64, count int) float64 {
	sorted := slices.Sorted(slices.Values(v))
	least := cmp.Or(sorted[len(sorted)-1]-sorted[0], 1)
	slack := least / float64(max(1, len(sorted)-1)) / 10_000 // values nearer than this are one
	last := sorted[0]
	for _, x := range sorted {
		if d := x - last; d > slack {
			least, last = min(least, d), x
		}
	}
	magnitude := math.Pow(10, math.Floor(math.Log(least)/math.Ln10))
	smallest := magnitude * below(least/magnitude, 0.9, 1.9, 4.9, 9.9)
	n := float64(len(v))
	mean, squares := 0.0, 0.0
	for _, x := range v {
		mean += x / n
	}
	for _, x := range v {
		squares += (x - mean) * (x - mean)
	}
	return max(smallest, 2*math.Sqrt(squares/n)/math.Pow(float64(count), 0.4))
}

// above returns the first of ascending steps that is larger than a value, or the last one.
func above(v float64, steps ...float64) float64 {
	for _, s := range steps {
		if s > v {
			return s
		}
	}
	return steps[len(steps)-1]
}

// below returns the last of ascending steps that is at most a value, or the first one.
func below(v float64, steps ...float64) float64 {
	last := steps[0]
	for _, s := range steps {
		if s <= v {
			last = s
		}
	}
	return last
}

// shifted moves the begin of the bins so that values are not at their edges.
func shifted(start, step float64, v []float64, low, high float64) float64 {
	nearEdge := func(x float64) bool { return math.Mod(1+(x-start)*100/step, 100) < 2 }
	edges, middles, whole := 0, 0, 0
	for _, x := range v {
		if x == math.Trunc(x) {
			whole++
		}
		if nearEdge(x) {
			edges++
		}
		if nearEdge(x + step/2) {
			middles++
		}
	}
	n := float64(len(v))
	switch {
	case whole == len(v) && step < 1:
		return low - 0.5*step
	case whole == len(v):
		if start -= 0.5; start+step < low {
			start += step
		}
	case float64(middles) < 0.1*n && (float64(edges) > 0.3*n || nearEdge(low) || nearEdge(high)):
		if start+step/2 < low {
			return start + step/2
		}
		return start - step/2
	}
	return start
}

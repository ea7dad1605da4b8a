package figures

import (
	"math"

	"easel/ui/core/facts"
)

// mostBins is how many bins a histogram may have. Nobody can see as many.
const mostBins = 5000

// histogram reads a histogram. That of categories has bars.
func (r *plotlyReader) histogram(a *plotlyAxes, s facts.Series, t *trace) ([]facts.Series, bool) {
	raw, weightsRaw, along, across := t.X, t.Y, a.x, a.y
	if !upright(t) {
		raw, weightsRaw, along, across = t.Y, t.X, a.y, a.x
	}
	l, ok := listOf(raw, &r.left)
	if !ok || t.Cumulative.Enabled || t.HistFunc != "" && t.HistFunc != "count" && len(weightsRaw) == 0 {
		return nil, false
	}
	places, ok := along.places(l)
	if !ok || along.axis.Scale == facts.Date || along.axis.Scale == facts.Log {
		return nil, false // their bins are months, or as wide as they look
	}
	var weights []float64
	if t.HistFunc != "" && t.HistFunc != "count" {
		w, ok := listOf(weightsRaw, &r.left)
		if !ok || w.texts != nil || w.len() < len(places) {
			return nil, false
		}
		weights = w.numbers
	}
	if across.kind == "date" || across.kind == "category" {
		return nil, false
	}
	categories := along.axis.Scale == facts.Category
	start, size := -0.5, 1.0
	if !categories {
		b := r.bins[t.group]
		if !b.find() {
			return nil, false
		}
		start, size = b.start, b.size
	}
	edges, heights, ok := counted(places, weights, t, start, size)
	if r.left -= len(edges); !ok || r.left < 0 {
		return nil, false
	}
	if categories {
		return r.countedNames(a, s, t, edges, heights)
	}
	return lying(t, r.drawnBins(a, s, t, edges, heights, size)), true
}

// lying returns bins as they are, or as bars if they are horizontal: the x of a histogram is where its bins begin.
func lying(t *trace, list []facts.Series) []facts.Series {
	if upright(t) {
		return list
	}
	for i := range list {
		s := &list[i]
		s.Kind = facts.BarsH
		at, ends, widths, base := s.Numbers("y"), s.Numbers("x"), s.Numbers("width"), s.Numbers("base")
		for k := range at {
			at[k] += widths[k] / 2
			if base != nil {
				ends[k] += base[k]
			}
		}
	}
	return list
}

// countedNames returns the bars of the categories that a histogram counts.
func (r *plotlyReader) countedNames(a *plotlyAxes, s facts.Series, t *trace, edges, heights []float64) ([]facts.Series, bool) {
	var places, values []float64
	for i, v := range heights {
		if v != 0 {
			places, values = append(places, edges[i]+0.5), append(values, v)
		}
	}
	s.Count, s.Kind = len(places), facts.Bars
	if !upright(t) {
		s.Kind = facts.BarsH
	}
	return r.piled(a, s, t, places, values)
}

// drawnBins returns the bins of a histogram, on those that it is stacked on.
func (r *plotlyReader) drawnBins(a *plotlyAxes, s facts.Series, t *trace, edges, heights []float64, size float64) []facts.Series {
	s.Kind, s.Count = facts.Histogram, len(edges)
	base, widths, stacked := make([]float64, len(edges)), make([]float64, len(edges)), false
	for i := range edges {
		widths[i] = size
		if at := (stackPlace{"bins", math.Round(edges[i] / size * 4)}); r.barMode == "stack" || r.barMode == "relative" {
			base[i] = a.stacked[at]
			stacked = stacked || base[i] != 0
			a.stacked[at] += heights[i]
		}
	}
	names := []string{"x", "y"}
	if !upright(t) {
		names = []string{"y", "x"}
	}
	s.Columns = []facts.Column{{Name: names[0], Numbers: edges}, {Name: "width", Numbers: widths}, {Name: names[1], Numbers: heights}}
	if stacked {
		s.Columns = append(s.Columns, facts.Column{Name: "base", Numbers: base})
	}
	return []facts.Series{s}
}

// counted returns the left edges of bins and how high they are, without empty ones at the ends.
func counted(values, weights []float64, t *trace, start, size float64) (edges, heights []float64, ok bool) {
	first, last := math.Inf(1), math.Inf(-1)
	bin := func(v float64) float64 { return math.Floor((v - start) / size) }
	for _, v := range values {
		if b := bin(v); !math.IsNaN(b) {
			first, last = min(first, b), max(last, b)
		}
	}
	if !(first <= last && last-first < mostBins) { // without a place, both are infinite
		return nil, nil, false
	}
	n := int(last-first) + 1
	counts, sums := make([]float64, n), make([]float64, n)
	total := 0.0
	for i, v := range values {
		b := bin(v) - first
		if math.IsNaN(b) || weights != nil && math.IsNaN(weights[i]) {
			continue
		}
		w := 1.0
		if weights != nil {
			w = weights[i]
		}
		k := int(b)
		switch {
		case counts[k] == 0 || t.HistFunc != "min" && t.HistFunc != "max":
			sums[k] += w
		case t.HistFunc == "min":
			sums[k] = min(sums[k], w)
		default:
			sums[k] = max(sums[k], w)
		}
		counts[k]++
		total += w
	}
	for k := range n {
		h := sums[k]
		switch {
		case counts[k] == 0 && weights != nil && t.HistFunc != "sum":
			continue // it has none
		case t.HistFunc == "avg":
			h /= counts[k]
		}
		edges, heights = append(edges, start+(first+float64(k))*size), append(heights, h)
	}
	return edges, heights, normed(heights, t, total, size)
}

// normed changes heights to what the histogram shows. It returns false for what is unknown.
func normed(heights []float64, t *trace, total, size float64) bool {
	var factor float64
	switch t.HistNorm {
	case "":
		return true
	case "percent":
		factor = 100 / total
	case "probability":
		factor = 1 / total
	case "density":
		factor = 1 / size
	case "probability density":
		factor = 1 / total / size
	default:
		return false
	}
	for i := range heights {
		heights[i] *= factor
	}
	return t.HistFunc == "" || t.HistFunc == "count" || t.HistFunc == "sum"
}

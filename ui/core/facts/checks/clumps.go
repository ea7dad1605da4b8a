package checks

import (
	"math"
	"slices"
)

// clumps finds groups of points that almost coincide, as repeated measurements of one specimen do: in a small square there are
// far more points than the frame around it predicts. Sizes are shares of the plot, as seen.
func clumps(v *view) []Finding {
	n := len(v.x)
	x, y, ok := v.scaled()
	if !ok || n < 40 || len(v.tx) < 20 || len(v.ty) < 20 {
		return nil
	}
	at := v.sample(v.near)
	slices.SortFunc(at, func(a, b int) int { return compare(x[a], x[b]) })
	var groups [][]int
	log := 0.0
	taken := make(map[int]bool, len(at))
	for _, size := range []float64{0.008, 0.016, 0.03} {
		for _, d := range densest(at, x, y, size) {
			if in := within(at, d.place, x, y, size, taken); !taken[at[d.place]] && len(in) >= 7 && len(groups) < 40 {
				for _, i := range in {
					taken[i] = true
				}
				groups, log = append(groups, in), log+d.log
			}
		}
	}
	if len(groups) == 0 {
		return nil
	}
	var all []int
	kept := 0
	for _, g := range groups {
		if v.tight(g) {
			all, groups[kept] = append(all, g...), g
			kept++
		}
	}
	// Where most points are in clumps, these are what was measured: families, places, classes. Few of many are no matter.
	if groups = groups[:kept]; kept == 0 || kept > 12 || 2*len(all) > n || 20*len(all) < len(at) {
		return nil
	}
	f := v.finding(Clumps, all, log)
	f.Axis, f.Groups, f.Of = "both", len(groups), n
	f.Value, f.Slope = v.x[groups[0][0]], v.y[groups[0][0]]
	return []Finding{f}
}

// tight reports whether the points of a clump are in many places: else they repeat, or their values are rounded.
func (v *view) tight(group []int) bool {
	xs, ys := map[float64]bool{}, map[float64]bool{}
	for _, i := range group {
		xs[v.x[i]], ys[v.y[i]] = true, true
	}
	return len(xs) > 3 && len(ys) > 3
}

// A dense square around a point of those that are looked at.
type dense struct {
	place int
	log   float64
}

// densest returns the squares of a size whose counts are improbable, the least probable first. The frame of four times the size and one of
// sixteen times predict the count: they tell whether the points fill an area, on which the frame has fifteen
// times as much room as the square, or lie along a curve, on which it has three times as much.
func densest(at []int, x, y []float64, size float64) []dense {
	var ds []dense
	x, y = pick(x, at), pick(y, at)
	wide := newGrid(x, y)
	lo, hi := 0, 0 // the places within reach along x
	for k := range at {
		for x[k]-x[lo] > 4*size {
			lo++
		}
		for hi < len(at) && x[hi]-x[k] <= 4*size {
			hi++
		}
		// Near the smallest values, skewed data is dense.
		if x[k] < 4*size || y[k] < 4*size {
			continue
		}
		inner := 0
		for m := k; m >= 0 && x[k]-x[m] <= size; m-- {
			if math.Abs(y[m]-y[k]) <= size {
				inner++
			}
		}
		for m := k + 1; m < len(at) && x[m]-x[k] <= size; m++ {
			if math.Abs(y[m]-y[k]) <= size {
				inner++
			}
		}
		if inner < 7 || 6*inner > len(at) {
			continue
		}
		c, r := int(x[k]*cells), int(y[k]*cells)
		inCells := func(size float64, part int) int { // counts whole cells
			reach := int(math.Ceil(size*cells)) - part
			return wide.count(c-reach, r-reach, c+reach+1, r+reach+1)
		}
		log := func(outer int) float64 {
			far := inCells(16*size, 0) - inner - outer
			room := math.Min(12, math.Max(3, float64(far)/float64(outer+1)))
			return poisson(inner, (float64(outer)+2)/room+0.5) + math.Log10(float64(len(at)))
		}
		// The cells that are wholly within the frame have no more points than the frame: most squares need no exact count.
		if log(max(0, inCells(4*size, 2)-inner)) >= never-2 {
			continue
		}
		outer := -inner
		for m := lo; m < hi; m++ {
			if math.Abs(y[m]-y[k]) <= 4*size {
				outer++
			}
		}
		if l := log(outer); l < never-2 {
			ds = append(ds, dense{k, l})
		}
	}
	slices.SortStableFunc(ds, func(a, b dense) int { return compare(a.log, b.log) })
	return ds
}

// pick returns the values at places.
func pick(values []float64, at []int) []float64 {
	picked := make([]float64, len(at))
	for k, i := range at {
		picked[k] = values[i]
	}
	return picked
}

func within(at []int, k int, x, y []float64, size float64, taken map[int]bool) (in []int) {
	i := at[k]
	for _, j := range at {
		if !taken[j] && math.Abs(x[j]-x[i]) <= size && math.Abs(y[j]-y[i]) <= size {
			in = append(in, j)
		}
	}
	return in
}

// lattice finds points that are all on a coarse grid whose steps are no decimal places: values of which both
// were rounded to, for example, 2 and 0.4. Whole numbers, years and grids of a design, of which each place is used
// equally often, are no finding.
func lattice(v *view) []Finding {
	n := len(v.x)
	odd := func(size, unit float64) bool { return unit > 0 && size > 1.5*unit && !decimal(size) }
	nx, ny := len(v.tx), len(v.ty)
	if n < 40 || nx < 4 || ny < 4 || nx > 40 || ny > 40 || v.category("x") || v.category("y") {
		return nil
	}
	if !odd(v.stepX, v.unitX) || !odd(v.stepY, v.unitY) || !steady(v.tx, v.stepX) || !steady(v.ty, v.stepY) {
		return nil
	}
	if design(v.tx, n) || design(v.ty, n) {
		return nil
	}
	f := v.finding(Lattice, v.sample(n), -never+math.Log10(float64(n)))
	f.Strength = 12
	f.Axis, f.Value, f.Slope, f.Groups = "both", v.stepX, v.stepY, nx*ny
	return []Finding{f}
}

// decimal reports whether a step is a power of ten.
func decimal(size float64) bool {
	l := math.Log10(size)
	return math.Abs(l-math.Round(l)) < 1e-6
}

// steady reports whether most steps between the smallest and the largest value are used.
func steady(ts []tally, size float64) bool {
	cells := (ts[len(ts)-1].value - ts[0].value) / size
	return float64(len(ts)) >= 0.6*cells
}

// design reports whether the values were chosen: all occur about equally often, which measured ones do not.
func design(ts []tally, n int) bool {
	mean := float64(n) / float64(len(ts))
	var squares float64
	for _, t := range ts {
		squares += (float64(t.count) - mean) * (float64(t.count) - mean)
	}
	return squares/float64(len(ts)) < 0.5*mean
}

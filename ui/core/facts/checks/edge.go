package checks

import (
	"math"
	"slices"
)

// edge finds a cloud that ends sharply along a diagonal. Towards its edge a cloud gets thin, at least as a roof does towards its
// eaves: of the points in four strips along an edge, a sixteenth is in the outermost. Where it was cut off, a quarter is.
func edge(v *view) []Finding {
	n := len(v.x)
	if s := v.bounded(); s.on != nil {
		f := v.edged(s)
		f[0].Value, f[0].Slope = 0, 1
		return f
	}
	x, y, ok := v.scaled()
	if !ok || n < 80 || len(v.tx) < 40 || len(v.ty) < 40 {
		return nil
	}
	best := v.cut(x, y, v.sample(min(300, v.near)), 0, 2*math.Pi, angles)
	if best.log > -1 {
		return nil
	}
	const turn = 2 * math.Pi / angles
	best = v.cut(x, y, v.sample(v.near), best.angle-turn, best.angle+turn, 12)
	best.log += math.Log10(angles)
	if best.log > never+2 {
		return nil
	}
	return v.edged(best)
}

// edged makes the finding.
func (v *view) edged(best side) []Finding {
	f := v.finding(Edge, best.on, best.log)
	f.Axis, f.Next = "both", best.outside
	px, py := pick(v.x, best.on), pick(v.y, best.on)
	if r, ok := regress(px, py); ok {
		f.Value, f.Slope = r.at, r.slope
	}
	return []Finding{f}
}

const angles = 90

// A side is an edge of a cloud in one direction.
type side struct {
	angle   float64
	on      []int
	outside int
	log     float64
}

// cut returns the sharpest edge among directions.
func (v *view) cut(x, y []float64, at []int, from, to float64, steps int) (best side) {
	u := make([]float64, len(at))
	for k := range steps {
		angle := from + (to-from)*float64(k)/float64(steps)
		if math.Abs(math.Sin(2*angle)) < 0.55 {
			continue // an edge along an axis is a limit of one value
		}
		if s := border(at, x, y, angle, u); s.log < best.log {
			best = s
		}
	}
	return best
}

// border tests the edge in one direction. It uses u, which has room for each point.
func border(at []int, x, y []float64, angle float64, u []float64) side {
	cos, sin := math.Cos(angle), math.Sin(angle)
	for k, i := range at {
		u[k] = cos*x[i] + sin*y[i]
	}
	n := len(u)
	out := n / 200 // a few points may lie beyond
	end := nth(u, n-1-out)
	u = u[:n-out]
	depth := (end - nth(u, n/2)) / 8
	if depth <= 0 {
		return side{}
	}
	var strips [4]int
	for _, s := range u {
		if k := (end - s) / depth; k < float64(len(strips)) { // not yet an int, which may be too small for it
			strips[int(k)]++
		}
	}
	all := total(strips[:])
	if strips[0] < 10 || 6*strips[0] < all {
		return side{}
	}
	log := binomial(strips[0], all, 0.08)
	var on []int
	var along []float64
	for _, i := range at {
		if u := cos*x[i] + sin*y[i]; end-u < depth && u <= end {
			on, along = append(on, i), append(along, cos*y[i]-sin*x[i])
		}
	}
	// Points of a corner or of a few groups are no edge: they lie all along it, and along both axes.
	if !spreadOut(along, 0.6) || !spreadOut(pick(x, on), 0.35) || !spreadOut(pick(y, on), 0.35) {
		return side{}
	}
	return side{angle, on, out, log}
}

// spreadOut reports whether values have an extent, and no gap as large as a third of it.
func spreadOut(values []float64, extent float64) bool {
	slices.Sort(values)
	wide := quantile(values, 0.95) - quantile(values, 0.05)
	if wide < extent {
		return false
	}
	for i := 1; i < len(values); i++ {
		if values[i]-values[i-1] > spread(values)/3 {
			return false
		}
	}
	return true
}

// bounded tests the edge along y = x, beyond which there may be no point at all: a part is not more than the whole. The place is
// given, so that nothing was sought.
func (v *view) bounded() side {
	n := len(v.x)
	if n < 80 || len(v.tx) < 40 || len(v.ty) < 40 {
		return side{}
	}
	d := make([]float64, n)
	var above, below bool
	for i := range d {
		d[i] = v.x[i] - v.y[i]
		if above, below = above || d[i] < 0, below || d[i] > 0; above && below {
			return side{}
		}
	}
	sorted := inSize(d)
	sign := 1.0
	if !below {
		sign = -1
		slices.Reverse(sorted)
	}
	depth := math.Abs(quantile(sorted, 0.5)) / 4
	if !(depth > 0) || !finite(depth) {
		return side{}
	}
	var strips [4]int
	for _, f := range sorted {
		if u := sign * f / depth; u < float64(len(strips)) {
			strips[int(u)]++
		}
	}
	all := total(strips[:])
	log := binomial(strips[0], all, 0.08)
	// Values near zero are on every line through it.
	on := v.where(func(i int) bool { return sign*d[i] < depth })
	wide := func(values []float64, all []float64) bool {
		return spreadOut(values, 0.4*(quantile(all, 0.95)-quantile(all, 0.05)))
	}
	if log > never+2 || len(on) < 12 || !wide(pick(v.x, on), v.sx) || !wide(pick(v.y, on), v.sy) {
		return side{}
	}
	return side{on: on, log: log}
}

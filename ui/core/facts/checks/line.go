package checks

import (
	"math"

	"easel/ui/core/facts"
)

// equal finds points of which x and y are equal, among others that are not. If the difference is smooth, equal ones are as
// frequent as those that differ by any other few steps.
func equal(v *view) []Finding {
	unit := math.Max(v.unitX, v.unitY)
	if unit == 0 {
		unit = math.Max(spread(v.sx), spread(v.sy)) * 1e-3
	}
	on := v.where(func(i int) bool { return v.x[i] == v.y[i] })
	if len(on) < 5 || len(on)*5 > 4*len(v.x) || len(v.ty) < 15 || v.level(on) {
		return nil
	}
	const near = 20
	var beside [near + 1]int
	for i := range v.x {
		if d := math.Round(math.Abs(v.x[i]-v.y[i]) / unit); d <= near && v.x[i] != v.y[i] {
			beside[int(d)]++
		}
	}
	sum, most := 0, 0
	for _, c := range beside {
		sum, most = sum+c, max(most, (c+1)/2)
	}
	mean := math.Max(float64(sum)/(2*near), 0.7*float64(most))
	log := poisson(len(on), math.Max(mean, 0.5))
	if log > never {
		return nil
	}
	f := v.finding(Equal, on, log)
	f.Axis, f.Next, f.Slope = "both", most, 1
	return []Finding{f}
}

func spread(sorted []float64) float64 { return sorted[len(sorted)-1] - sorted[0] }

// A ruler is a straight line y = at + slope·x.
type ruler struct{ slope, at float64 }

func (r ruler) miss(x, y float64) float64 { return y - r.at - r.slope*x }

// onLine finds points exactly on a straight line among others that are not, as values have which were filled in from a regression.
// How many lie there by chance is seen in the strips beside the line.
func onLine(v *view) []Finding {
	n := len(v.x)
	if n < 30 || len(v.tx) < 25 || len(v.ty) < 25 {
		return nil
	}
	places := v.sample(min(500, v.near))
	px, py := pick(v.x, places), pick(v.y, places)
	best, log := ruler{}, 0.0
	var good []candidate
	minX := 0.15 * (quantile(v.sx, 0.95) - quantile(v.sx, 0.05))
	minY := 0.03 * spread(v.sy)
	tested, most := 0, 2*v.near+100
	for lag := 1; lag < len(places) && tested < most; lag++ {
		for k := 0; k+lag < len(places) && tested < most; k += 1 + len(places)/300 {
			dx, dy := px[k+lag]-px[k], py[k+lag]-py[k]
			if math.Abs(dx) < minX || math.Abs(dy) < minY {
				continue
			}
			tested++
			r := ruler{dy / dx, py[k] - dy/dx*px[k]}
			l := v.along(r, px, py, false)
			if l < -3 {
				good = append(good, candidate{r, l})
			}
			if l < log {
				best, log = r, l
			}
		}
	}
	if log > -2 {
		return nil
	}
	// Two rounded points give a line that misses the others slightly.
	for range 3 {
		best = v.refit(best)
	}
	log = v.along(best, v.x, v.y, true) + 2*math.Log10(float64(n))
	on := v.where(func(i int) bool { return math.Abs(best.miss(v.x[i], v.y[i])) <= v.slack(best, false) })
	if log > never || len(on) < 6 || len(on)*10 > 7*n || v.level(on) || v.rival(best, good, on) {
		return nil // a line that most points are on was computed, and is what the plot shows
	}
	f := v.finding(OnLine, on, log)
	f.Axis, f.Value, f.Slope = "both", best.at, best.slope
	return []Finding{f}
}

// A candidate is a line with the logarithm of the probability of the points on it.
type candidate struct {
	ruler
	log float64
}

// rival reports whether another line, with other points, is nearly as improbable: then the data is of a kind that lies on lines,
// like multiples of a price.
func (v *view) rival(best ruler, good []candidate, on []int) bool {
	var top float64
	for _, g := range good {
		top = math.Min(top, g.log)
	}
	for _, g := range good {
		if g.log > 0.6*top {
			continue
		}
		common := 0
		slack := v.slack(g.ruler, true)
		own := v.where(func(i int) bool { return math.Abs(g.miss(v.x[i], v.y[i])) <= slack })
		for _, i := range own {
			if math.Abs(best.miss(v.x[i], v.y[i])) <= 3*v.slack(best, true) {
				common++
			}
		}
		if 2*common < min(len(own), len(on)) {
			return true
		}
	}
	return false
}

// level reports whether most of the points share one value of x or y, or few values at all: these repeat.
func (v *view) level(on []int) bool {
	xs, ys := map[float64]int{}, map[float64]int{}
	most := 0
	for _, i := range on {
		xs[v.x[i]]++
		ys[v.y[i]]++
		most = max(most, xs[v.x[i]], ys[v.y[i]])
	}
	return 3*most > len(on) || len(xs) < 5 || len(ys) < 5
}

// slack returns how far a point that is exactly on a line may lie from it, because its x and y are rounded.
func (v *view) slack(r ruler, first bool) float64 {
	slack := 0.51*v.unitY + 0.51*math.Abs(r.slope)*v.unitX
	if first {
		slack *= 1.6
	}
	return math.Max(slack, 1e-6*spread(v.sy))
}

// along returns the logarithm of the probability that so many points are on a line.
func (v *view) along(r ruler, x, y []float64, last bool) float64 {
	const strips = 8
	slack := v.slack(r, !last)
	on, beside := 0, 0
	wide := (1 + strips) * slack
	y = y[:len(x)]
	for i, f := range x {
		d := math.Abs(y[i] - r.at - r.slope*f)
		if d <= wide { // not nested, so that neither is a jump
			beside++
		}
		if d <= slack {
			on++
		}
	}
	if on < 5 || last && !v.various(r, slack) {
		return 0
	}
	return poisson(on, math.Max(1.5*float64(beside-on+1)/strips, 0.02*float64(on)))
}

// various reports whether the points on a line are in at least six places, so that it is no chance of repeated values.
func (v *view) various(r ruler, slack float64) bool {
	seen := map[float64]bool{}
	for i := range v.x {
		if math.Abs(r.miss(v.x[i], v.y[i])) <= slack {
			seen[v.x[i]] = true
		}
	}
	return len(seen) >= 6
}

// refit returns the regression line of the points on a line.
func (v *view) refit(r ruler) ruler {
	slack := v.slack(r, true)
	var x, y []float64
	for i := range v.x {
		if math.Abs(r.miss(v.x[i], v.y[i])) <= slack {
			x, y = append(x, v.x[i]), append(y, v.y[i])
		}
	}
	if fit, ok := regress(x, y); ok {
		return fit
	}
	return r
}

// regress returns the least-squares line.
func regress(x, y []float64) (ruler, bool) {
	if len(x) < 2 {
		return ruler{}, false
	}
	var mx, my float64
	for i := range x {
		mx, my = mx+x[i], my+y[i]
	}
	mx, my = mx/float64(len(x)), my/float64(len(x))
	var xx, xy float64
	for i := range x {
		xx, xy = xx+(x[i]-mx)*(x[i]-mx), xy+(x[i]-mx)*(y[i]-my)
	}
	if xx == 0 {
		return ruler{}, false
	}
	return ruler{xy / xx, my - xy/xx*mx}, true
}

// copies finds points in the same place as another point. Rounded values coincide by chance: as often as the points around
// would with the number of places that they have.
func copies(v *view) []Finding {
	if v.category("x") || v.category("y") || v.axes.X.Scale == facts.Category {
		return nil
	}
	n := len(v.x)
	if len(v.tx) == n || len(v.ty) == n {
		return nil
	}
	at := make(map[[2]float64]int, n)
	for i := range v.x {
		at[[2]float64{v.x[i], v.y[i]}]++
	}
	on := v.where(func(i int) bool { return at[[2]float64{v.x[i], v.y[i]}] > 1 })
	var pairs float64
	for _, c := range at {
		pairs += float64(c*(c-1)) / 2
	}
	if len(on) < 10 || pairs > 3*float64(n) || 10*len(on) > 9*n {
		return nil
	}
	return v.copied(on, pairs)
}

// copied compares the pairs of points in one place with those that share x or y, and with those almost in one place.
func (v *view) copied(on []int, pairs float64) []Finding {
	n := float64(len(v.x))
	same := func(ts []tally) (p float64) {
		for _, t := range ts {
			p += float64(t.count*(t.count-1)) / 2
		}
		return p / (n * (n - 1) / 2)
	}
	// Independent x and y; correlated ones coincide more often, at most by the ratio of the spread to the residual, here 20.
	mean := 20 * same(v.tx) * same(v.ty) * n * (n - 1) / 2
	if same(v.tx) > 0.03 || same(v.ty) > 0.03 {
		return nil
	}
	log := poisson(int(pairs), math.Max(mean, 0.1))
	if log > never {
		return nil
	}
	f := v.finding(Copies, on, log)
	f.Axis, f.Next = "both", int(math.Ceil(mean))
	return []Finding{f}
}

package checks

import (
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"easel/ui/core/facts"
)

// A maker draws a figure with one artefact, or a clean one, from a seed.
type maker struct {
	name   string
	expect []Check // any of these is a hit
	make   func(r *rand.Rand) facts.Figure
}

func decimals(v float64, digits int) float64 {
	p := math.Pow10(digits)
	return math.Round(v*p) / p
}

// A cloud is a correlated scatter with its own size, unit and shape.
type cloud struct {
	x, y   []float64
	digits int
}

func newCloud(r *rand.Rand) *cloud {
	n := 150 + r.IntN(250)
	unit := math.Pow10(r.IntN(5) - 1)
	c := &cloud{digits: 3 - int(math.Log10(unit))}
	slope, noise, at := r.Float64()*2-1, 0.12+r.Float64()*0.2, r.Float64()*3+1
	for range n {
		x := r.Float64()
		if slope > 0 {
			x = 0.5 + r.NormFloat64()*0.2
		}
		y := at + slope*x + r.NormFloat64()*noise
		c.x, c.y = append(c.x, decimals(x*100, 2)), append(c.y, decimals(y*unit, c.digits))
	}
	return c
}

func (c *cloud) sd() (x, y float64) { return deviation(c.x), deviation(c.y) }

func deviation(v []float64) float64 {
	var s, q float64
	for _, f := range v {
		s += f
	}
	s /= float64(len(v))
	for _, f := range v {
		q += (f - s) * (f - s)
	}
	return math.Sqrt(q / float64(len(v)))
}

func (c *cloud) figure() facts.Figure { return one(xy(facts.Points, "", c.x, c.y)) }

func (c *cloud) some(r *rand.Rand, share float64) []int {
	return r.Perm(len(c.x))[:int(share*float64(len(c.x)))]
}

// The makers of artefacts on which the thresholds were tuned.
var tuned = []maker{
	{"a stuck sensor", []Check{Repeats, Tight}, func(r *rand.Rand) facts.Figure {
		c := newCloud(r)
		v := median(c.y)
		for _, i := range c.some(r, 0.09) {
			c.y[i] = v
		}
		return c.figure()
	}},
	{"a default at the edge", []Check{Repeats, Wall}, func(r *rand.Rand) facts.Figure {
		c := newCloud(r)
		for _, i := range c.some(r, 0.05) {
			c.x[i] = 999
		}
		return c.figure()
	}},
	{"a bad join", []Check{Strings, Repeats}, func(r *rand.Rand) facts.Figure {
		c := newCloud(r)
		at := c.some(r, 0.3)
		for k, i := range at {
			c.x[i] = c.x[at[k%7]]
		}
		return c.figure()
	}},
	{"rounded by hand", []Check{Round}, func(r *rand.Rand) facts.Figure {
		n := 180 + r.IntN(200)
		var x, y []float64
		for range n {
			v := math.Round(75 + r.NormFloat64()*12)
			if r.Float64() < 0.3 {
				v = math.Round(v/5) * 5
			}
			x, y = append(x, decimals(r.Float64()*40, 1)), append(y, v)
		}
		return one(xy(facts.Points, "", x, y))
	}},
	{"filled in by regression", []Check{OnLine}, func(r *rand.Rand) facts.Figure {
		c := newCloud(r)
		fit, _ := regress(c.x, c.y)
		for _, i := range c.some(r, 0.15) {
			c.y[i] = decimals(fit.at+fit.slope*c.x[i]+0.02*fit.slope, c.digits)
		}
		return c.figure()
	}},
	{"equal answers", []Check{Equal, OnLine}, func(r *rand.Rand) facts.Figure {
		var x, y []float64
		for range 200 + r.IntN(100) {
			a, b := decimals(50+15*r.NormFloat64(), 1), decimals(55+15*r.NormFloat64(), 1)
			if r.Float64() < 0.1 {
				b = a
			}
			x, y = append(x, a), append(y, b)
		}
		return one(xy(facts.Points, "", x, y))
	}},
	{"specimens measured again", []Check{Clumps}, func(r *rand.Rand) facts.Figure {
		c := newCloud(r)
		sx, sy := c.sd()
		at := c.some(r, 0.25)
		for k, i := range at {
			m := at[k%3]
			c.x[i], c.y[i] = decimals(c.x[m]+r.NormFloat64()*sx*0.015, 2), decimals(c.y[m]+r.NormFloat64()*sy*0.015, c.digits)
		}
		return c.figure()
	}},
	{"a coarse grid", []Check{Lattice}, func(r *rand.Rand) facts.Figure {
		var x, y []float64
		for range 120 + r.IntN(100) {
			a := 30 + r.NormFloat64()*8
			x, y = append(x, math.Round(a/5)*5), append(y, decimals(math.Round((a/9+r.NormFloat64()*0.6)/0.25)*0.25, 2))
		}
		return one(xy(facts.Points, "", x, y))
	}},
	{"a drift", []Check{Smooth, Tight}, func(r *rand.Rand) facts.Figure {
		var x, y []float64
		n := 200
		from := 30 + r.IntN(120)
		for k := range n {
			v := 20 + 3*math.Sin(float64(k)/30) + 2*r.NormFloat64()
			if k >= from && k < from+20 {
				v = 20 + float64(k-from)*0.08 + 0.08*r.NormFloat64()
			}
			x, y = append(x, float64(k)), append(y, decimals(v, 2))
		}
		return one(xy(facts.Points, "", x, y))
	}},
	{"copied boxes", []Check{Same}, func(r *rand.Rand) facts.Figure {
		var labels []string
		var groups [][]float64
		for k := range 6 {
			var g []float64
			for range 60 {
				g = append(g, decimals(300+float64(k)*20+40*r.NormFloat64(), 1))
			}
			labels, groups = append(labels, string(rune('A'+k))), append(groups, g)
		}
		groups[4] = groups[1]
		return boxes(labels, groups)
	}},
	{"filled forward", []Check{Held}, func(r *rand.Rand) facts.Figure {
		var ss []facts.Series
		for k := range 4 {
			var x, y []float64
			v := 100 + 50*r.Float64()
			for m := range 36 {
				if v += r.NormFloat64() * 6; k == 2 && m%3 != 0 {
					v = y[m-1]
				}
				x, y = append(x, float64(m)), append(y, decimals(v, 1))
			}
			ss = append(ss, xy(facts.Line, string(rune('A'+k)), x, y))
		}
		return one(ss...)
	}},
	{"parallel bands", []Check{Bands}, func(r *rand.Rand) facts.Figure { return banded(r, 1, 4) }},
	{"crossing bands", []Check{Bands}, func(r *rand.Rand) facts.Figure { return banded(r, -1, 0) }},
	{"swapped columns", []Check{Bands}, func(r *rand.Rand) facts.Figure {
		var x, y []float64
		for range 220 {
			a := 15 + 5*r.NormFloat64()
			b := a + 7 + 1.3*r.NormFloat64()
			if r.Float64() < 0.4 {
				a, b = b, a
			}
			x, y = append(x, decimals(a, 1)), append(y, decimals(b, 1))
		}
		return one(xy(facts.Points, "", x, y))
	}},
	{"an approval limit in bins", []Check{Threshold, Spike}, func(r *rand.Rand) facts.Figure {
		v := amounts(r, 500, 75)
		return binned(v, 5)
	}},
	{"cut off below", []Check{Wall}, func(r *rand.Rand) facts.Figure {
		var x, y []float64
		for range 250 {
			a := r.Float64() * 10
			x, y = append(x, decimals(a, 2)), append(y, decimals(math.Max(0, 9-1.1*a+1.2*r.NormFloat64()), 2))
		}
		return one(xy(facts.Points, "", x, y))
	}},
}

// banded returns two bands of which the second has a slope and a distance.
func banded(r *rand.Rand, slope, distance float64) facts.Figure {
	var x, y []float64
	for range 160 + r.IntN(140) {
		a := r.Float64()*10 - 5
		b := a + r.NormFloat64()
		if r.Float64() < 0.45 {
			b = slope*a + distance + r.NormFloat64()
		}
		x, y = append(x, decimals(a+50, 1)), append(y, decimals(b*3+100, 2))
	}
	return one(xy(facts.Points, "", x, y))
}

// amounts returns lognormal amounts of which most of those just above a limit are just below it.
func amounts(r *rand.Rand, n int, limit float64) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = math.Exp(math.Log(limit*0.7) + 0.6*r.NormFloat64())
		if v[i] > limit && v[i] < limit*1.3 && r.Float64() < 0.85 {
			v[i] = limit * (1 - 0.06*r.Float64())
		}
		v[i] = decimals(v[i], 2)
	}
	return v
}

// binned returns a histogram.
func binned(v []float64, width float64) facts.Figure {
	s := slices.Sorted(slices.Values(v))
	from := math.Floor(s[0]/width) * width
	n := int((s[len(s)-1]-from)/width) + 1
	counts, edges := make([]float64, n), make([]float64, n+1)
	for i := range edges {
		edges[i] = from + float64(i)*width
	}
	for _, f := range s {
		counts[sort.SearchFloat64s(edges[1:n], math.Nextafter(f, math.Inf(1)))]++
	}
	return one(histogramOf(edges, counts))
}

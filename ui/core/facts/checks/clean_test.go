package checks

import (
	"math"
	"math/rand/v2"
	"testing"

	"easel/ui/core/facts"
)

// walk returns a random walk.
func walk(r *rand.Rand, n, digits int) (x, y []float64) {
	v := 100.0
	for k := range n {
		v += r.NormFloat64()
		x, y = append(x, float64(k)), append(y, decimals(v, digits))
	}
	return x, y
}

// curve returns a computed curve over equal steps.
func curve(n int, f func(x float64) float64) facts.Figure {
	var x, y []float64
	for k := range n {
		a := 10 * float64(k) / float64(n-1)
		x, y = append(x, a), append(y, f(a))
	}
	return one(xy(facts.Line, "", x, y))
}

func sampled(n int, draw func() float64) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = draw()
	}
	return v
}

func poissonDraw(r *rand.Rand, mean float64) float64 {
	k, p, l := 0.0, 1.0, math.Exp(-mean)
	for {
		if p *= r.Float64(); p < l {
			return k
		}
		k++
	}
}

// The makers of clean plots. What they draw has a shape, but nothing that a reader should stop at.
var clean = []maker{
	{name: "normal cloud", make: func(r *rand.Rand) facts.Figure { return newCloud(r).figure() }},
	{name: "uniform square", make: func(r *rand.Rand) facts.Figure {
		return pointsOf(300, 3, func(int) (float64, float64) { return r.Float64(), r.Float64() })
	}},
	{name: "unrounded cloud", make: func(r *rand.Rand) facts.Figure {
		return pointsOf(1000, 15, func(int) (float64, float64) { a := r.NormFloat64(); return a, a*0.9 + 0.3*r.NormFloat64() })
	}},
	{name: "lognormal cloud", make: func(r *rand.Rand) facts.Figure {
		return pointsOf(400, 2, func(int) (float64, float64) {
			a := math.Exp(r.NormFloat64())
			return a, a * math.Exp(0.5*r.NormFloat64())
		})
	}},
	{name: "counts", make: func(r *rand.Rand) facts.Figure {
		return pointsOf(250, 0, func(int) (float64, float64) { a := poissonDraw(r, 8); return a, poissonDraw(r, 2+a) })
	}},
	{name: "ages and incomes", make: func(r *rand.Rand) facts.Figure {
		return pointsOf(500, 0, func(int) (float64, float64) { return 18 + float64(r.IntN(60)), 30000 * math.Exp(0.4*r.NormFloat64()) })
	}},
	{name: "ratings", make: func(r *rand.Rand) facts.Figure {
		return pointsOf(300, 0, func(int) (float64, float64) {
			a := float64(1 + r.IntN(5))
			return a, math.Min(5, math.Max(1, a+float64(r.IntN(3)-1)))
		})
	}},
	{name: "prices", make: func(r *rand.Rand) facts.Figure {
		return pointsOf(300, 2, func(int) (float64, float64) {
			return math.Floor(5+20*math.Exp(0.5*r.NormFloat64())) + 0.99, 100 * r.Float64()
		})
	}},
	{name: "percentages up to 100", make: func(r *rand.Rand) facts.Figure {
		return pointsOf(250, 1, func(int) (float64, float64) { return r.Float64() * 50, math.Min(100, 92+6*r.NormFloat64()) })
	}},
	{name: "zero-inflated", make: func(r *rand.Rand) facts.Figure {
		return pointsOf(250, 1, func(int) (float64, float64) {
			if r.Float64() < 0.4 {
				return r.Float64() * 365, 0
			}
			return r.Float64() * 365, math.Exp(1 + r.NormFloat64())
		})
	}},
	{name: "three clusters", make: func(r *rand.Rand) facts.Figure {
		return pointsOf(240, 3, func(k int) (float64, float64) {
			c := float64(k % 3)
			return 4*c + r.NormFloat64(), math.Mod(c*5, 7) + r.NormFloat64()
		})
	}},
	{name: "residuals that widen", make: func(r *rand.Rand) facts.Figure {
		return pointsOf(300, 3, func(int) (float64, float64) { a := 10 * r.Float64(); return a, a + (0.2+0.15*a)*r.NormFloat64() })
	}},
	{name: "doses", make: func(r *rand.Rand) facts.Figure {
		d := []float64{0, 5, 10, 25, 50, 100}
		return pointsOf(180, 2, func(k int) (float64, float64) { a := d[k%6]; return a, 3 + a/30 + r.NormFloat64() })
	}},
	{name: "a grid", make: func(r *rand.Rand) facts.Figure {
		return pointsOf(400, 1, func(k int) (float64, float64) { return 0.5 * float64(k%20), 2 * float64(k/20) })
	}},
	{name: "a spiral", make: func(r *rand.Rand) facts.Figure {
		return pointsOf(300, 15, func(k int) (float64, float64) { t := float64(k) / 20; return t * math.Cos(t), t * math.Sin(t) })
	}},
	{name: "points of a function", make: func(r *rand.Rand) facts.Figure {
		return pointsOf(200, 15, func(k int) (float64, float64) { t := float64(k) / 20; return t, math.Sin(t) })
	}},
	{name: "y = x", make: func(r *rand.Rand) facts.Figure {
		return pointsOf(100, 1, func(k int) (float64, float64) { return float64(k) / 2, float64(k) / 2 })
	}},
	{name: "strip plot", make: func(r *rand.Rand) facts.Figure {
		f := pointsOf(200, 2, func(k int) (float64, float64) { return float64(k % 4), 10 + 2*r.NormFloat64() })
		f.Axes[0].X.Names = []string{"a", "b", "c", "d"}
		return f
	}},
	{name: "noise line", make: func(r *rand.Rand) facts.Figure { x, y := series(r, 200, 3); return one(xy(facts.Line, "", x, y)) }},
	{name: "random walk", make: func(r *rand.Rand) facts.Figure { x, y := walk(r, 500, 2); return one(xy(facts.Line, "", x, y)) }},
	{name: "walks", make: func(r *rand.Rand) facts.Figure {
		x, a := walk(r, 100, 1)
		_, b := walk(r, 100, 1)
		return one(xy(facts.Line, "a", x, a), xy(facts.Line, "b", x, b))
	}},
	{name: "walk of points", make: func(r *rand.Rand) facts.Figure { x, y := walk(r, 300, 3); return one(xy(facts.Points, "", x, y)) }},
	{name: "season", make: func(r *rand.Rand) facts.Figure {
		return pointsOf(730, 1, func(k int) (float64, float64) {
			return float64(k), 12 + 9*math.Sin(float64(k)/58) + 3*r.NormFloat64()
		})
	}},
	{name: "sine", make: func(*rand.Rand) facts.Figure { return curve(500, math.Sin) }},
	{name: "clipped sine", make: func(*rand.Rand) facts.Figure {
		return curve(300, func(x float64) float64 { return math.Max(0, math.Sin(5*x)) })
	}},
	{name: "steps", make: func(*rand.Rand) facts.Figure { return curve(200, math.Floor) }},
	{name: "square wave", make: func(*rand.Rand) facts.Figure {
		return curve(200, func(x float64) float64 { return math.Copysign(1, math.Sin(3*x)) })
	}},
	{name: "cumulative", make: func(r *rand.Rand) facts.Figure {
		sum := 0.0
		return curve(150, func(float64) float64 { sum += poissonDraw(r, 1.2); return sum })
	}},
	{name: "interest rates", make: func(r *rand.Rand) facts.Figure {
		v := 2.0
		return curve(120, func(float64) float64 {
			if r.Float64() < 0.1 {
				v += 0.25 * float64(r.IntN(3)-1)
			}
			return v
		})
	}},
	{name: "sine with noise", make: func(r *rand.Rand) facts.Figure {
		return curve(200, func(x float64) float64 { return math.Sin(x) + 0.1*r.NormFloat64() })
	}},
	{name: "train and test", make: func(r *rand.Rand) facts.Figure {
		var x, a, b []float64
		for k := range 50 {
			e := math.Exp(-float64(k) / 10)
			x, a, b = append(x, float64(k)), append(a, e+0.01*r.NormFloat64()), append(b, 1.2*e+0.1+0.02*r.NormFloat64())
		}
		return one(xy(facts.Line, "train", x, a), xy(facts.Line, "test", x, b))
	}},
	{name: "normal bins", make: func(r *rand.Rand) facts.Figure {
		return binned(sampled(500, func() float64 { return 50 + 10*r.NormFloat64() }), []float64{1, 2, 3, 5}[r.IntN(4)])
	}},
	{name: "lognormal bins", make: func(r *rand.Rand) facts.Figure {
		return binned(sampled(800, func() float64 { return 30 * math.Exp(0.6*r.NormFloat64()) }), []float64{1, 2, 3, 5}[r.IntN(4)])
	}},
	{name: "bins of counts", make: func(r *rand.Rand) facts.Figure {
		return binned(sampled(600, func() float64 { return poissonDraw(r, 9) }), []float64{0.4, 1, 0.7, 1.3}[r.IntN(4)])
	}},
	{name: "bins of waiting times", make: func(r *rand.Rand) facts.Figure {
		return binned(sampled(400, func() float64 { return 8 * r.ExpFloat64() }), 1+r.Float64())
	}},
	{name: "two humps", make: func(r *rand.Rand) facts.Figure {
		return binned(sampled(500, func() float64 { return float64(r.IntN(2))*30 + 8*r.NormFloat64() }), 2.5)
	}},
	{name: "boxes", make: func(r *rand.Rand) facts.Figure {
		var groups [][]float64
		for k := range 5 {
			groups = append(groups, sampled(40, func() float64 { return decimals(float64(k)+10+2*r.NormFloat64(), 1) }))
		}
		return boxes([]string{"a", "b", "c", "d", "e"}, groups)
	}},
	{name: "boxes of ratings", make: func(r *rand.Rand) facts.Figure {
		var groups [][]float64
		for range 5 {
			groups = append(groups, sampled(40, func() float64 { return float64(1 + r.IntN(5)) }))
		}
		return boxes([]string{"a", "b", "c", "d", "e"}, groups)
	}},
	{name: "bars", make: func(r *rand.Rand) facts.Figure {
		v := sampled(12, func() float64 { return 100 * r.Float64() })
		x, _ := walk(r, 12, 0)
		return one(xy(facts.Bars, "", x, v))
	}},
}

func TestCleanPlotsHaveFewFindings(t *testing.T) {
	seeds := seedsOf(4, 60)
	plots, findings := 0, 0
	for _, m := range clean {
		_, others := m.rate(seeds)
		for c, n := range others {
			t.Logf("%-24s %s at %d of %d seeds", m.name, c, n, seeds)
			findings += n
		}
		plots += seeds
	}
	t.Logf("%d findings in %d plots", findings, plots)
	if 20*findings > plots {
		t.Errorf("%d findings in %d clean plots", findings, plots)
	}
}

// TestComputedCurvesMayBeConstant for a while: at their limits, between ramps, or where they come back to.
func TestComputedCurvesMayBeConstant(t *testing.T) {
	for name, f := range map[string]func(x float64) float64{
		"a clipped wave":     func(x float64) float64 { return math.Max(-0.6, math.Min(0.8, math.Sin(6*x))) },
		"ramps with a pause": func(x float64) float64 { return math.Min(x, 4) + math.Max(0, x-6) },
		"a dead zone":        func(x float64) float64 { return math.Max(x-6, 0) + math.Min(x-4, 0) },
		"the same pause twice": func(x float64) float64 {
			return math.Min(x, 2) + math.Max(0, math.Min(x-3, 2)) - math.Max(0, math.Min(x-5, 2)) - math.Max(0, x-8)
		},
	} {
		t.Run(name, func(t *testing.T) { expect(t, curve(200, f)) })
	}
}

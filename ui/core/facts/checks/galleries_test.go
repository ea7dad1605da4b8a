package checks

import (
	"math/rand/v2"
	"slices"
	"testing"

	"easel/ui/core/facts"
)

// TestNothingIsFoundInThese covers forms of plots of public galleries in which checks found what is no finding.
func TestNothingIsFoundInThese(t *testing.T) {
	r := rand.New(rand.NewPCG(38, 1))
	two := func(n int, spread float64) facts.Figure {
		return pointsOf(n, 4, func(i int) (float64, float64) {
			return 20 + 15*r.NormFloat64(), float64(i%2) + spread*(r.Float64()-0.5)
		})
	}
	ordered := func() facts.Figure { // a dot plot whose rows are sorted by value
		f := pointsOf(51, 3, func(i int) (float64, float64) { return 60 - float64(i), float64(i) })
		f.Axes[0].Y.Scale = facts.Category
		return f
	}
	rows := func() facts.Figure {
		f := facts.Figure{Axes: []facts.Axes{{Number: 1, Y: facts.Axis{Scale: facts.Category}}}}
		for _, label := range []string{"1931", "1932"} {
			var x, y []float64
			for i := range 10 {
				x, y = append(x, 20+30*r.Float64()), append(y, float64((i*7)%10))
			}
			f.Axes[0].Series = append(f.Axes[0].Series, xy(facts.Points, label, x, y))
		}
		return f
	}
	strip := two(200, 0.3)
	strip.Axes[0].Y.Scale = facts.Category
	for name, f := range map[string]facts.Figure{
		"a variable with two values, jittered": two(400, 0.05), "a strip plot": strip, "a sorted dot plot": ordered(), "two years in the same rows": rows(),
	} {
		found := Find(f)
		if slices.ContainsFunc(found, func(g Finding) bool { return slices.Contains([]Check{Bands, OnLine, Same, Empty, Edge}, g.Check) }) {
			t.Errorf("%s: %q", name, found[0].Text())
		}
	}
	pooled := two(400, 0.05) // the same bands, but with a slope, are two methods that were pooled
	x, y := pooled.Axes[0].Series[0].Numbers("x"), pooled.Axes[0].Series[0].Numbers("y")
	for i := range y {
		y[i] += 0.05 * x[i]
	}
	if !slices.ContainsFunc(Find(pooled), func(g Finding) bool { return g.Check == Bands }) {
		t.Error("bands with a slope are not found")
	}
}

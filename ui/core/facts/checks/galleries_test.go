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

// TestOneVariableIsSaidOnce draws tips, of which half are multiples of 50 cents and many are 2: in panels, and in colours for groups.
func TestOneVariableIsSaidOnce(t *testing.T) {
	r := rand.New(rand.NewPCG(38, 2))
	tips := func(label string, from, to float64) facts.Axes {
		var ss []facts.Series
		for _, day := range []string{"Thu", "Fri", "Sat", "Sun"} {
			var x, y []float64
			for range 120 {
				bill := 8 + 25*r.Float64()
				tip := decimals(0.15*bill+0.8*r.NormFloat64(), 2)
				switch k := r.IntN(100); {
				case k < 18:
					tip = 2
				case k < 60:
					tip = decimals(tip*2, 0) / 2
				}
				x, y = append(x, decimals(bill, 2)), append(y, tip)
			}
			ss = append(ss, xy(facts.Points, day, x, y))
		}
		return facts.Axes{Series: ss, X: facts.Axis{To: 60}, Y: facts.Axis{Label: label, From: from, To: to}}
	}
	panels := func(second facts.Axes) facts.Figure {
		f := facts.Figure{Axes: []facts.Axes{tips("tip", -5, 20), second}}
		f.Axes[0].Number, f.Axes[1].Number = 1, 2
		return f
	}
	for _, second := range []facts.Axes{tips("tip", -5, 20), tips("", -5, 20)} {
		found := expect(t, panels(second), Round)
		if len(found[0].Series) != 4 || found[0].Axis != "y" {
			t.Errorf("%+v", found[0])
		}
	}
	expect(t, panels(tips("fee", -5, 20)), Round, Round)
	expect(t, panels(tips("", -5, 21)), Round, Round)
}

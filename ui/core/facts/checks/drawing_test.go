package checks

import (
	"slices"
	"testing"

	"easel/ui/core/facts"
)

func checksOf(found []Finding) []Check {
	var cs []Check
	for _, f := range found {
		cs = append(cs, f.Check)
	}
	slices.Sort(cs)
	return cs
}

func expect(t *testing.T, f facts.Figure, want ...Check) []Finding {
	t.Helper()
	found := Find(f)
	slices.Sort(want)
	if got := checksOf(found); !slices.Equal(got, want) {
		t.Errorf("found %v, want %v", got, want)
		for _, g := range found {
			t.Log(g.Text())
		}
	}
	return found
}

func limits4(f facts.Figure, xFrom, xTo, yFrom, yTo float64) facts.Figure {
	a := &f.Axes[0]
	a.X.From, a.X.To, a.Y.From, a.Y.To = xFrom, xTo, yFrom, yTo
	return f
}

func TestBarsThatDoNotBeginAtZero(t *testing.T) {
	bars := func() facts.Figure { return one(xy(facts.Bars, "", []float64{0, 1, 2}, []float64{95, 97, 99})) }
	found := expect(t, limits4(bars(), -1, 3, 90, 100), CutBars)
	if got := found[0].Text(); got != "bars are cut: the y axis begins at 90, not 0" {
		t.Error(got)
	}
	expect(t, limits4(bars(), -1, 3, 0, 100))
	expect(t, bars()) // unknown limits
	f := limits4(bars(), -1, 3, 90, 100)
	f.Axes[0].Y.Scale = facts.Log
	expect(t, f)
	f = limits4(bars(), -1, 3, 90, 100)
	s := &f.Axes[0].Series[0]
	s.Columns = append(s.Columns, facts.Column{Name: "base", Numbers: []float64{94, 95, 96}}) // floating bars
	expect(t, f)
}

func TestValuesThatALogAxisDrops(t *testing.T) {
	f := one(xy(facts.Line, "a", []float64{1, 2, 3}, []float64{5, 0, -1}))
	f.Axes[0].Y.Scale = facts.Log
	found := expect(t, f, LogDrops)
	if m := found[0].Points; len(m) != 1 || !slices.Equal(m[0].Points, []int{1, 2}) {
		t.Errorf("marked %v", m)
	}
}

func TestPointsOutsideOfTheAxes(t *testing.T) {
	f := limits4(one(xy(facts.Points, "a", []float64{1, 2, 3, 4}, []float64{5, 391, 7, 2})), 0, 5, 0, 10)
	found := expect(t, f, OffAxis)
	if got := found[0].Text(); got != "a: 1 of 4 points OFF-AXIS: 1 above, up to 391" {
		t.Error(got)
	}
	f.Axes[0].Series[0].Whole = &facts.Whole{Outside: 30}
	f.Axes[0].Series[0].Count = 4000
	if found := Find(f); found[0].N != 30 || found[0].Of != 4000 {
		t.Errorf("%+v", found)
	}
	f.Axes[0].Series[0].Whole = nil
	expect(t, limits4(f, 5, 0, 400, 0)) // inverted axes
}

func TestSeriesThatLookAlike(t *testing.T) {
	lines := func(colours ...string) facts.Figure {
		var ss []facts.Series
		for i, c := range colours {
			s := xy(facts.Line, string(rune('a'+i)), []float64{1, 2}, []float64{float64(i), 3})
			s.Colour = c
			ss = append(ss, s)
		}
		return one(ss...)
	}
	expect(t, lines("#ff7f0e", "#1f77b4", "#ff7f0e"), LookAlike)
	expect(t, lines("#ff7f0e", "#fa7a10"), NearColour)
	expect(t, lines("#d62728", "#1f77b4"))
	expect(t, lines("#1f77b4", "#ff7f0e", "#2ca02c", "#d62728")) // matplotlib's first four
	expect(t, lines("#e41a1c", "#4daf4a"))
	expect(t, lines("#a07020", "#709020"), ColourBlind)
	f := lines("#ff7f0e", "#ff7f0e")
	f.Axes[0].Series[1].Style = "--"
	expect(t, f)
	cycle := []string{"#1f77b4", "#ff7f0e", "#2ca02c", "#d62728"}
	f = lines(slices.Concat(cycle, cycle)...)
	found := expect(t, f, LookAlike)
	if got := found[0].Text(); got != "8 series but 4 looks: e.g. a and e have the same colour and style" {
		t.Error(got)
	}
}

func TestWhatALogAxisCannotShowIsSaidOnce(t *testing.T) {
	f := limits4(one(xy(facts.Line, "load", []float64{1, 2, 3, 4}, []float64{0, 10, 100, 1000})), 0, 5, 1, 2000)
	f.Axes[0].Y.Scale = facts.Log
	f.Axes[0].Series[0].Whole = &facts.Whole{Outside: 1}
	expect(t, f, LogDrops)
	f.Axes[0].Y.To = 500
	for _, found := range expect(t, f, LogDrops, OffAxis) {
		if found.Check == OffAxis && (found.N != 1 || found.Low != 1000) {
			t.Errorf("got %+v", found)
		}
	}
}

func TestTheSidesOfPointsOutside(t *testing.T) {
	s := xy(facts.Line, "a", []float64{1, 2, 3, -4, 9, 2}, []float64{300, 391, -7, 2, 3, 50})
	f := limits4(one(s), 0, 5, 0, 100)
	want := "a: 5 of 6 points OFF-AXIS: 2 above, up to 391; 1 below, down to -7; 1 to the left, as far as -4; 1 to the right, as far as 9"
	if got := expect(t, f, OffAxis)[0].Text(); got != want {
		t.Errorf("got %q", got)
	}
	if got := Find(limits4(one(s), 0, 5, 100, 0))[0].Text(); got != "a: 5 of 6 points OFF-AXIS: 1 above, up to -7; 2 below, down to 391; 1 to the left, as far as -4; 1 to the right, as far as 9" {
		t.Errorf("turned over: %q", got)
	}
	s.Spills = true
	if got := expect(t, limits4(one(s), 0, 5, 0, 100), OffAxis)[0].Text(); got != "a: 5 of 6 points drawn outside of the axes (y -7–391)" {
		t.Errorf("drawn: %q", got)
	}
}

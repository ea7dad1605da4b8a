package checks

import (
	"slices"
	"testing"

	"easel/ui/core/facts"
)

func stood(label, colour string, base, ends []float64) facts.Series {
	s := xy(facts.Bars, label, []float64{0, 1, 2}, ends)
	s.Colour = colour
	s.Columns = append(s.Columns, facts.Column{Name: "width", Numbers: []float64{0.8, 0.8, 0.8}}, facts.Column{Name: "base", Numbers: base})
	return s
}

func TestWhatNobodyCanSee(t *testing.T) {
	f := one(xy(facts.Line, "a", []float64{1, 2}, []float64{3, 4}))
	f.Axes[0].Number = 2
	f.Axes[0].Unseen = []facts.Unseen{
		{Kind: "line", Label: "clear", Why: facts.Transparent, Count: 3}, {Kind: "bars", Why: facts.OnGround, Count: 4}, {Kind: "line", Label: "bare", Why: facts.Lineless, Count: 1},
	}
	found := expect(t, f, Invisible, Invisible, Invisible)
	for i, want := range [][2]string{
		{"clear is invisible: wholly transparent", "invisible/2/alpha/clear"},
		{"bars is invisible: it has the colour of the background", "invisible/2/ground/bars"},
		{"bare is invisible: it has neither a line nor markers", "invisible/2/width/bare"},
	} {
		if got := [2]string{found[i].Text(), found[i].Key}; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestPointsBetweenGapsAreFound(t *testing.T) {
	line := func(style string) facts.Figure {
		s := xy(facts.Line, "q", []float64{1, 2, 3, 4, 5, 6}, []float64{1, nan, 4, nan, 2, 3})
		s.Style = style
		return one(s)
	}
	for _, style := range []string{"-", "--(1 5)", ":"} {
		found := expect(t, line(style), Invisible)
		if got := found[0].Text(); got != "q: 2 points are not drawn, as their neighbours are NaN" || !slices.Equal(found[0].Points[0].Points, []int{0, 2}) {
			t.Errorf("%s: %q, %v", style, got, found[0].Points)
		}
	}
	expect(t, line("o-"))
}

func TestBarsBehindBars(t *testing.T) {
	zero, low, high := []float64{0, 0, 0}, []float64{2, 3, -4}, []float64{5, 6, -7}
	found := expect(t, one(stood("2024", "#1f77b4", zero, low), stood("2025", "#ff7f0e", zero, high)), Invisible)
	if got := found[0].Sentence("en"); got != "“2025” completely covers “2024”." {
		t.Error(got)
	}
	expect(t, one(stood("2025", "#ff7f0e", zero, high), stood("2024", "#1f77b4", zero, low)))
	hollow := stood("2025", "#ff7f0e", zero, high)
	hollow.Style = "hollow"
	expect(t, one(stood("2024", "#1f77b4", zero, low), hollow))
	clear := stood("2025", "#ff7f0e", zero, high)
	clear.Alpha = 0.5
	expect(t, one(stood("2024", "#1f77b4", zero, low), clear))
	expect(t, one(stood("2024", "#1f77b4", zero, low), stood("2025", "#ff7f0e", low, high))) // on them
}

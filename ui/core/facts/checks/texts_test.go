package checks

import (
	"testing"

	"easel/ui/core/facts"
)

func TestTextsThatOverlapAreFound(t *testing.T) {
	f := one(xy(facts.Line, "load", []float64{1, 2, 3}, []float64{5, 3, 4}))
	f.Drawing = []facts.Overlap{
		{Kind: facts.TextOverText, Axes: 1, A: "Jan", B: "Feb", Box: [4]float64{10, 20, 30, 40}, Share: 0.4, More: 5},
		{Kind: facts.TextOverText, Axes: 1, A: "Feb", B: "Mar", Box: [4]float64{30, 20, 50, 40}, Share: 0.3},
		{Kind: facts.TextCut, A: "Revenue in 2026", Box: [4]float64{0, 0, 5, 90}, Share: 0.5},
		{Kind: facts.TextCut, Axes: 1, A: "hardly", Share: 0.01},
		{Kind: facts.LegendOverData, Axes: 1, Box: [4]float64{50, 50, 90, 90}, Share: 0.124},
		{Kind: facts.LegendOverData, Axes: 1, Share: 0.002},
		{Kind: facts.TextOverAxes, Axes: 2, A: "hours", Box: [4]float64{50, 50, 90, 90}, Share: 0.5},
		{Kind: facts.SmallText, Axes: 1, A: "tiny", Share: 4.04, More: 3},
	}
	want := map[Check][2]string{
		TextOver:   {"7 pairs of texts overlap, e.g. Jan and Feb", "text_over/1"},
		TextCut:    {"Revenue in 2026 is cut off at the edge of the picture", "text_cut/0"},
		LegendOver: {"the legend covers 12 % of the drawn points", "legend_over/1"},
		TextAstray: {"hours reaches into other axes", "text_astray/2"},
		TextSmall:  {"4 texts are only 4 pixels high in this picture, e.g. tiny", "text_small/0"},
	}
	for _, found := range expect(t, f, TextOver, TextCut, LegendOver, TextAstray, TextSmall) {
		if got := [2]string{found.Text(), found.Key}; got != want[found.Check] {
			t.Errorf("%s: got %q, want %q", found.Check, got, want[found.Check])
		}
		if found.Check == TextOver && len(found.Boxes) != 2 {
			t.Errorf("places: %v", found.Boxes)
		}
	}
}

// TestWhatIsInManyAxesIsSaidOnce draws small panels whose labels overlap in each.
func TestWhatIsInManyAxesIsSaidOnce(t *testing.T) {
	f := one(xy(facts.Line, "load", []float64{1, 2, 3}, []float64{5, 3, 4}))
	for n := range 20 {
		f.Drawing = append(f.Drawing, facts.Overlap{
			Kind: facts.TextOverText, Axes: n + 1, A: "Station", B: "0", Box: [4]float64{float64(n), 0, float64(n) + 1, 1}, Share: 0.4, More: 1,
		})
		if n < mostAlike {
			f.Drawing = append(f.Drawing, facts.Overlap{Kind: facts.TextCut, Axes: n + 1, A: "Revenue in 2026", Share: 0.5})
		}
	}
	over := expect(t, f, TextOver, TextCut, TextCut, TextCut)[0]
	if got, want := over.Text(), "40 pairs of texts overlap, e.g. Station and 0"; got != want || over.Axes != 0 || len(over.Boxes) != 20 || over.Key != "text_over/0" {
		t.Errorf("%+v: got %q, want %q", over, got, want)
	}
}

// TestTextIsSmallInThePictureOfModels draws a large figure: its text has ten pixels, of which the smaller picture that models get has six.
func TestTextIsSmallInThePictureOfModels(t *testing.T) {
	f := one(xy(facts.Line, "load", []float64{1, 2, 3}, []float64{5, 3, 4}))
	f.Drawing = []facts.Overlap{{Kind: facts.SmallText, Axes: 1, A: "0.5", Share: 10}}
	for _, shrunk := range []float64{0, 0.8, 1} {
		f.Shrunk = shrunk
		expect(t, f)
	}
	f.Shrunk = 0.6
	if got, want := expect(t, f, TextSmall)[0].Text(), "0.5 is only 6 pixels high in this picture"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

package words

import (
	"slices"
	"testing"

	"easel/ui/core/facts"
)

func TestWhatHidesDataIsSaidFirst(t *testing.T) {
	list := []facts.Overlap{
		{Kind: facts.SmallText, Axes: 1, A: "tiny", Share: 5}, // 3.6 points at 100 pixels per inch
		{Kind: facts.SmallText, Axes: 1, A: "readable", Share: 8},
		{Kind: facts.TextOverText, Axes: 2, A: "Jan", B: "Feb", Share: 0.4},
		{Kind: facts.TextOverText, Axes: 2, A: "Jan", B: "Feb", Share: 0.3},
		{Kind: facts.TextCut, A: "Revenue", Share: 0.001},
		{Kind: facts.TextOverAxes, Axes: 2, A: "hours", Share: 0.5},
		{Kind: facts.LegendOverData, Axes: 1, Share: 0.124},
		{Kind: facts.LegendOverData, Axes: 2, Share: 0.002},
	}
	want := []string{
		"the legend covers 12 % of the drawn points (axes 1)", `"Revenue" leaves the picture by 1 %`, `"Jan" overlaps "Feb" (axes 2)`,
		`"hours" reaches into other axes (axes 2)`, `"tiny" is only 3.6 points high (axes 1)`,
	}
	if got := Drawing(list, 100); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := Drawing(list[:2], 0); got != nil {
		t.Errorf("without a resolution: %q", got)
	}
}

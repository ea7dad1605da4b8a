package plotdata

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"easel/mcphost/catalog"
	"easel/ui/core/command"
	"easel/ui/core/facts"
	"easel/ui/core/facts/checks"
	"easel/ui/core/library"
)

func series(kind facts.Kind, columns ...facts.Column) facts.Series {
	return facts.Series{Kind: kind, Label: string(kind), Count: len(columns[0].Numbers), Columns: columns}
}

func column(name string, numbers ...float64) facts.Column {
	return facts.Column{Name: name, Numbers: numbers}
}

// shown has a series of each kind that has places.
func shown() facts.Figure {
	return facts.Figure{Axes: []facts.Axes{{
		Number: 1, X: facts.Axis{From: 0, To: 10}, Y: facts.Axis{From: 0, To: 100},
		Series: []facts.Series{
			series(facts.Points, column("x", 1, 2, 3), column("y", 10, 20, math.NaN())),
			series(facts.Histogram, column("x", 1, 2), column("width", 1, 1), column("y", 5, 60)),
			series(facts.Bars, column("x", 4, 5), column("y", 7, 9), column("width", 0.8, 0.8), column("base", 1, 0)),
			series(facts.BarsH, column("y", 4), column("x", 7), column("width", 2)),
			series(facts.Box, column("x", 4), column("min", 1), column("median", 3), column("max", 9)),
			series(facts.ErrorBars, column("y", 4), column("low", 1), column("high", 9)),
			series(facts.Pie, column("value", 1)),
		},
	}}}
}

func TestWhereFindingsAre(t *testing.T) {
	f := shown()
	points := func(series int, at ...int) checks.Finding {
		return checks.Finding{Axes: 1, Series: []int{series}, Points: []checks.PointSet{{Series: series, Points: at}}}
	}
	empty := checks.Finding{Check: checks.Empty, Axes: 1, Series: []int{0}}
	empty.From, empty.To, empty.Low, empty.High = 1, 2, 30, 40
	for name, c := range map[string]struct {
		in   facts.Figure
		what checks.Finding
		want string
	}{
		"points":                {f, points(0, 0, 1), "x 1 to 2, y 10 to 20; e.g. (1, 10), (2, 20)"},
		"a point":               {f, points(0, 1), "x 2, y 20"},
		"a missing one":         {f, points(0, 2), ""},
		"places that are none":  {f, points(0, 99), ""},
		"a bin":                 {f, points(1, 1), "x 2 to 3, y 0 to 60"},
		"bars":                  {f, points(2, 0, 1), "x 3.6 to 5.4, y 0 to 9"},
		"a horizontal bar":      {f, points(3, 0), "x 0 to 7, y 3 to 5"},
		"a box":                 {f, points(4, 0), "x 3.75 to 4.25, y 1 to 9"},
		"a horizontal error":    {f, points(5, 0), "x 1 to 9, y 4"},
		"a pie":                 {f, points(6, 0), ""},
		"no series":             {f, points(7, 0), ""},
		"a whole series":        {f, checks.Finding{Axes: 1, Series: []int{2}}, "x 3.6 to 5.4, y 0 to 9"},
		"an empty rectangle":    {f, empty, "x 1 to 2, y 30 to 40"},
		"axes that are none":    {f, checks.Finding{Axes: 3}, ""},
		"more than models read": {many(), points(0, upTo(900)...), "x 0 to 899, y 0 to 899; e.g. (0, 0), (300, 300), (600, 600)"},
	} {
		if got := where(c.in, c.what); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	if list := spots(&many().Axes[0], points(0, upTo(900)...), mostRegions); len(list) != mostRegions {
		t.Errorf("%d places", len(list))
	}
}

func upTo(n int) (all []int) {
	for i := range n {
		all = append(all, i)
	}
	return all
}

func many() facts.Figure {
	values := make([]float64, 900)
	for i := range values {
		values[i] = float64(i)
	}
	return facts.Figure{Axes: []facts.Axes{{
		Number: 1, X: facts.Axis{From: 0, To: 899}, Y: facts.Axis{From: 0, To: 899},
		Series: []facts.Series{series(facts.Points, column("x", values...), column("y", values...))},
	}}}
}

// TestWhatIsNoProblemIsNotSaid covers findings that package words says in its own way: of one axes, or of all if the
// check is turned off.
func TestWhatIsNoProblemIsNotSaid(t *testing.T) {
	f := facts.Figure{}
	for n := range 2 {
		f.Axes = append(f.Axes, facts.Axes{
			Number: n + 1, X: facts.Axis{From: 0, To: 5}, Y: facts.Axis{From: 5, To: 10},
			Series: []facts.Series{
				{Kind: facts.Line, Label: "A", Colour: "#ff0000", Style: "-", Count: 2, Columns: []facts.Column{column("x", 1, 2), column("y", 6, 99)}},
				{Kind: facts.Line, Label: "B", Colour: "#ff0000", Style: "-", Count: 2, Columns: []facts.Column{column("x", 1, 2), column("y", 6, 7)}},
				series(facts.Bars, column("x", 3, 4), column("y", 7, 9)),
			},
		})
	}
	r := &Reader{Images: onePlot{facts.Write(f)}}
	im := library.Image{Facts: &library.StoredForm{}}
	im.ImageID = "a"
	said := func(im library.Image) [3]int {
		text := r.Brief(t.Context(), im)
		whole, _, _ := strings.Cut(r.Whole(t.Context(), im), "The user judged")
		var n [3]int
		for i, what := range []string{"OFF-AXIS", "look alike", "bars do not begin"} {
			if n[i] = strings.Count(text, what); n[i] != strings.Count(whole, what) {
				t.Errorf("%s: beside the picture %q, asked %q", what, text, whole)
			}
		}
		return n
	}
	if got := said(im); got != [3]int{2, 2, 2} {
		t.Fatalf("said %v times", got)
	}
	keys, err := r.Keys(t.Context(), im)
	if err != nil {
		t.Fatal(err)
	}
	judged := im
	for i, check := range []checks.Check{checks.OffAxis, checks.LookAlike, checks.CutBars} {
		at := slices.IndexFunc(keys, func(k string) bool { return strings.HasPrefix(k, string(check)+"/2/") })
		if at < 0 {
			t.Fatalf("no finding of %s in %q", check, keys)
		}
		judged.Judged = append(slices.Clone(judged.Judged), keys[at])
		want := [3]int{2, 2, 2}
		for j := range i + 1 {
			want[j] = 1
		}
		if got := said(judged); got != want {
			t.Errorf("%s judged: said %v times", check, got)
		}
	}
	if text := r.Whole(t.Context(), judged); !strings.Contains(text, "The user judged 3 of the findings to be no problem: Axes 2:") {
		t.Errorf("asked: %q", text)
	}
	if list := r.Findings(t.Context(), judged); len(list) != 6 || slices.IndexFunc(list, func(f catalog.Finding) bool { return f.Dismissed }) < 0 {
		t.Errorf("listed: %+v", list)
	} else if !strings.HasPrefix(list[0].Where, "axes ") {
		t.Errorf("it does not say which axes: %+v", list[0])
	}
	r.On = func(c checks.Check) bool { return c != checks.OffAxis }
	if got := said(im); got != [3]int{0, 2, 2} {
		t.Errorf("turned off: said %v times", got)
	}
	if list := r.Findings(t.Context(), im); len(list) != 4 {
		t.Errorf("turned off: %+v", list)
	}
	r.On = nil
	if got := said(im); got != [3]int{2, 2, 2} {
		t.Errorf("turned on: said %v times", got)
	}
}

// onePlot is a library of one plot.
type onePlot struct{ facts []byte }

func (s onePlot) ReadFacts(context.Context, library.Image) ([]byte, error) { return s.facts, nil }

func (s onePlot) ReadForm(context.Context, library.Image, string) ([]byte, error) {
	return nil, library.ErrNotFound
}

func TestTextsAreMarkedWhereTheyAre(t *testing.T) {
	f := shown()
	f.Drawing = []facts.Overlap{{Kind: facts.TextOverText, Axes: 1, A: "Jan", B: "Feb", Box: [4]float64{10, 20, 30, 40}, Share: 0.4}}
	i := slices.IndexFunc(checks.Find(f), func(f checks.Finding) bool { return f.Check == checks.TextOver })
	if i < 0 {
		t.Fatal("not found")
	}
	found := checks.Find(f)[i]
	for scale, want := range map[[2]float64]command.Region{
		{}:     {X0: 10, Y0: 20, X1: 30, Y1: 40}, // not known
		{2, 3}: {X0: 20, Y0: 60, X1: 60, Y1: 120},
	} {
		if got := (place{sx: scale[0], sy: scale[1]}).regions(f, found); !slices.Equal(got, []command.Region{want}) {
			t.Errorf("scaled by %v: got %v, want %v", scale, got, want)
		}
	}
}

// TestSmallTextIsThatOfThePictureOfModels: they get a large picture smaller.
func TestSmallTextIsThatOfThePictureOfModels(t *testing.T) {
	raw := []byte(`{"v": 1, "axes": [{"n": 1}], "drawing": [{"kind": "small_text", "axes": 1, "a": "hours", "box": [1, 2, 30, 12], "share": 10}]}`)
	for width, want := range map[int]int{1500: 0, 3136: 1} { // 10 and 5 pixels
		im := library.Image{Facts: &library.StoredForm{}}
		im.Width, im.Height = width, 600
		found := (&Reader{Images: onePlot{facts: raw}}).Findings(t.Context(), im)
		if len(found) != want || want > 0 && (found[0].Check != string(checks.TextSmall) || !strings.Contains(found[0].Text, "hours is only 5 pixels high")) {
			t.Errorf("%d pixels wide: %+v", width, found)
		}
	}
}

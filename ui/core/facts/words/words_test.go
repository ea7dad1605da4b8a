package words

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tiktoken-go/tokenizer"

	"easel/internal/require"
	"easel/ui/core/facts"
)

var nan = math.NaN()

func series(kind facts.Kind, label string, columns ...any) facts.Series {
	s := facts.Series{Kind: kind, Label: label}
	for i := 0; i < len(columns); i += 2 {
		name, _ := columns[i].(string)
		numbers, _ := columns[i+1].([]float64)
		s.Columns = append(s.Columns, facts.Column{Name: name, Numbers: numbers})
	}
	s.Count = len(s.Columns[0].Numbers)
	return s
}

func coloured(s facts.Series, colour string) facts.Series {
	s.Colour, s.Style = colour, "-"
	return s
}

func one(x, y facts.Axis, list ...facts.Series) facts.Figure {
	return facts.Figure{Axes: []facts.Axes{{Number: 1, X: x, Y: y, Series: list}}}
}

func upTo(n int) (list []float64) {
	for i := range n {
		list = append(list, float64(i))
	}
	return list
}

func noise(r *rand.Rand, n int) (list []float64) {
	for range n {
		list = append(list, r.NormFloat64()*100)
	}
	return list
}

// plots are figures of many kinds, by name.
func plots() map[string]facts.Figure {
	r := rand.New(rand.NewPCG(1, 2))
	x, y := facts.Axis{Label: "t", From: 0, To: 99}, facts.Axis{Label: "K", From: -400, To: 400}
	line := func(label, colour string, n int) facts.Series {
		return coloured(series(facts.Line, label, "x", upTo(n), "y", noise(r, n)), colour)
	}
	months := facts.Axis{From: -0.5, To: 3.5, Scale: facts.Category, Names: []string{"Jan", "Feb", "Mar", "Apr"}}
	var many, grid []facts.Series
	for i := range 12 {
		many = append(many, line(fmt.Sprintf("sensor %d", i), fmt.Sprintf("#0000%02d", i), 100))
	}
	grid = append(grid, line("", "#1f77b4", 50))
	panels := facts.Figure{}
	for i := range 9 {
		panels.Axes = append(panels.Axes, facts.Axes{Number: i + 1, Title: fmt.Sprintf("station %d", i), X: x, Y: y, Series: grid})
	}
	image := series(facts.Image, "", "value", noise(r, 100))
	image.Shape = [2]int{10, 10}
	pie := series(facts.Pie, "", "value", []float64{0.5, 0.3, 0.2})
	pie.Names = []string{"A", "B", "C"}
	days := facts.Axis{From: 1.7e9, To: 1.71e9, Scale: facts.Date, Label: "day"}
	dated := make([]float64, 100)
	for i := range dated {
		dated[i] = 1.7e9 + float64(i)*86400
	}
	big := line("all", "#1f77b4", 10_000)
	big.Count, big.Whole = 1_000_000, &facts.Whole{NaN: 5, Outside: 17, Min: facts.Point{X: 3, Y: -512.25}, Max: facts.Point{X: 4, Y: 512.5}, Last: facts.Point{X: 9, Y: 1}}
	return map[string]facts.Figure{
		"a line":       one(x, y, line("", "#1f77b4", 100)),
		"two lines":    one(x, y, line("North", "#1f77b4", 100), line("South", "#ff7f0e", 100)),
		"alike":        one(x, y, line("North", "#ff7f0e", 100), line("South", "#ff7f0e", 100)),
		"twelve lines": one(x, y, many...),
		"off axis": one(facts.Axis{From: 0, To: 4}, facts.Axis{From: 0, To: 9.95}, coloured(series(facts.Line, "p", "x", upTo(5), "y",
			[]float64{1, 2, 391, 3, 4}), "#1f77b4")),
		"holes":      one(facts.Axis{From: 0, To: 6}, facts.Axis{From: 0, To: 6}, coloured(series(facts.Line, "q", "x", upTo(6), "y", []float64{1, nan, 5, nan, 2, 3}), "#1f77b4")),
		"bars":       one(months, facts.Axis{From: 0, To: 9}, series(facts.Bars, "", "x", upTo(4), "y", []float64{1.5, 2.25, 9, 4})),
		"cut bars":   one(months, facts.Axis{From: 50, To: 60}, series(facts.Bars, "", "x", upTo(4), "y", []float64{51, 52.5, 59, 54})),
		"many bars":  one(x, facts.Axis{From: 0, To: 400}, series(facts.Bars, "", "x", upTo(40), "y", noise(r, 40))),
		"horizontal": one(facts.Axis{From: 0, To: 9}, months, series(facts.BarsH, "", "y", upTo(4), "x", []float64{1.5, 2.25, 9, 4})),
		"histogram":  one(x, facts.Axis{From: 0, To: 80}, series(facts.Histogram, "", "x", upTo(20), "width", slices.Repeat([]float64{1}, 20), "y", upTo(20))),
		"boxes":      one(months, y, series(facts.Box, "", "x", upTo(4), "min", noise(r, 4), "q1", noise(r, 4), "median", noise(r, 4), "q3", noise(r, 4), "max", noise(r, 4))),
		"an area":    one(x, y, series(facts.Area, "range", "x", upTo(50), "low", noise(r, 50), "high", noise(r, 50))),
		"error bars": one(x, y, series(facts.ErrorBars, "", "x", upTo(10), "low", noise(r, 10), "high", noise(r, 10))),
		"an image":   one(x, y, image),
		"a pie":      one(facts.Axis{}, facts.Axis{}, pie),
		"dates":      one(days, y, coloured(series(facts.Line, "price", "x", dated, "y", noise(r, 100)), "#1f77b4")),
		"points":     one(x, y, series(facts.Points, "", "x", noise(r, 500), "y", noise(r, 500))),
		"months":     one(months, y, line("", "#1f77b4", 4), series(facts.Points, "", "x", upTo(4), "y", upTo(4))),
		"rules":      one(x, y, line("", "#1f77b4", 30), series(facts.Rules, "", "y", []float64{3}), series(facts.Rules, "", "x", []float64{7.25})),
		"panels":     panels,
		"a sample":   one(facts.Axis{From: 0, To: 1e6}, y, big),
		"small":      one(x, y, series(facts.Line, "", "x", upTo(3), "y", []float64{1.00000012, 1.00000015, 1.00000019})),
		"wave":       one(x, y, series(facts.Line, "", "x", upTo(3), "y", []float64{0, 1, 1.2e-16})),
		"nothing":    one(x, y, series(facts.Line, "", "x", upTo(2), "y", []float64{nan, nan})),
		"empty":      one(x, y),
	}
}

// TestTextsAreShort measures the tokens of the texts beside pictures.
func TestTextsAreShort(t *testing.T) {
	o200k, err := tokenizer.Get(tokenizer.O200kBase)
	require.NoError(t, err)
	var counts []int
	for name, f := range plots() {
		text := Brief(f, nil, nil)
		n, err := o200k.Count(text)
		require.NoError(t, err)
		counts = append(counts, n)
		t.Logf("%s, %d tokens: %s", name, n, text)
		full, _ := o200k.Count(Brief(f, slices.Repeat([]string{"19 of 260 y values are exactly 8.45; the next most frequent value occurs 3 times"}, 9), nil))
		if n > MostBrief || full > MostBrief {
			t.Errorf("%s: %d tokens, %d with findings", name, n, full)
		}
	}
	slices.Sort(counts)
	if median := counts[len(counts)/2]; median > 80 || len(counts) < 19 {
		t.Errorf("the median is %d tokens", median)
	}
}

func TestWhatIsMissedComesFirst(t *testing.T) {
	all := plots()
	for name, want := range map[string]string{
		"off axis":   "OFF-AXIS: p 1 of 5 points (1 above, up to 391, axis to 9.95). x 0 to 4; p 5 points, min 1 at 0, max 391 at 2, last 4.",
		"holes":      "q 2 of 6 NaN. x 0 to 5; q 6 points, min 1 at 0, max 5 at 2, last 3.",
		"alike":      "look alike: North and South.",
		"cut bars":   "bars do not begin at 0 but at 50. bars Jan 51, Feb 52.5, Mar 59, Apr 54.",
		"bars":       "bars Jan 1.5, Feb 2.25, Mar 9, Apr 4.",
		"horizontal": "bars Jan 1.5, Feb 2.25, Mar 9, Apr 4.",
		"histogram":  "histogram 20 bins from 0 to 20, highest 19 at 19 to 20, 1 empty, sum 190.",
		"a pie":      "pie A 50%, B 30%, C 20%.",
		"a sample":   "OFF-AXIS: all 17 of 1000000 points",
		"small":      "min 1.00000012 at 0, max 1.00000019 at 2",
		"nothing":    "line 2 of 2 NaN. x 0 to 1; line 2 points, no values.",
		"dates":      "x 2023-11-14 to 2024-02-21; price 100 points, min ",
		"months":     "line Jan -",
		"points":     "500 points, min ",
		"rules":      "lines at y=3, x=7.25.",
		"wave":       "line 3 points, min 0 at 0, max 1 at 1, last 0.",
		"empty":      "",
	} {
		if got := Brief(all[name], nil, nil); !strings.Contains(got, want) || strings.HasPrefix(got, " ") || (got == "") != (want == "") {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	if got := Whole(all["twelve lines"], nil, nil); strings.Count(got, "sensor") != 12 {
		t.Errorf("all of twelve lines: %s", got)
	}
	if got := Brief(all["off axis"], []string{"first", "second"}, nil); !strings.HasPrefix(got, "OFF-AXIS: p 1 of 5 points (1 above, up to 391, axis to 9.95). first. second. x 0 to 4;") {
		t.Errorf("with findings: %s", got)
	}
}

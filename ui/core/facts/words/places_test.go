package words

import (
	"math"
	"strings"
	"testing"

	"easel/ui/core/facts"
)

func bars(label string, at, ends []float64, base ...float64) facts.Series {
	if base == nil {
		base = make([]float64, len(at))
	}
	return series(facts.Bars, label, "x", at, "y", ends, "base", base)
}

func errorBars(columns ...any) facts.Series { return series(facts.ErrorBars, "", columns...) }

// outline is the area of a violin at a place, from low to high and widest at peak.
func outline(label string, at, low, peak, high float64) facts.Series {
	var y, left, right []float64
	for i := range 41 {
		v := low + (high-low)*float64(i)/40
		off := (v - peak) / (high - low) * 4
		wide := 0.4 * math.Exp(-off*off)
		y, left, right = append(y, v), append(left, at-wide), append(right, at+wide)
	}
	return series(facts.Area, label, "y", y, "low", left, "high", right)
}

func cityAxis() facts.Axis {
	return facts.Axis{From: -1, To: 3, Names: []string{"Tokyo", "Osaka", "Kyoto"}}
}

func TestPlacesHaveTheirNames(t *testing.T) {
	up, three := facts.Axis{From: 0, To: 50}, []float64{0, 1, 2}
	numbered := facts.Axis{From: 0, To: 4, Names: []string{"Tokyo", "Osaka", "Kyoto"}, At: []float64{1, 2, 3}}
	two := facts.Axis{From: -1, To: 12, Names: []string{"Jan", "Jul"}, At: []float64{0, 6}}
	named := facts.Axis{From: -1, To: 3, Scale: facts.Category, Names: cityAxis().Names}
	box := series(facts.Box, "", "x", []float64{1, 2, 3}, "min", []float64{1, 0, 3}, "q1", []float64{2, 3, 4}, "median", []float64{3, 4, 5},
		"q3", []float64{4, 5, 6}, "max", []float64{9, 7, 8})
	grid := series(facts.Mesh, "", "value", []float64{4, 9, 5, 1})
	grid.Shape, grid.Extent = [2]int{2, 2}, [4]float64{0, 2, 0, 2}
	halves := func(names ...string) facts.Axis {
		return facts.Axis{From: 0, To: 2, Names: names, At: []float64{0.5, 1.5}}
	}
	for want, f := range map[string]facts.Figure{
		"2025 Tokyo 3, Osaka 9, Kyoto 4; 2026 Tokyo 5, Osaka 2, Kyoto 6.": one(cityAxis(), up,
			bars("2025", []float64{-0.2, 0.8, 1.8}, []float64{3, 9, 4}), bars("2026", []float64{0.2, 1.2, 2.2}, []float64{5, 2, 6})),
		"2027 Tokyo 3, Osaka 9, Kyoto 4.":      one(cityAxis(), up, bars("2027", []float64{0.5, 1.5, 2.5}, []float64{3, 9, 4})), // ticks at the first bar
		"v Tokyo 5, Kyoto 6.":                  one(cityAxis(), up, bars("v", []float64{0.2, 2.2}, []float64{5, 6})),
		"bars 12, min 0 at Jan, max 11 at 11.": one(two, up, bars("", upTo(12), upTo(12))),
		"gas Tokyo 3, Osaka 9, Kyoto 4; wind Tokyo 5, Osaka 2, Kyoto 6; stacked, totals Tokyo 8, Osaka 11, Kyoto 10.": one(cityAxis(), up,
			bars("gas", three, []float64{3, 9, 4}), bars("wind", three, []float64{8, 11, 10}, 3, 9, 4)),
		"bars Tokyo 10, Osaka 10 to 15, Kyoto 15 to 12.": one(cityAxis(), up, bars("", three, []float64{10, 15, 12}, 0, 10, 15)),
		"bars 3 at 0, 9 at 1, 4 at 2.":                   one(facts.Axis{From: -1, To: 3}, up, bars("", three, []float64{3, 9, 4})),
		"box medians Tokyo 3, Osaka 4, Kyoto 5; whiskers min 0 at Osaka, max 9 at Tokyo; outliers 1 point at (Kyoto, 20).": one(numbered, up,
			box, series(facts.Points, "outliers", "x", []float64{3}, "y", []float64{20})),
		"violins Tokyo 1 to 9 (widest at 3), Osaka 0 to 8 (widest at 4); marked Tokyo 3.5, Osaka 4.5.": one(numbered, up,
			outline("", 1, 1, 3, 9), outline("", 2, 0, 4, 8),
			errorBars("x", []float64{1, 2}, "low", []float64{1, 0}, "high", []float64{9, 8}),
			errorBars("y", []float64{1, 0}, "low", []float64{0.9, 1.9}, "high", []float64{1.1, 2.1}),
			errorBars("y", []float64{3.5, 4.5}, "low", []float64{0.9, 1.9}, "high", []float64{1.1, 2.1})),
		"points Tokyo 3, Osaka 9, Kyoto 4; error bars ±0.5 (Osaka) to ±2 (Kyoto).": one(named, up,
			series(facts.Points, "", "x", three, "y", []float64{3, 9, 4}),
			errorBars("x", three, "low", []float64{2, 8.5, 2}, "high", []float64{4, 9.5, 6})),
		"mesh 2 × 2, min 1 at (Sun, Mon), max 9 at (Sun, Tue).":         one(halves("Sat", "Sun"), halves("Tue", "Mon"), grid),
		"mesh 2 × 2, min 1 at (x 1.5, y 1.5), max 9 at (x 1.5, y 0.5).": one(up, up, grid),
		"x 0 to 2; u 3 points, min 1 at 0, max 4 at 1; v 3 points, min 3 at 1, max 5 at 2 (stacked).": one(up, up,
			series(facts.Area, "u", "x", three, "low", []float64{0, 0, 0}, "high", []float64{1, 4, 2}),
			series(facts.Area, "v", "x", three, "low", []float64{1, 4, 2}, "high", []float64{5, 7, 7})),
		"1 point at (3, 4).": one(facts.Axis{From: 2.8, To: 3.2}, up, series(facts.Points, "", "x", []float64{3}, "y", []float64{4})),
		"x 0 to 2; 5 × line of 3, min -2 at 1 (b), max 7 at 2 (d).": one(up, facts.Axis{From: -9, To: 9}, lines(three, map[string][]float64{
			"a": {0, 1, 2}, "b": {0, -2, 2}, "c": {3, 1, 2}, "d": {0, 1, 7}, "e": {1, 1, 1},
		})...),
	} {
		if got := Brief(f, nil, nil); got != want {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	}
}

func lines(at []float64, values map[string][]float64) (list []facts.Series) {
	for name := range strings.SplitSeq("abcde", "") {
		list = append(list, coloured(series(facts.Line, name, "x", at, "y", values[name]), "#00000"+name))
	}
	return list
}

// TestAWaveIsNoViolin: an area that is mirrored at y = 0.
func TestAWaveIsNoViolin(t *testing.T) {
	w := outline("", 0, 1, 3, 9)
	w.Columns[0].Name = "x"
	if got := Brief(one(facts.Axis{From: 0, To: 10}, facts.Axis{From: -1, To: 1}, w), nil, nil); !strings.Contains(got, "area 41 points") {
		t.Error(got)
	}
}

// TestBandsAroundAMeanAreNoViolins: they are at one place, which has no name.
func TestBandsAroundAMeanAreNoViolins(t *testing.T) {
	band := func(label string, far float64) facts.Series {
		x, low, high := upTo(20), []float64(nil), []float64(nil)
		for i := range x {
			low, high = append(low, -far*math.Sqrt(float64(i))), append(high, far*math.Sqrt(float64(i)))
		}
		return series(facts.Area, label, "x", x, "low", low, "high", high)
	}
	got := Brief(one(facts.Axis{From: 0, To: 20}, facts.Axis{From: -10, To: 10}, band("1σ", 1), band("2σ", 2)), nil, nil)
	if strings.Contains(got, "violin") || !strings.Contains(got, "1σ 20 points") {
		t.Error(got)
	}
}

// TestWhatIsManyIsSaidShorter: rather than being cut.
func TestWhatIsManyIsSaidShorter(t *testing.T) {
	f := facts.Figure{}
	for i := range 4 {
		a := facts.Axes{Number: i + 1, Title: "a title of axes", X: cityAxis(), Y: facts.Axis{From: 0, To: 50}}
		for _, name := range []string{"first", "second", "third"} {
			a.Series = append(a.Series, bars(name, upTo(3), []float64{3, 9, 4}))
		}
		f.Axes = append(f.Axes, a)
	}
	if got := Brief(f, nil, nil); strings.HasSuffix(got, "…") || strings.Count(got, "Axes") != 4 {
		t.Error(got)
	}
}

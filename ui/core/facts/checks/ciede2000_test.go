package checks

import (
	"math"
	"testing"

	"easel/ui/core/facts"
)

var nan = math.NaN()

// TestDifferencesOfColours compares with values of Sharma, Wu and Dalal (2005), table 1.
func TestDifferencesOfColours(t *testing.T) {
	for _, c := range []struct {
		p, q [3]float64
		want float64
	}{
		{[3]float64{50, 2.6772, -79.7751}, [3]float64{50, 0, -82.7485}, 2.0425},
		{[3]float64{50, -1, 2}, [3]float64{50, 0, 0}, 2.3669},
		{[3]float64{50, 2.49, -0.001}, [3]float64{50, -2.49, 0.0011}, 7.2195},
		{[3]float64{50, -0.001, 2.49}, [3]float64{50, 0.0011, -2.49}, 4.7461},
		{[3]float64{50, 2.5, 0}, [3]float64{73, 25, -18}, 27.1492},
		{[3]float64{60.2574, -34.0099, 36.2677}, [3]float64{60.4626, -34.1751, 39.4387}, 1.2644},
		{[3]float64{22.7233, 20.0904, -46.6940}, [3]float64{23.0331, 14.9730, -42.5619}, 2.0373},
		{[3]float64{2.0776, 0.0795, -1.1350}, [3]float64{0.9033, -0.0636, -0.5514}, 0.9082},
	} {
		for _, got := range []float64{ciede2000(c.p, c.q), ciede2000(c.q, c.p)} {
			if math.Abs(got-c.want) > 1e-4 {
				t.Errorf("%v, %v: %.4f, want %.4f", c.p, c.q, got, c.want)
			}
		}
	}
}

// palettes are colours that people choose to be told apart, and samples of colour maps.
var palettes = map[string][]string{
	"tab10":   {"#1f77b4", "#ff7f0e", "#2ca02c", "#d62728", "#9467bd", "#8c564b", "#e377c2", "#7f7f7f", "#bcbd22", "#17becf"},
	"Set1":    {"#e41a1c", "#377eb8", "#4daf4a", "#984ea3", "#ff7f00", "#ffff33", "#a65628", "#f781bf", "#999999"},
	"Set2":    {"#66c2a5", "#fc8d62", "#8da0cb", "#e78ac3", "#a6d854", "#ffd92f", "#e5c494", "#b3b3b3"},
	"Dark2":   {"#1b9e77", "#d95f02", "#7570b3", "#e7298a", "#66a61e", "#e6ab02", "#a6761d", "#666666"},
	"deep":    {"#4c72b0", "#dd8452", "#55a868", "#c44e52", "#8172b3", "#937860", "#da8bc3", "#8c8c8c", "#ccb974", "#64b5cd"},
	"plotly":  {"#636efa", "#ef553b", "#00cc96", "#ab63fa", "#ffa15a", "#19d3f3", "#ff6692", "#b6e880", "#ff97ff", "#fecb52"},
	"viridis": {"#440154", "#482878", "#3e4989", "#31688e", "#26828e", "#1f9e89", "#35b779", "#6ece58", "#b5de2b", "#fde725"},
	"Blues":   {"#f7fbff", "#dbe9f6", "#bad6eb", "#89bedc", "#539ecd", "#2b7bba", "#0b559f", "#08306b"},
}

func TestOrdinaryPalettesAreToldApart(t *testing.T) {
	lines := func(alpha float64, colours ...string) facts.Figure {
		var ss []facts.Series
		for i, c := range colours {
			s := xy(facts.Line, string(rune('a'+i)), []float64{1, 2}, []float64{float64(i), 3})
			s.Colour = c
			if i == 0 {
				s.Alpha = alpha
			}
			ss = append(ss, s)
		}
		return one(ss...)
	}
	for name, colours := range palettes {
		for _, f := range Find(lines(0, colours...)) {
			if f.Check == NearColour || f.Check == LookAlike {
				t.Errorf("%s: %s", name, f.Text())
			}
		}
	}
	expect(t, lines(0, "#ffa500", "#ff8c00"), NearColour) // orange, darkorange
	expect(t, lines(0, "#ff0000", "#ff4500"), NearColour) // red, orangered
	expect(t, lines(0.3, "#ff0000", "#ff0000"))
	expect(t, lines(0.5, "#ff0000", "#ff8080"), NearColour) // looks the same on white
}

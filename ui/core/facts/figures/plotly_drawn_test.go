package figures

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"easel/ui/core/facts"
)

// TestWhatPlotlyDraws compares facts with what plotly.js computed and drew: bins, heights, bars, quartiles and colours of figures of
// plotly 7.1, which a browser has drawn.
func TestWhatPlotlyDraws(t *testing.T) {
	data, err := os.ReadFile("testdata/plotly.json")
	if err != nil {
		t.Fatal(err)
	}
	type drawnTrace struct {
		Type, Colour string
		Legend       bool
		Bins, Boxes  [][]float64
	}
	var all map[string]struct {
		Figure json.RawMessage
		Drawn  []drawnTrace
	}
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	for name, c := range all {
		t.Run(name, func(t *testing.T) {
			f := read(t, plotlyMIME, string(c.Figure))
			of := make(map[string][]facts.Series)
			for _, a := range f.Axes {
				if a.More > 0 {
					t.Errorf("%d series of axes %d were not read", a.More, a.Number)
				}
				for _, s := range a.Series {
					what := map[facts.Kind]string{facts.Box: "boxes", facts.Points: "points"}[s.Kind]
					of[what] = append(of[what], s)
				}
			}
			for _, d := range c.Drawn {
				if len(d.Boxes) > 0 && name != "strip" {
					sameBoxes(t, of["boxes"][0], d.Boxes)
					of["boxes"] = of["boxes"][1:]
				}
				if len(d.Bins) > 0 {
					if s := of[""][0]; d.Colour != "" && s.Colour != "" && !strings.EqualFold(s.Colour, d.Colour) {
						t.Errorf("colour %s, want %s", s.Colour, d.Colour)
					}
					sameBins(t, of[""][0], d.Bins)
					of[""] = of[""][1:]
				}
			}
		})
	}
}

func sameBoxes(t *testing.T, s facts.Series, want [][]float64) {
	t.Helper()
	for i, box := range want {
		for j, column := range fiveNames {
			w := box[j]
			if s.Style == "violin" && column == "min" {
				w = box[5]
			}
			if s.Style == "violin" && column == "max" {
				w = box[6]
			}
			if got := s.Numbers(column)[i]; math.Abs(got-w) > 1e-7*math.Abs(w) {
				t.Errorf("box %d: %s %v, want %v", i, column, got, w)
			}
		}
	}
}

func sameBins(t *testing.T, s facts.Series, want [][]float64) {
	t.Helper()
	at, up, base := s.Numbers("x"), s.Numbers("y"), s.Numbers("base")
	if s.Kind == facts.BarsH || s.Columns[0].Name == "y" {
		at, up = s.Numbers("y"), s.Numbers("x")
	}
	if len(at) != len(want) {
		t.Fatalf("%d bins, want %d: %v, %v", len(at), len(want), at, want)
	}
	width := 1.0
	if s.Kind == facts.Histogram {
		width = s.Numbers("width")[0]
	}
	for i, w := range want {
		from, height := at[i], up[i]
		b := 0.0
		if base != nil {
			b = base[i]
		}
		if s.Kind == facts.Bars || s.Kind == facts.BarsH {
			height -= b
		}
		// What plotly.js shows of a bin is rounded, and begins at its first value if it has only one.
		if math.Abs(from-w[0]) > 0.51*width || math.Abs(height-w[1]) > 1e-7*math.Abs(w[1]) || math.Abs(b-w[2]) > 1e-7*math.Abs(w[2]) {
			t.Errorf("bin %d: %s, want %v", i, fmt.Sprint(from, height, b), w)
		}
	}
}

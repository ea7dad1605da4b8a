package vlconvert

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image/png"
	"math"
	"os/exec"
	"slices"
	"testing"

	"easel/internal/require"
	"easel/jupyter/jupytertest"
	"easel/ui/core/facts"
	"easel/ui/core/picture/axes"
	"easel/ui/core/render"
)

type expectedSeries struct {
	Kind    facts.Kind
	Label   string
	Columns map[string][]float64
}

// TestFactsOfAltair compares what drawn charts of Altair say with what pandas computes.
func TestFactsOfAltair(t *testing.T) {
	python := jupytertest.Python(t)
	cmd := exec.CommandContext(t.Context(), python, "testdata/altair_charts.py")
	made, err := cmd.Output()
	require.NoError(t, err)
	var charts []struct {
		Name string
		Spec json.RawMessage
		Axes [][]expectedSeries
	}
	require.NoError(t, json.Unmarshal(made, &charts))
	e := newEngine(t, nil)
	for _, c := range charts {
		t.Run(c.Name, func(t *testing.T) {
			p, err := e.Draw(t.Context(), render.Request{MIME: liteType, Data: c.Spec, Scale: 2})
			require.NoError(t, err)
			f, ok := facts.Read(p.Facts)
			if !ok || len(f.Axes) != len(c.Axes) {
				t.Fatalf("%d axes, want %d (ok %v)", len(f.Axes), len(c.Axes), ok)
			}
			for i, want := range c.Axes {
				if a := f.Axes[i]; len(a.Series) != len(want) {
					t.Errorf("axes %d: %d series and %d more, want %d: %+v", i+1, len(a.Series), a.More, len(want), a.Series)
				} else {
					for k, s := range want {
						compareSeries(t, &a.Series[k], s)
					}
				}
			}
			if place, ok := axes.Parse(p.PNG); c.Name != "pie" && (!ok || len(place.Axes) != len(f.Axes)) {
				t.Errorf("the picture describes %d axes", len(place.Axes))
			} else if ok {
				inPlace(t, p.PNG, f, place)
			}
		})
	}
}

// inPlace checks that the middle of each bar, and each line over the whole axes, has its colour where the picture says that it is.
func inPlace(t *testing.T, data []byte, f facts.Figure, places axes.Figure) {
	t.Helper()
	pic, err := png.Decode(bytes.NewReader(data))
	require.NoError(t, err)
	for i, a := range f.Axes {
		for _, s := range a.Series {
			x, y, base := s.Numbers("x"), s.Numbers("y"), s.Numbers("base")
			for k := range max(len(x), len(y)) {
				var px, py float64
				var ok bool
				switch at := places.Axes[i]; s.Kind {
				case facts.Bars:
					px, py, ok = at.Pixel(x[k], (y[k]+base[k])/2)
				case facts.BarsH:
					px, py, ok = at.Pixel((x[k]+base[k])/2, y[k])
				case facts.Rules:
					px, py, ok = at.Pixel(at.X.From, y[k])
					px += 3
				default:
					continue
				}
				r, g, b, _ := pic.At(int(px), int(py)).RGBA()
				if got := fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8); !ok || got != s.Colour {
					t.Errorf("axes %d: %s %d is at %.0f, %.0f, where the picture is %s, not %s", i+1, s.Kind, k, px, py, got, s.Colour)
				}
			}
		}
	}
}

// compareSeries compares the rows of a series, in any order unless it is a line.
func compareSeries(t *testing.T, s *facts.Series, want expectedSeries) {
	t.Helper()
	if s.Kind != want.Kind || s.Label != want.Label {
		t.Errorf("%s %q, want %s %q", s.Kind, s.Label, want.Kind, want.Label)
	}
	var names []string
	for name := range want.Columns {
		names = append(names, name)
	}
	slices.Sort(names)
	got, expected := rowsOf(names, s.Numbers), rowsOf(names, func(n string) []float64 { return want.Columns[n] })
	if s.Kind != facts.Line {
		slices.SortFunc(got, slices.Compare)
		slices.SortFunc(expected, slices.Compare)
	}
	same := func(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Max(1, math.Abs(b)) }
	if len(got) != len(expected) {
		t.Errorf("%s %q: %d rows, want %d", s.Kind, s.Label, len(got), len(expected))
		return
	}
	for i := range got {
		if !slices.EqualFunc(got[i], expected[i], same) {
			t.Errorf("%s %q: %v is %v, want %v", s.Kind, s.Label, names, got[i], expected[i])
			return
		}
	}
}

func rowsOf(names []string, column func(string) []float64) (rows [][]float64) {
	for i, name := range names {
		for k, v := range column(name) {
			if i == 0 {
				rows = append(rows, nil)
			}
			if k < len(rows) {
				rows[k] = append(rows[k], v)
			}
		}
	}
	return rows
}

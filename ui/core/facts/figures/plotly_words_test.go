package figures

import (
	"encoding/json"
	"os"
	"testing"

	"easel/ui/core/facts/words"
)

// TestWhatIsSaidOfPlotly covers figures as plotly 7.1 writes them, by what is said of them.
func TestWhatIsSaidOfPlotly(t *testing.T) {
	said(t, plotlyMIME, "testdata/plotly-more.json", plotlySays)
}

var plotlySays = map[string]string{
	"area":      "x 1 to 3; p 3 points, min 1 at 1, max 3 at 3; q 3 points, min 4 at 1, max 6 at 3 (stacked).",
	"contour":   "image 2 × 2, min 1 at (x 0, y 0), max 4 at (x 10, y 1).",
	"cut":       "bars a 10, a 10 to 30, b 30, b 30 to 70, c 50, c 50 to 110.",
	"errors":    "error bars 1 of 6 NaN. x 2026-01-01 to 2026-01-06; error bars 6, min -370 at 2026-01-03, max 430 at 2026-01-03; line 6 points, min 10 at 2026-01-01, max 60 at 2026-01-06.",
	"facet":     "Axes 3 (g=c): c 1 of 2 NaN. Axes 1 (g=a): x 10 to 20; a 2 points, min 1.5 at 10, max 2 at 20. Axes 2 (g=b): x 30 to 40; b 2 points, min 3 at 40, max 400 at 30. Axes 3 (g=c): x 50 to 60; c 2 points, all 5.",
	"gantt":     "bars A 2026-01-01 to 2026-01-05, B 2026-01-03 to 2026-01-08.",
	"gl":        "x -3.67 to 3.54; 3000 points, min -3.32 at 0.111, max 3.75 at 0.699.",
	"heat":      "image 2 × 3, heat min 0 at (x a, y 0), max 5 at (x c, y 1).",
	"log":       "OFF-AXIS: points 1 of 4 points (1 to the right, up to 100, axis to 50). x 0 to 100; 4 points, min 1 at 1, max 4 at 0.",
	"order":     "bars b 1, a 2.",
	"pie":       "pie a 66.7%, b 33.3%.",
	"polar":     "line N 1, E 2, S 3.",
	"rules":     "points 1 of 6 NaN. x 10 to 60; 6 points, min 1.5 at 10, max 400 at 30; lines at y=3, x=25.",
	"scatter3d": "1 more series.",
	"secondary": "Left axis (Two): v 1 of 6 NaN. Left axis (Two): x 0 to 5; v 6 points, min 1.5 at 0, max 400 at 2, last 5. Right axis: x 0 to 5; w 6 points, min 10 at 0, max 60 at 5.",
	"subplots":  "Axes 1 (Left): OFF-AXIS: v 1 of 6 points (1 above, up to 400, axis to 10). Axes 1 (Left): v 1 of 6 NaN. Axes 1 (Left): x 2026-01-01 to 2026-01-06; v 6 points, min 1.5 at 2026-01-01, max 400 at 2026-01-03, last 5. Axes 2 (Right): w a 10, a 20, b 30, b 40, c 50, c 60.",
	"violin":    "violin medians a 15, b 35, c 55; ends min 10 at a, max 60 at c.",
}

// said compares what is said of the figures in a file.
func said(t *testing.T, mime, file string, want map[string]string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	for name, figure := range all {
		f, _ := Read(mime, figure)
		if got := words.Brief(f, nil, nil); got != want[name] {
			t.Errorf("%q: %q,", name, got)
		}
	}
}

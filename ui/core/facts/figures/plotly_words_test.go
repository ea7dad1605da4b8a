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
	"area":      "p 3 points, 0 to 3 (max at 3); q 3 points, 1 to 9 (max at 3).",
	"contour":   "image 2 × 2 1 to 4.",
	"cut":       "bars a 10, a 30, b 30, b 70, c 50, c 110.",
	"errors":    "error bars 1 of 6 NaN. error bars 6 points, -370 to 430 (max at 2026-01-03); line 6 points, 10 to 60 (max at 2026-01-06).",
	"facet":     "Axes 3 (g=c): c 1 of 2 NaN. Axes 1 (g=a): a 2 points, 1.5 to 2 (max at 20). Axes 2 (g=b): b 2 points, 3 to 400 (max at 30). Axes 3 (g=c): c 2 points, all 5.",
	"gantt":     "bars A 2026-01-05, B 2026-01-08.",
	"gl":        "3000 points, -3.32 to 3.75 (max at 0.699).",
	"heat":      "image 2 × 3, heat 0 to 5.",
	"log":       "OFF-AXIS: points 1 of 4 points. x 1 to 50; 4 points, 1 to 4 (max at 0).",
	"order":     "bars b 1, a 2.",
	"pie":       "pie a 66.7%, b 33.3%.",
	"polar":     "line 3 points, 1 to 3 (max at S).",
	"rules":     "points 1 of 6 NaN. 6 points, 1.5 to 400 (max at 30); lines at y=3, x=25.",
	"scatter3d": "1 more series.",
	"secondary": "Axes 1 (Two): v 1 of 6 NaN. Axes 1 (Two): v 6 points, 1.5 to 400 (max at 2), last 5. Axes 2: w 6 points, 10 to 60 (max at 5).",
	"subplots":  "Axes 1 (Left): OFF-AXIS: v 1 of 6 points (y up to 400, axis to 10). Axes 1 (Left): v 1 of 6 NaN. Axes 1 (Left): v 6 points, 1.5 to 400 (max at 2026-01-03), last 5. Axes 2 (Right): w a 10, a 20, b 30, b 40, c 50, c 60.",
	"violin":    "violins a 15, b 35, c 55.",
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

package figures

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"easel/ui/core/facts/words"
)

// TestWhatIsSaidOfBokeh covers scripts and pages as bokeh 3.9 writes them, by what is said of them.
func TestWhatIsSaidOfBokeh(t *testing.T) {
	data, err := os.ReadFile("testdata/bokeh.json")
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]string
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	for name, source := range all {
		mime := scriptType
		if name == "page" || name == "components" {
			mime = htmlType
		}
		f, _ := Read(mime, []byte(source))
		if got := words.Brief(f, nil, nil); got != bokehSays[name] {
			t.Errorf("%q: %q,", name, got)
		}
	}
}

var bokehSays = map[string]string{
	"area":       "area 3 points, 0 to 3 (max at 3); lines at y=2.",
	"bars":       "bars a 1, b 2, c 3.",
	"components": "bars a 1, b 2, c 3.",
	"dates":      "6 points, 10 to 60 (max at 2026-01-06).",
	"dodge":      "bars a 1, b 2.",
	"hbar":       "bars a 1, b 2.",
	"hist":       "histogram 8 bins from -2.44 to 2.46, highest 44 at -0.604 to 0.00793, sum 200.",
	"image":      "image 2 × 3 0 to 5.",
	"lines":      "OFF-AXIS: v 1 of 6 points (y up to 400, axis to 10), w 5 of 6 points (y up to 60, axis to 10). v 1 of 6 NaN. not drawn, as they are between NaN: v 1. v 6 points, 1.5 to 400 (max at 2), last 5; w 6 points, 10 to 60 (max at 5).",
	"nested":     "bars x / a 1, x / b 2.",
	"page":       "bars a 1, b 2, c 3.",
	"pie":        "1 more series.",
	"row":        "Axes 1 (A): 2 points, 3 to 4 (max at 2). Axes 2 (B): line 2 points, 3 to 4 (max at 2).",
	"stack":      "u a 1, b 2; w a 4, b 6.",
	"twin":       "Axes 2: OFF-AXIS: R 1 of 3 points (y up to 200, axis to 100). Axes 1: L 3 points, 1 to 3 (max at 3). Axes 2: R 3 points, 10 to 200 (max at 2), last 30.",
}

// TestPages covers pages that contain a figure of Plotly.
func TestPages(t *testing.T) {
	const plot = `Plotly.newPlot(   "a1b2",   [{"y":[1,2,99],"type":"scatter"}],  {"yaxis":{"range":[0,5]}},  {"responsive": true}  )`
	for page, want := range map[string]string{
		"<html><script>" + plot + "</script></html>":                     "OFF-AXIS: line 1 of 3 points (y up to 99, axis to 5). line 3 points, 1 to 99 (max at 2).",
		"<script>" + strings.Replace(plot, "[{", "x[{", 1) + "</script>": "",
	} {
		f, _ := Read(htmlType, []byte(page))
		if got := words.Brief(f, nil, nil); got != want {
			t.Errorf("%s: %q", page, got)
		}
	}
}

package figures

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"easel/ui/core/facts"
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
	"area":       "x 1 to 3; area 3 points, min 1 at 1, max 3 at 3; lines at y=2.",
	"bars":       "bars a 1, b 2, c 3.",
	"components": "bars a 1, b 2, c 3.",
	"dates":      "x 2026-01-01 to 2026-01-06; 6 points, min 10 at 2026-01-01, max 60 at 2026-01-06.",
	"dodge":      "bars a 1, b 2.",
	"hbar":       "bars a 1, b 2.",
	"hist":       "histogram 8 bins from -2.44 to 2.46, highest 44 at -0.604 to 0.00793, lowest 6 at 1.84 to 2.46, sum 200.",
	"image":      "image 2 × 3, min 0 at (x 0.5, y 0.5), max 5 at (x 2.5, y 1.5).",
	"lines":      "OFF-AXIS: v 1 of 6 points (1 above, up to 400, axis to 10), w 5 of 6 points (5 above, up to 60, axis to 10). v 1 of 6 NaN. x 0 to 5; v 6 points, min 1.5 at 0, max 400 at 2, last 5; w 6 points, min 10 at 0, max 60 at 5.",
	"nested":     "bars x / a 1, x / b 2.",
	"page":       "bars a 1, b 2, c 3.",
	"pie":        "1 more series.",
	"row":        "Axes 1 (A): x 1 to 2; 2 points, min 3 at 1, max 4 at 2. Axes 2 (B): x 1 to 2; line 2 points, min 3 at 1, max 4 at 2.",
	"stack":      "u a 1, b 2; w a 3, b 4; stacked, totals a 4, b 6.",
	"twin":       "Right axis: OFF-AXIS: R 1 of 3 points (1 above, up to 200, axis to 100). Left axis: x 1 to 3; L 3 points, min 1 at 1, max 3 at 3. Right axis: x 1 to 3; R 3 points, min 10 at 1, max 200 at 2, last 30.",
}

// TestPages covers pages that contain a figure of Plotly.
func TestPages(t *testing.T) {
	const plot = `Plotly.newPlot(   "a1b2",   [{"y":[1,2,99],"type":"scatter"}],  {"yaxis":{"range":[0,5]}},  {"responsive": true}  )`
	for page, want := range map[string]string{
		"<html><script>" + plot + "</script></html>":                     "OFF-AXIS: line 1 of 3 points (1 above, up to 99, axis to 5). x 0 to 2; line 3 points, min 1 at 0, max 99 at 2.",
		"<script>" + strings.Replace(plot, "[{", "x[{", 1) + "</script>": "",
	} {
		f, _ := Read(htmlType, []byte(page))
		if got := words.Brief(f, nil, nil); got != want {
			t.Errorf("%s: %q", page, got)
		}
	}
}

// TestBarsAreAsWideAsTheirAxisSays: in seconds if that has dates, which Bokeh has in milliseconds.
func TestBarsAreAsWideAsTheirAxisSays(t *testing.T) {
	for kind, want := range map[string]string{
		"date":   "[{x [86400 172800]} {y [1 2]} {width [43200 43200]}]",
		"linear": "[{x [8.64e+07 1.728e+08]} {y [1 2]} {width [4.32e+07 4.32e+07]}]",
	} {
		bar := model{"type": "object", "name": "VBar", "attributes": map[string]any{
			"x": map[string]any{"field": "x"}, "top": map[string]any{"field": "top"}, "width": map[string]any{"value": 4.32e7},
		}}
		g := &glyph{&bokehPlot{bokehReader: &bokehReader{left: 100}}, bar, map[string]any{"x": []any{8.64e7, 1.728e8}, "top": []any{1.0, 2.0}}}
		a := &bokehAxes{Axes: new(facts.Axes), x: newScale(), y: newScale()}
		a.x.kind = kind
		s, ok := g.columns(facts.Series{Kind: facts.Bars}, a, "x x", "y top", "width width", "base bottom")
		if got := fmt.Sprint(s.Columns); !ok || got != want {
			t.Errorf("%s: %s, want %s", kind, got, want)
		}
	}
}

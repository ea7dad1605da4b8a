package browser

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image/png"
	"math"
	"testing"

	"easel/internal/require"
	"easel/ui/core/render"
)

// TestLiveALegendWithAScrollBar tells how large the figure has to be so that the legend needs none.
func TestLiveALegendWithAScrollBar(t *testing.T) {
	e := shared(t)
	figure := func(kind string, traces, legends, high int) (render.Request, int) {
		var data []map[string]any
		for i := range traces {
			trace := map[string]any{"type": kind, "name": fmt.Sprint("series ", i), "x": []int{0, 1}, "y": []int{0, i}, "z": []int{0, i}}
			if i%legends > 0 {
				trace["legend"] = "legend2"
			}
			data = append(data, trace)
		}
		raw, err := json.Marshal(map[string]any{"data": data, "layout": map[string]any{"legend2": map[string]any{"x": 0}}})
		require.NoError(t, err)
		return render.Request{MIME: "application/vnd.plotly.v1+json", Data: raw, Width: high * 3 / 2, Height: high}, high
	}
	for _, c := range []struct {
		kind                  string
		traces, legends, high int
		scrolls               bool
	}{
		{"scatter", 3, 1, 300, false},
		{"scatter", 20, 1, 700, false},
		{"scatter", 20, 1, 300, true},
		{"scatter", 20, 2, 260, true},
		{"scatter", 1, 1, 300, false},
		{"scatter3d", 20, 1, 300, true},
		{"scatter3d", 3, 1, 300, false},
	} {
		r, high := figure(c.kind, c.traces, c.legends, c.high)
		pic := draw(t, e, r)
		if pic.Grow > 1 != c.scrolls || pic.Height != high {
			t.Errorf("%+v: the figure has to be %v times as large as %d", c, pic.Grow, pic.Height)
			continue
		}
		if bar, drawn := looksLike(t, pic.PNG); bar != c.scrolls || !drawn {
			t.Errorf("%+v: a scroll bar %v, the traces %v", c, bar, drawn)
		}
		if !c.scrolls {
			continue
		}
		r.Width, r.Height = int(math.Round(float64(r.Width)*pic.Grow)), int(math.Round(float64(r.Height)*pic.Grow))
		if again := draw(t, e, r); again.Grow > 1 {
			t.Errorf("%+v: at %v times the size, it has to be %v times as large", c, pic.Grow, again.Grow)
		}
		r.Height = r.Height * 9 / 10
		if less := draw(t, e, r); less.Grow <= 1 {
			t.Errorf("%+v: a size below %v times as large is enough", c, pic.Grow)
		}
	}
}

// looksLike reports whether a picture shows a scroll bar of Plotly, and traces.
func looksLike(t *testing.T, data []byte) (bar, drawn bool) {
	t.Helper()
	m, err := png.Decode(bytes.NewReader(data))
	require.NoError(t, err)
	grey, left := 0, 0
	for y := range m.Bounds().Dy() {
		for x := range m.Bounds().Dx() {
			switch r, g, b, _ := m.At(x, y).RGBA(); {
			case r>>8 == 0x80 && g>>8 == 0x8b && b>>8 == 0xa4:
				grey++
			case x < m.Bounds().Dx()*6/10 && max(r, g, b)>>8-min(r, g, b)>>8 > 0x40: // no axis and no legend has colours there
				left++
			}
		}
	}
	return grey > 20, left > 20
}

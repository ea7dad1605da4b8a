package browser

import (
	"bytes"
	"fmt"
	"image/png"
	"testing"

	"easel/internal/require"
	"easel/ui/core/render"
)

// TestTallCharts: a chart that is higher than a canvas of the browser may be is drawn, where the browser shows a sad face instead.
func TestTallCharts(t *testing.T) {
	e := shared(t)
	const chart = `{"data":{"sequence":{"start":0,"stop":100,"as":"a"}},"width":300,"height":20000,"mark":{"type":"bar","color":"red"},
		"encoding":{"y":{"field":"a","type":"ordinal"},"x":{"value":0},"x2":{"value":300}}}`
	const page = `<script src="https://cdn.jsdelivr.net/npm/vega@6"></script><script src="https://cdn.jsdelivr.net/npm/vega-lite@6"></script>
		<script src="https://cdn.jsdelivr.net/npm/vega-embed@7"></script><div id="vis"></div><script>vegaEmbed("#vis", %s, {actions: false})</script>`
	for _, r := range []render.Request{
		{MIME: "application/vnd.vegalite.v5+json", Data: []byte(chart), Scale: 4}, {MIME: "text/html", Data: fmt.Appendf(nil, page, chart), Scale: 4},
	} {
		pic := draw(t, e, r)
		m, err := png.Decode(bytes.NewReader(pic.PNG))
		require.NoError(t, err)
		n := 0
		for y := range pic.Height {
			if r, g, _, _ := m.At(pic.Width/2, y).RGBA(); r > 0xc000 && g < 0x4000 {
				n++
			}
		}
		if pic.Height < 8000 || n < pic.Height/2 {
			t.Errorf("%s: of a column of %d pixels, %d are red", r.MIME, pic.Height, n)
		}
	}
}

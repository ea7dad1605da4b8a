package browser

import (
	"bytes"
	"image"
	"image/png"
	"math"
	"testing"

	"easel/internal/require"
	"easel/ui/core/facts"
	"easel/ui/core/facts/figures"
	"easel/ui/core/picture/axes"
	"easel/ui/core/render"
)

// TestPlotlySaysWhereItsAxesAre draws one large red point on each of several axes, and compares where it is
// with where the description of the axes has it.
func TestPlotlySaysWhereItsAxesAre(t *testing.T) {
	const figure = `{"data":[
		{"x":[0,3,10],"y":[1,7,9],"marker":{"size":[1,30,1],"color":["#fff","#f00","#fff"],"line":{"width":0}},"mode":"markers"},
		{"x":["2026-01-01","2026-01-05","2026-02-01"],"y":[1,100,5000],"xaxis":"x2","yaxis":"y2","marker":{"size":[1,30,1],"color":["#fff","#f00","#fff"],"line":{"width":0}},"mode":"markers"},
		{"type":"pie","values":[1,2],"domain":{"x":[0,0.1],"y":[0,0.1]}},
		{"x":["a","b","c"],"y":[1,2,3],"xaxis":"x3","yaxis":"y3","marker":{"size":[1,30,1],"color":["#fff","#f00","#fff"],"line":{"width":0}},"mode":"markers"}
	],"layout":{"showlegend":false,"title":{"text":"A"},"xaxis":{"domain":[0,0.28],"autorange":"reversed"},"xaxis2":{"domain":[0.4,0.65],"anchor":"y2"},
		"xaxis3":{"domain":[0.75,1],"anchor":"y3"},"yaxis":{"range":[0,10]},"yaxis2":{"type":"log","anchor":"x2"},"yaxis3":{"anchor":"x3"}}}`
	e := shared(t)
	for _, scale := range []float64{1, 2} {
		pic := draw(t, e, render.Request{MIME: "application/vnd.plotly.v1+json", Data: []byte(figure), Width: 900, Height: 400, Scale: scale})
		f, ok := axes.Parse(pic.PNG)
		if !ok || len(f.Axes) != 3 {
			t.Fatalf("axes: %+v", f)
		}
		pointsInPlace(t, pic.PNG, f, scale, []pointAt{{1, 3, 7}, {2, 1767571200, 100}, {4, 1, 2}})
	}
}

// TestBokehSaysWhereItsAxesAre is the same for Bokeh, with twin axes, which lie on the first ones.
func TestBokehSaysWhereItsAxesAre(t *testing.T) {
	e := shared(t)
	for _, scale := range []float64{1, 2} {
		r := request(t, "text/html", "bokeh-axes.html")
		r.Scale = scale
		pic := draw(t, e, r)
		f, ok := axes.Parse(pic.PNG)
		if !ok || len(f.Axes) != 4 {
			t.Fatalf("axes: %+v", f)
		}
		pointsInPlace(t, pic.PNG, f, scale, []pointAt{{1, 3, 7}, {2, 3, 700}, {3, 1767571200, 100}, {4, 1, 2}})
		known, _ := figures.Read("text/html", r.Data)
		if len(known.Axes) != 4 || known.Axes[1].Side != facts.Right || known.Axes[3].X.Scale != facts.Category {
			t.Errorf("the facts have other axes: %+v", known.Axes)
		}
	}
}

type pointAt struct {
	number int
	x, y   float64
}

// pointsInPlace compares where the red points are with where they are said to be.
func pointsInPlace(t *testing.T, data []byte, f axes.Figure, scale float64, points []pointAt) {
	t.Helper()
	m, err := png.Decode(bytes.NewReader(data))
	require.NoError(t, err)
	for i, at := range points {
		a := f.Axes[i]
		if a.Number != at.number {
			t.Errorf("axes %d, want %d", a.Number, at.number)
		}
		x, y, ok := a.Pixel(at.x, at.y)
		seenX, seenY := middle(m, a.Box)
		if !ok || math.Abs(x-seenX) > 1.5*scale || math.Abs(y-seenY) > 1.5*scale {
			t.Errorf("axes %d at scale %v: the point is at %.1f, %.1f and not %.1f, %.1f", a.Number, scale, seenX, seenY, x, y)
		}
	}
}

// middle returns the middle of the red pixels in a box.
func middle(m image.Image, b axes.Rect) (x, y float64) {
	n := 0.0
	for py := int(b.Y0); py < int(b.Y1); py++ {
		for px := int(b.X0); px < int(b.X1); px++ {
			if r, g, blue, _ := m.At(px, py).RGBA(); r > 0xc000 && g < 0x6000 && blue < 0x6000 {
				x, y, n = x+float64(px)+0.5, y+float64(py)+0.5, n+1
			}
		}
	}
	return x / n, y / n
}

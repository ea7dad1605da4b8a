package redraw

import (
	"bytes"
	"context"
	"image/png"
	"log/slog"
	"os"
	"testing"
	"time"

	"easel/internal/require"
	"easel/jupyter/jupytertest"
	"easel/mcphost/catalog"
	"easel/ui/core/figures"
	"easel/ui/core/library"
	"easel/ui/core/render"
	"easel/ui/core/render/vlconvert"
)

// oneChart is a library of one chart of Altair's.
type oneChart struct{ figures.Library }

func (oneChart) ReadForm(context.Context, library.Image, string) ([]byte, error) {
	return []byte(`{"data":{"values":[{"a":1,"b":4},{"a":2,"b":1},{"a":3,"b":3}]},"mark":{"type":"line","color":"red","strokeWidth":9},"title":"Three values",
		"encoding":{"x":{"field":"a","type":"quantitative"},"y":{"field":"b","type":"quantitative"}}}`), nil
}

// TestVectorPicturesOfChartsAreLookedAt has vl-convert write a chart, and draw what it has written.
func TestVectorPicturesOfChartsAreLookedAt(t *testing.T) {
	python := jupytertest.Python(t)
	e := vlconvert.New(vlconvert.Config{Python: func() string { return python }, Limit: time.Minute, Log: slog.New(slog.DiscardHandler)})
	defer func() { require.NoError(t, e.Close()) }()
	drawer := figures.New(figures.Config{Library: oneChart{}, Renderer: render.New(e), Log: slog.New(slog.DiscardHandler)})
	d := &Redrawer{Engines: drawer, Library: oneChart{}}
	im := library.Image{Image: catalog.Image{SessionID: "s"}, Forms: []library.StoredForm{{MIME: liteType}}}
	for _, format := range []string{SVG, PDF} {
		p, err := d.Redraw(t.Context(), im, Request{Format: format, Width: 3.5, Height: 3, Look: 1568})
		require.NoError(t, err)
		m, err := png.Decode(bytes.NewReader(p.Preview))
		require.NoError(t, err)
		if dir := os.Getenv("EASEL_LOOK"); dir != "" {
			require.NoError(t, os.WriteFile(dir+"/looked-at-"+format+".png", p.Preview, 0o600))
		}
		red := 0
		for y := range m.Bounds().Dy() {
			for x := range m.Bounds().Dx() {
				if r, g, _, _ := m.At(x, y).RGBA(); r > 0xd000 && g < 0x3000 {
					red++
				}
			}
		}
		if long := max(m.Bounds().Dx(), m.Bounds().Dy()); long < 1500 || long > 1600 || red < 10*long {
			t.Errorf("%s: %v with %d red pixels", format, m.Bounds(), red)
		}
	}
}

package figures

import (
	"context"
	"regexp"

	"easel/ui/core/render/page"
)

// A sign is something in code that figures of a type follow.
type sign struct {
	code *regexp.Regexp
	mime string
}

// signs are the names of libraries, as code imports them, and their usual abbreviations.
var signs = []sign{
	{regexp.MustCompile(`\b(?:plotly|px\.\w+\(|go\.Figure|PlotlyJS)`), page.PlotlyType + "1+json"},
	{regexp.MustCompile(`\bpx\.\w+_3d\(|\bgo\.(?:Scatter3d|Surface|Mesh3d|Cone|Streamtube|Isosurface|Volume)\(`), page.Plotly3DType},
	{regexp.MustCompile(`\b(?:pydeck|pdk\.\w+\()`), page.PydeckType},
	{regexp.MustCompile(`\b(?:bokeh|holoviews|hvplot|hv\.\w+\(|folium|leafmap|great_tables|HTML\()`), "text/html"},
	{regexp.MustCompile(`\b(?:altair|alt\.\w+\(|vega|vegafusion|VegaLite)`), "application/vnd.vegalite.v5+json"},
}

// Expect looks at code that a kernel has begun to run. If it uses a library whose figures
// have to be drawn, RunPreparing starts the engine for them, which takes seconds, while the
// code runs.
func (d *Drawer) Expect(code string) {
	for _, s := range signs {
		if !s.code.MatchString(code) {
			continue
		}
		select {
		case d.soon <- s.mime:
		default: // enough is being prepared
		}
	}
}

// RunPreparing prepares what Expect expects, until ctx is done.
func (d *Drawer) RunPreparing(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case mime := <-d.soon:
			ctx, cancel := context.WithTimeout(ctx, patience)
			if err := d.cfg.Renderer.Prepare(ctx, mime); err != nil {
				d.cfg.Log.DebugContext(ctx, "preparing to draw figures", "type", mime, "err", err)
			}
			cancel()
		}
	}
}

package redraw

import (
	"errors"
	"testing"
	"time"

	"easel/jupyter"
	"easel/mcphost/catalog"
	"easel/ui/core/kernels/inspect"
	"easel/ui/core/library"
	"easel/ui/core/render"
)

// TestTheWayToDrawAgain covers what Easel knows of a plot, and what a kernel says that was asked.
func TestTheWayToDrawAgain(t *testing.T) {
	const displayed, saved = "\x89PNG iTXteasel:axes\x00 tEXtSoftware\x00Matplotlib version 3.10", "\x89PNG tEXtSoftware\x00Matplotlib version 3.10"
	for what, c := range map[string]struct {
		forms   []string // types
		content string
		file    bool // on disk
		keeps   bool
		answer  error // the kernel's
		likely  string
		asked   string
	}{
		"a figure that was displayed":     {[]string{"image/png"}, displayed, false, true, nil, catalog.RedrawnByKernel, catalog.RedrawnByKernel},
		"newer ones have taken its place": {[]string{"image/png"}, displayed, false, true, &inspect.NoFigureError{Reason: inspect.FigureOld}, catalog.RedrawnByKernel, catalog.RedrawnByReplay},
		"the kernel is busy":              {[]string{"image/png"}, displayed, false, true, jupyter.ErrKernelBusy, catalog.RedrawnByKernel, catalog.RedrawnByKernel},
		"the kernel keeps none":           {[]string{"image/png"}, displayed, false, false, errors.New("must not be asked"), catalog.RedrawnByReplay, catalog.RedrawnByReplay},
		"a file of matplotlib's":          {[]string{"image/png"}, saved, false, true, &inspect.NoFigureError{Reason: inspect.FigureUnknown}, catalog.RedrawnByReplay, catalog.RedrawnByReplay},
		"a figure without a description":  {[]string{"image/png"}, saved, false, true, nil, catalog.RedrawnByReplay, catalog.RedrawnByKernel},
		"a photo":                         {[]string{"image/jpeg"}, "\xff\xd8 Canon", false, true, nil, catalog.RedrawnNot, catalog.RedrawnNot},
		"an SVG of a kernel that ended":   {[]string{"image/svg+xml"}, "<svg> Matplotlib v3.10", false, false, nil, catalog.RedrawnStored, catalog.RedrawnStored},
		"an SVG that the kernel keeps":    {[]string{"image/svg+xml"}, "<svg> Matplotlib v3.10", false, true, nil, catalog.RedrawnStored, catalog.RedrawnByKernel},
		"a figure with its SVG":           {[]string{"image/png", "image/svg+xml"}, displayed, false, true, &inspect.NoFigureError{Reason: inspect.FigureChanged}, catalog.RedrawnByKernel, catalog.RedrawnStored},
		"a Plotly figure":                 {[]string{"image/png", plotlyType}, saved, false, true, nil, catalog.RedrawnStored, catalog.RedrawnStored},
		"a file on disk":                  {[]string{"image/png"}, displayed, true, true, nil, catalog.RedrawnNot, catalog.RedrawnNot},
	} {
		t.Run(what, func(t *testing.T) {
			b := &bench{content: c.content, keeps: c.keeps, refused: c.answer}
			im := library.Image{Image: catalog.Image{SessionID: "s", CreatedAt: time.Now()}}
			if c.file {
				im.SessionID = ""
			}
			for _, mime := range c.forms {
				im.Forms = append(im.Forms, library.StoredForm{MIME: mime})
			}
			d := &Redrawer{Kernels: b, Engines: b, Library: b}
			if got := d.Way(t.Context(), im, false).By; got != c.likely || len(b.sought) > 0 {
				t.Errorf("without asking: %q, want %q; asked for %q", got, c.likely, b.sought)
			}
			if got := d.Way(t.Context(), im, true).By; got != c.asked {
				t.Errorf("asked: %q, want %q", got, c.asked)
			}
			if !c.keeps && len(b.sought) > 0 {
				t.Errorf("a kernel that keeps no figures was asked for %q", b.sought)
			}
		})
	}
}

// TestTheWayOfAFigureThatNoEngineDraws: without a browser, the data of a Plotly figure is stored and nothing draws it.
func TestTheWayOfAFigureThatNoEngineDraws(t *testing.T) {
	b := &bench{broken: &render.UnavailableError{Lacks: render.LacksBrowser, Reason: "no browser", Remedy: "install one"}}
	d := &Redrawer{Kernels: b, Engines: b, Library: b}
	im := library.Image{Image: catalog.Image{SessionID: "s"}, Forms: []library.StoredForm{{MIME: "image/png"}, {MIME: plotlyType}}}
	if got := d.Way(t.Context(), im, true); got.By != catalog.RedrawnNot || got.Data || got.Why == nil || got.Why.Reason != Engine {
		t.Errorf("got %+v", got)
	}
}

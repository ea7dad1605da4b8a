package kernels_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"easel/internal/require"
	"easel/jupyter/jupytertest"
	"easel/mcphost/catalog"
	"easel/ui/core/kernels"
	"easel/ui/core/library"
	outputfile "easel/ui/core/library/output"
)

const (
	plotlyMIME = "application/vnd.plotly.v1+json"
	vegaMIME   = "application/vnd.vegalite.v5+json"
	bokehMIME  = "application/vnd.bokehjs_exec.v0+json"
)

// dataURI returns a picture as a data URI in a page of HTML, with the line breaks of MIME.
func dataURI(t *testing.T) string {
	t.Helper()
	data := drawn(t, 9, 9, pngOf)
	return "data:image/png;base64," + data[:76] + "\n" + data[76:]
}

func TestFiguresWithoutAPictureAreKeptAsTheirData(t *testing.T) {
	t.Parallel()
	d, s, k, _ := fakeSession(t)
	layout := map[string]any{"layout": map[string]any{"title": map[string]any{"text": "Sales<br>by <b>month</b>"}}}
	for name, c := range map[string]struct {
		forms map[string]any
		kind  string
		title string
		says  string   // part of the description
		mimes []string // of the stored forms, the figure itself first
	}{
		"Plotly": {
			map[string]any{plotlyMIME: layout, "text/html": "<div>…</div>", "text/plain": "Figure({…})"},
			"plotly", "Sales by month", "An interactive Plotly figure; it has no picture here: fig.show(renderer='png') gives one (it needs the package kaleido, and a browser where the kernel is)",
			[]string{plotlyMIME, "text/html"},
		},
		"Plotly without a title":   {map[string]any{plotlyMIME: map[string]any{"data": []int{1}}}, "plotly", "In the code", "Plotly", []string{plotlyMIME}},
		"HTML":                     {map[string]any{"text/html": "<h1>Hello</h1>", "text/plain": "<IPython.core.display.HTML object>"}, "html", "In the code", "An HTML page", []string{"text/html"}},
		"Plotly with PNG":          {map[string]any{plotlyMIME: layout, "image/png": drawn(t, 3, 3, pngOf), "text/plain": "…"}, "", "Sales by month", "Plot 1 in this run", []string{"image/png", plotlyMIME}},
		"HoloViews by matplotlib":  {map[string]any{"text/html": "<img src='" + dataURI(t) + "' style='margin: auto'/>", "text/plain": ":Curve   [x]   (y)"}, "", "In the code", "Plot 1 in this run", []string{"image/png"}},
		"a picture with its words": {map[string]any{"text/html": "<h4>A day</h4>\n<a href=\"#\"><img src=\"" + dataURI(t) + "\"></a><img src=\"" + dataURI(t) + "\">", "text/plain": "<IPython.core.display.HTML object>"}, "", "In the code", "Plot 1 in this run", []string{"image/png", "text/html"}},
		"a picture in Markdown":    {map[string]any{"text/markdown": "![a](" + strings.ReplaceAll(dataURI(t), "\n", "") + " \"A\")", "text/plain": "<IPython.core.display.Markdown object>"}, "", "In the code", "Plot 1 in this run", []string{"image/png"}},
		"SVG as HTML":              {map[string]any{"text/html": svg, "text/plain": "<IPython.core.display.HTML object>"}, "", "In the code", "", []string{"image/svg+xml"}},
	} {
		t.Run(name, func(t *testing.T) {
			k.OnExecute(func(x *jupytertest.Execution) { x.Usual(func() { x.Display(c.forms, ""); x.Display(c.forms, "") }) })
			v, again := d.run(s, "plt.title('In the code')\nplt.show()"), d.run(s, "plt.title('In the code')\nplt.show()")
			if len(v.Images) != 1 || len(again.Images) != 1 || len(v.Truncated) != 0 {
				t.Fatalf("got %+v, said %+v", v.Images, v.Truncated)
			}
			i := v.Images[0]
			if diff := cmp.Diff([]any{c.kind, c.title, again.Images[0].Path}, []any{i.Interactive, i.Title, i.Path}); diff != "" {
				t.Errorf("kind, title, path (-want +got):\n%s", diff)
			}
			if !strings.Contains(i.Description, c.says) || i.Width != 0 && c.kind != "" || i.ImageID == again.Images[0].ImageID {
				t.Errorf("got %+v", v.Images)
			}
			_, kept, err := d.lib.Images.Read(t.Context(), i.ImageID)
			var mimes []string
			for _, f := range kept.Forms {
				mimes = append(mimes, f.MIME)
			}
			if err != nil || !slices.Equal(mimes, c.mimes) || kept.Interactive != c.kind || kept.Code != v.Code {
				t.Errorf("kept %v, want %v: %v", mimes, c.mimes, err)
			}
		})
	}
	t.Run("an update replaces it", func(t *testing.T) {
		k.OnExecute(func(x *jupytertest.Execution) {
			x.Usual(func() {
				x.Display(map[string]any{plotlyMIME: map[string]any{"data": []int{1}}}, "fig")
				x.Update(map[string]any{plotlyMIME: layout}, "fig")
			})
		})
		v := d.run(s, "show()")
		if len(v.Images) != 1 || v.Images[0].Replaces == "" || v.Images[0].Title != "Sales by month" {
			t.Errorf("got %+v", v.Images)
		}
	})
}

// TestAFigureMayBeDrawnWhileItIsReplaced is a test for the race detector: figures are drawn on
// other goroutines than the one that records their updates.
func TestAFigureMayBeDrawnWhileItIsReplaced(t *testing.T) {
	t.Parallel()
	d, s, k, _ := fakeSession(t)
	figure := func(n int) map[string]any { return map[string]any{plotlyMIME: map[string]any{"data": []int{n}}} }
	k.OnExecute(func(x *jupytertest.Execution) {
		x.Usual(func() {
			x.Display(figure(0), "fig")
			for n := range 30 {
				x.Update(figure(n+1), "fig")
			}
		})
	})
	x := d.start(s, "show()")
	ctx, drawn := d.context(), make(map[string]bool)
	for ended := false; !ended; {
		select {
		case <-x.Done():
			ended = true
		default:
		}
		v, err := x.View(ctx, "")
		require.NoError(t, err)
		for _, i := range v.Images {
			i.Description, drawn[i.ImageID] = "Drawn", true
			d.Drawn(library.Image{Image: i})
		}
	}
	v := d.wait(x)
	if len(v.Images) != 1 || v.Images[0].Replaces == "" || !drawn[v.Images[0].ImageID] {
		t.Errorf("got %+v after drawing %d versions", v.Images, len(drawn))
	}
}

func TestADisplayOfTextMayBecomeAPicture(t *testing.T) {
	t.Parallel()
	d, s, k, _ := fakeSession(t)
	for name, forms := range map[string]map[string]any{
		"a picture": {"image/png": drawn(t, 5, 5, pngOf)}, "a figure": {plotlyMIME: map[string]any{"data": []int{1}}},
	} {
		t.Run(name, func(t *testing.T) {
			k.OnExecute(func(x *jupytertest.Execution) {
				x.Usual(func() {
					x.Display(map[string]any{"text/plain": "waiting …"}, name)
					x.Update(forms, name)
					x.Update(forms, name)
				})
			})
			if v := d.run(s, "show()"); len(v.Images) != 1 || v.Images[0].Replaces == "" {
				t.Errorf("got %+v", v.Images)
			}
		})
	}
}

func TestWhatIsNoFigureMakesNoImage(t *testing.T) {
	t.Parallel()
	d, s, k, _ := fakeSession(t)
	for name, c := range map[string]struct {
		forms map[string]any
		says  string // part of the note; "" for no note
		kept  bool
	}{
		"Bokeh's box":           {map[string]any{"text/html": "\n<div id=\"p1\" style=\"display: contents;\"></div>\n"}, "", true},
		"HoloViews' loading":    {map[string]any{"application/vnd.holoviews_load.v0+json": ""}, "", false},
		"a figure without data": {map[string]any{bokehMIME: ""}, "Bokeh figure was shown; it has no picture here", true},
		"a data frame":          {map[string]any{"text/html": "<div><table></table></div>", "text/plain": "   a\n0  1"}, "", true},
		"plain text":            {map[string]any{"text/plain": "42"}, "", false},
		"a damaged PDF":         {map[string]any{"application/pdf": "?", "text/plain": "<Figure size 640x480 with 1 Axes>"}, "InlineBackend.figure_formats = ['png'] gives one", true},
		"a damaged picture":     {map[string]any{"image/png": "?", "text/plain": "<Figure>"}, "cannot be read (image/png)", true},
	} {
		t.Run(name, func(t *testing.T) {
			k.OnExecute(func(x *jupytertest.Execution) { x.Usual(func() { x.Display(c.forms, ""); x.Display(c.forms, "") }) })
			v := d.run(s, "show()")
			if len(v.Images) != 0 || (c.says == "") != (len(v.Truncated) == 0) || c.says != "" && (v.Truncated[0].Stream != "images" || !strings.Contains(v.Truncated[0].Reason, c.says)) {
				t.Errorf("got %+v, said %+v, want %q", v.Images, v.Truncated, c.says)
			}
			kept, _, err := d.lib.Output.Read(t.Context(), v.ExecutionID, outputfile.Displays, 0, 1<<20)
			if err != nil || bytes.Count(kept, []byte("\n")) != map[bool]int{true: 2}[c.kept] {
				t.Errorf("kept %q, %v", kept, err)
			}
		})
	}
}

func TestTablesAndFormulasAreFiguresIfWanted(t *testing.T) {
	t.Parallel()
	srv := jupytertest.NewServer(t)
	d := openFixture(t, srv.URL, srv.Token, 10, func(m *kernels.Manager) { m.DrawText(func() bool { return true }) })
	s := d.session()
	srv.Kernel(s.KernelID).OnExecute(func(x *jupytertest.Execution) {
		x.Usual(func() {
			x.Display(map[string]any{"text/html": "<table></table>", "text/plain": "a"}, "")
			x.Display(map[string]any{"text/latex": "$x$", "text/plain": "x"}, "")
			x.Display(map[string]any{"text/html": "<progress></progress>", "text/plain": "50 %"}, "")
		})
	})
	v := d.run(s, "show()")
	if len(v.Images) != 2 || v.Images[0].Interactive != "table" || v.Images[1].Interactive != "latex" || len(v.Truncated) != 0 {
		t.Errorf("got %+v, said %+v", v.Images, v.Truncated)
	}
}

// gathering returns a session whose pictures wait that long for others.
func gathering(t *testing.T, wait time.Duration) (*fixture, library.Session, *jupytertest.Kernel) {
	t.Helper()
	srv := jupytertest.NewServer(t)
	d := openFixture(t, srv.URL, srv.Token, 10, func(m *kernels.Manager) { m.BatchImages(wait) })
	s := d.session()
	return d, s, srv.Kernel(s.KernelID)
}

// pause waits for c, or until the kernel ends.
func pause(x *jupytertest.Execution, c <-chan struct{}) {
	select {
	case <-c:
	case <-x.Context().Done():
	}
}

func picturesAre(n int) func(catalog.Execution) bool {
	return func(v catalog.Execution) bool { return len(v.Images) == n }
}

func TestPicturesAreKeptInBatches(t *testing.T) {
	t.Parallel()
	picture := func() map[string]any { return map[string]any{"image/png": drawn(t, 3, 3, pngOf)} }
	t.Run("the first waits for nothing, the others for the end at most", func(t *testing.T) {
		t.Parallel()
		d, s, k := gathering(t, time.Hour)
		more, later, end := make(chan struct{}), make(chan struct{}), make(chan struct{})
		k.OnExecute(func(x *jupytertest.Execution) {
			x.Usual(func() {
				x.Display(picture(), "")
				pause(x, more)
				x.Display(picture(), "")
				x.Display(picture(), "")
				x.Stream("stdout", "drawn\n")
				pause(x, later)
				x.Stream("stdout", "later\n")
				pause(x, end)
			})
		})
		x := d.start(s, "1")
		d.until(x, picturesAre(1))
		close(more)
		d.until(x, hasStdout)
		close(later)
		if v := d.until(x, func(v catalog.Execution) bool { return v.Stdout == "drawn\nlater\n" }); len(v.Images) != 1 {
			t.Errorf("%d pictures are kept, want one: the others are not due", len(v.Images))
		}
		close(end)
		v := d.wait(x)
		expect(t, v, catalog.StatusOK, "drawn\nlater\n")
		if len(v.Images) != 3 {
			t.Errorf("%d pictures at the end, want 3", len(v.Images))
		}
	})
	t.Run("they do not wait longer than they should", func(t *testing.T) {
		t.Parallel()
		d, s, k := gathering(t, 50*time.Millisecond)
		more, end := make(chan struct{}), make(chan struct{})
		k.OnExecute(func(x *jupytertest.Execution) {
			x.Usual(func() {
				x.Display(picture(), "")
				pause(x, more)
				x.Display(picture(), "")
				pause(x, end)
			})
		})
		x := d.start(s, "1")
		d.until(x, picturesAre(1))
		close(more)
		d.until(x, picturesAre(2)) // no other message would flush it
		close(end)
		expect(t, d.wait(x), catalog.StatusOK, "")
	})
	t.Run("what a thread drew late is kept when the kernel goes", func(t *testing.T) {
		t.Parallel()
		d, s, k := gathering(t, time.Hour)
		k.OnExecute(func(x *jupytertest.Execution) {
			x.Usual(func() { x.Display(picture(), "") })
			x.Display(picture(), "")
		})
		x := d.start(s, "1")
		d.wait(x)
		require.NoError(t, k.Settle(d.context()))
		k.Delete()
		d.until(x, picturesAre(2))
		kept, err := d.lib.Images.OfExecution(d.context(), x.ID())
		if err != nil || len(kept) != 2 {
			t.Errorf("%d pictures are kept, %v", len(kept), err)
		}
	})
}

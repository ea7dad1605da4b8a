package kernels_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"easel/jupyter/jupytertest"
	"easel/ui/core/library"
)

const (
	plotlyMIME = "application/vnd.plotly.v1+json"
	vegaMIME   = "application/vnd.vegalite.v5+json"
	bokehMIME  = "application/vnd.bokehjs_exec.v0+json"
)

// dataURI is a picture as a page of HTML may hold it, with the line breaks of MIME.
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
		says  string   // in the description
		mimes []string // of what is kept, the figure itself first
	}{
		"Plotly": {
			map[string]any{plotlyMIME: layout, "text/html": "<div>…</div>", "text/plain": "Figure({…})"},
			"plotly", "Sales by month", "An interactive Plotly figure; it has no picture here: fig.show(renderer='png') gives one (it needs the package kaleido, and a browser where the kernel is)",
			[]string{plotlyMIME, "text/html"},
		},
		"Plotly with an older title": {map[string]any{plotlyMIME: map[string]any{"layout": map[string]any{"title": "Old"}}}, "plotly", "Old", "Plotly", []string{plotlyMIME}},
		"Plotly without a title":     {map[string]any{plotlyMIME: map[string]any{"data": []int{1}}}, "plotly", "In the code", "Plotly", []string{plotlyMIME}},
		"Altair":                     {map[string]any{vegaMIME: map[string]any{"title": map[string]any{"text": []string{"Two", "lines"}}}, "text/plain": "<VegaLite 5 object>"}, "vegalite", "Two lines", "Vega-Lite", []string{vegaMIME}},
		"Vega":                       {map[string]any{"application/vnd.vega.v5+json": map[string]any{"title": "V"}}, "vega", "V", "Vega chart", []string{"application/vnd.vega.v5+json"}},
		"Bokeh":                      {map[string]any{bokehMIME: "", "application/javascript": "draw()"}, "bokeh", "In the code", "Bokeh", []string{"application/javascript"}},
		"HoloViews":                  {map[string]any{"application/vnd.holoviews_exec.v0+json": "", "text/html": "<div id=1></div>", "text/plain": ":Curve   [x]   (y)"}, "holoviews", "In the code", "HoloViews", []string{"text/html"}},
		"Altair by a script":         {map[string]any{"text/html": "<style></style><div id=a></div><script>vega-embed(…)</script>", "text/plain": "alt.Chart(...)"}, "vegalite", "In the code", "Vega-Lite chart", []string{"text/html"}},
		"a widget":                   {map[string]any{"application/vnd.jupyter.widget-view+json": map[string]any{"model_id": "a"}, "text/plain": "Map(center=[1, 2])"}, "widget", "In the code", "widget", []string{"application/vnd.jupyter.widget-view+json"}},
		"a map in HTML":              {map[string]any{"text/html": "<iframe></iframe>", "text/plain": "<folium.folium.Map at 0x7f>"}, "html", "In the code", "An HTML page", []string{"text/html"}},
		"HTML":                       {map[string]any{"text/html": "<h1>Hello</h1>", "text/plain": "<IPython.core.display.HTML object>"}, "html", "In the code", "An HTML page", []string{"text/html"}},
		"Plotly with PNG":            {map[string]any{plotlyMIME: layout, "image/png": drawn(t, 3, 3, pngOf), "text/plain": "…"}, "", "Sales by month", "Figure 1", []string{"image/png", plotlyMIME}},
		"HoloViews by matplotlib":    {map[string]any{"text/html": "<img src='" + dataURI(t) + "' style='margin: auto'/>", "text/plain": ":Curve   [x]   (y)"}, "", "In the code", "Figure 1", []string{"image/png"}},
		"a picture with its words":   {map[string]any{"text/html": "<h4>A day</h4>\n<a href=\"#\"><img src=\"" + dataURI(t) + "\"></a><img src=\"" + dataURI(t) + "\">", "text/plain": "<IPython.core.display.HTML object>"}, "", "In the code", "Figure 1", []string{"image/png", "text/html"}},
		"several pictures in HTML":   {map[string]any{"text/html": strings.Repeat("<img src=\""+dataURI(t)+"\">", 2), "text/plain": "<IPython.core.display.HTML object>"}, "html", "In the code", "An HTML page", []string{"text/html"}},
		"an object's pictures":       {map[string]any{"text/html": strings.Repeat("<img src=\""+dataURI(t)+"\">", 2), "text/plain": "Pictures(2)"}, "html", "In the code", "An HTML page", []string{"text/html"}},
		"a picture that is damaged":  {map[string]any{"text/html": "<img src=\"data:image/png;base64,?\">", "text/plain": "<IPython.core.display.HTML object>"}, "html", "In the code", "An HTML page", []string{"text/html"}},
		"a picture by its address":   {map[string]any{"text/html": "<img src=\"https://example.org/data:image/png;base64,AAAA\">", "text/plain": "<IPython.core.display.Image object>"}, "html", "In the code", "An HTML page", []string{"text/html"}},
		"a script with a picture":    {map[string]any{"text/html": "<div></div><img src=\"" + dataURI(t) + "\"><script>draw()</script>", "text/plain": ":HoloMap"}, "html", "In the code", "An HTML page", []string{"text/html"}},
		"a picture in Markdown":      {map[string]any{"text/markdown": "![a](" + strings.ReplaceAll(dataURI(t), "\n", "") + " \"A\")", "text/plain": "<IPython.core.display.Markdown object>"}, "", "In the code", "Figure 1", []string{"image/png"}},
		"Markdown with a picture":    {map[string]any{"text/markdown": "# A day\n<img src=\"" + dataURI(t) + "\">", "text/plain": "<IPython.core.display.Markdown object>"}, "", "In the code", "Figure 1", []string{"image/png", "text/markdown"}},
		"a map beside its data":      {map[string]any{"text/html": "<iframe srcdoc=\"&lt;script&gt;\"></iframe>", "text/plain": "{\n  \"latitude\": 0}"}, "html", "In the code", "An HTML page", []string{"text/html"}},
		"an object's SVG as HTML":    {map[string]any{"text/html": "\n" + svg + "\n", "text/plain": "Drawing()"}, "", "In the code", "", []string{"image/svg+xml"}},
		"an SVG in a box":            {map[string]any{"text/html": `<div><svg xmlns="http://www.w3.org/2000/svg"><image href="` + dataURI(t) + `"/></svg></div>`, "text/plain": "<IPython.core.display.HTML object>"}, "html", "In the code", "An HTML page", []string{"text/html"}},
		"two SVGs":                   {map[string]any{"text/html": "<div></div>" + svg + svg, "text/plain": "<IPython.core.display.HTML object>"}, "html", "In the code", "An HTML page", []string{"text/html"}},
		"a report with an estimator": {map[string]any{"text/html": `<h1>Report</h1><div id="sk-container-id-1"></div><script>draw()</script>`, "text/plain": "<IPython.core.display.HTML object>"}, "html", "In the code", "An HTML page", []string{"text/html"}},
		"a report with a logo":       {map[string]any{"text/html": `<h1>Report</h1><div class="logo-block"></div>`, "text/plain": "<IPython.core.display.HTML object>"}, "html", "In the code", "An HTML page", []string{"text/html"}},
		"Lets-Plot with its library": {map[string]any{"text/html": `<div><script data-lets-plot-script="library">load()</script><script data-lets-plot-script="plot">draw()</script></div>`, "text/plain": "<IPython.core.display.HTML object>"}, "html", "In the code", "An HTML page", []string{"text/html"}},
		"SVG as HTML":                {map[string]any{"text/html": svg, "text/plain": "<IPython.core.display.HTML object>"}, "", "In the code", "", []string{"image/svg+xml"}},
	} {
		t.Run(name, func(t *testing.T) {
			k.OnExecute(func(x *jupytertest.Execution) { x.Usual(func() { x.Display(c.forms, ""); x.Display(c.forms, "") }) })
			v, again := d.run(s, "show(figure(title='In the code'))"), d.run(s, "show(figure(title='In the code'))")
			if len(v.Images) != 1 || len(again.Images) != 1 || len(v.Truncated) != 0 {
				t.Fatalf("got %+v, said %+v", v.Images, v.Truncated)
			}
			i := v.Images[0]
			if i.Interactive != c.kind || i.Title != c.title || !strings.Contains(i.Description, c.says) || i.Width != 0 && c.kind != "" || i.ImageID == again.Images[0].ImageID || i.Path != again.Images[0].Path {
				t.Errorf("got %+v", v.Images)
			}
			_, kept, err := d.lib.Read(t.Context(), i.ImageID)
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
		says  string // "": nothing
		kept  bool
	}{
		"Bokeh's logo":          {map[string]any{"text/html": "<style>.bk-notebook-logo {}</style><div>Loading BokehJS</div>"}, "", true},
		"Bokeh's box":           {map[string]any{"text/html": "\n<div id=\"p1\" style=\"display: contents;\"></div>\n"}, "", true},
		"Bokeh's loading":       {map[string]any{"application/vnd.bokehjs_load.v0+json": "", "application/javascript": "load()"}, "", true},
		"HoloViews' loading":    {map[string]any{"application/vnd.holoviews_load.v0+json": ""}, "", false},
		"HoloViews' connection": {map[string]any{"application/vnd.holoviews_exec.v0+json": "", "text/html": `<div id='a'></div><script>{"name":"panel.models.comm_manager.CommManager"}</script>`}, "", true},
		"HoloViews' logos": {map[string]any{"text/html": `
<div class="logo-block"><a href="#"><img src='` + dataURI(t) + `'></img></a><span>ⓘ</span></div>`}, "", true},
		"thumbnails in a table":  {map[string]any{"text/html": `<table><tr><td><img src="` + dataURI(t) + `"></td><td><img src="` + dataURI(t) + `"></td></tr></table>`, "text/plain": "   a\n0  1"}, "", true},
		"a figure without data":  {map[string]any{bokehMIME: ""}, "Bokeh figure was shown; it has no picture here", true},
		"a data frame":           {map[string]any{"text/html": "<div><table></table></div>", "text/plain": "   a\n0  1"}, "", true},
		"a styled data frame":    {map[string]any{"text/html": "<style type=\"text/css\"></style>\n<table id=\"T_1\"></table>", "text/plain": "<pandas.io.formats.style.Styler at 0x7f>"}, "", true},
		"a table as HTML":        {map[string]any{"text/html": "<table></table>", "text/plain": "<IPython.core.display.HTML object>"}, "HTML page was shown", true},
		"tqdm's bar":             {map[string]any{"application/vnd.jupyter.widget-view+json": map[string]any{"model_id": "a"}, "text/plain": "  0%|          | 0/10 [00:00<?, ?it/s]"}, "", true},
		"a formula":              {map[string]any{"text/latex": "$x$", "text/plain": "x"}, "", true},
		"a library's script":     {map[string]any{"text/html": "<script>load()</script>"}, "", true},
		"a script of its own":    {map[string]any{"application/javascript": "alert()"}, "", true},
		"plain text":             {map[string]any{"text/plain": "42"}, "", false},
		"an estimator's diagram": {map[string]any{"text/html": `<style></style><div id="sk-container-id-1">…</div><script>copy()</script>`, "text/plain": "LinearRegression()"}, "", true},
		"an older diagram":       {map[string]any{"text/html": "<style></style><div>…</div>", "text/plain": "LinearRegression()"}, "", true},
		"Lets-Plot's loading":    {map[string]any{"text/html": "<div id=\"a\"></div><script data-lets-plot-script=\"library\">load()</script>"}, "", true},
		"a page of PDF":          {map[string]any{"application/pdf": "JVBERi0=", "text/plain": "<Figure size 640x480 with 1 Axes>"}, "InlineBackend.figure_formats = ['png'] gives one", true},
		"a form nobody reads":    {map[string]any{"image/bmp": "Qk0=", "text/plain": "<Figure>"}, "cannot be read (image/bmp)", true},
		"a damaged picture":      {map[string]any{"image/png": "?", "text/plain": "<Figure>"}, "cannot be read (image/png)", true},
		"an SVG among words":     {map[string]any{"text/html": svg + "<p>words</p>", "text/plain": "Drawing()"}, "", true},
		"two drawings":           {map[string]any{"text/html": svg + svg, "text/plain": "Drawing()"}, "", true},
	} {
		t.Run(name, func(t *testing.T) {
			k.OnExecute(func(x *jupytertest.Execution) { x.Usual(func() { x.Display(c.forms, ""); x.Display(c.forms, "") }) })
			v := d.run(s, "show()")
			if len(v.Images) != 0 || (c.says == "") != (len(v.Truncated) == 0) || c.says != "" && (v.Truncated[0].Stream != "images" || !strings.Contains(v.Truncated[0].Reason, c.says)) {
				t.Errorf("got %+v, said %+v, want %q", v.Images, v.Truncated, c.says)
			}
			kept, _, err := d.lib.ReadOutput(t.Context(), v.ExecutionID, library.Displays, 0, 1<<20)
			if err != nil || bytes.Count(kept, []byte("\n")) != map[bool]int{true: 2}[c.kept] {
				t.Errorf("kept %q, %v", kept, err)
			}
		})
	}
}

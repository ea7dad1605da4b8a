package mimebundle_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"image"
	"image/png"
	"slices"
	"strings"
	"testing"

	"easel/internal/require"
	"easel/ui/core/mimebundle"
	"easel/ui/core/picture"
)

const (
	plotlyMIME = "application/vnd.plotly.v1+json"
	vegaMIME   = "application/vnd.vegalite.v5+json"
	bokehMIME  = "application/vnd.bokehjs_exec.v0+json"
	svg        = `<svg xmlns="http://www.w3.org/2000/svg" width="20" height="10"><rect width="20" height="10"/></svg>`
)

// pngData returns a picture in base64, as kernels send it.
func pngData(t *testing.T) string {
	t.Helper()
	m := image.NewRGBA(image.Rect(0, 0, 9, 9))
	for i := range m.Pix {
		m.Pix[i] = byte(i * 7)
	}
	var b bytes.Buffer
	require.NoError(t, png.Encode(&b, m))
	return base64.StdEncoding.EncodeToString(b.Bytes())
}

// dataURI returns a picture as a data URI with a line break, as in HTML.
func dataURI(t *testing.T) string {
	t.Helper()
	data := pngData(t)
	return "data:image/png;base64," + data[:76] + "\n" + data[76:]
}

// bundle converts Go values to a MIME bundle.
func bundle(t *testing.T, forms map[string]any) mimebundle.Bundle {
	t.Helper()
	b := make(mimebundle.Bundle)
	for mime, value := range forms {
		raw, err := json.Marshal(value)
		require.NoError(t, err)
		b[mime] = raw
	}
	return b
}

func TestRead(t *testing.T) {
	t.Parallel()
	layout := map[string]any{"layout": map[string]any{"title": map[string]any{"text": "Sales<br>by <b>month</b>"}}}
	for name, c := range map[string]struct {
		forms map[string]any
		kind  string
		title string
		says  string   // description of a figure without a picture
		mimes []string // types of the forms, in order
	}{
		"Plotly": {
			map[string]any{plotlyMIME: layout, "text/html": "<div>…</div>", "text/plain": "Figure({…})"},
			"plotly", "Sales by month", "An interactive Plotly figure; it has no picture here: fig.show(renderer='png') gives one (it needs the package kaleido, and a browser where the kernel is)",
			[]string{plotlyMIME, "text/html"},
		},
		"Plotly with an older title": {map[string]any{plotlyMIME: map[string]any{"layout": map[string]any{"title": "Old"}}}, "plotly", "Old", "Plotly", []string{plotlyMIME}},
		"Plotly without a title":     {map[string]any{plotlyMIME: map[string]any{"data": []int{1}}}, "plotly", "", "Plotly", []string{plotlyMIME}},
		"Altair":                     {map[string]any{vegaMIME: map[string]any{"title": map[string]any{"text": []string{"Two", "lines"}}}, "text/plain": "<VegaLite 5 object>"}, "vegalite", "Two lines", "Vega-Lite", []string{vegaMIME}},
		"charts side by side":        {map[string]any{vegaMIME: map[string]any{"hconcat": []any{map[string]any{"title": "左"}, map[string]any{"vconcat": []any{map[string]any{"title": "Right"}, map[string]any{"title": "左"}, map[string]any{"mark": "bar"}}}}}}, "vegalite", "左 · Right", "Vega-Lite", []string{vegaMIME}},
		"a title above the charts":   {map[string]any{vegaMIME: map[string]any{"title": "All", "concat": []any{map[string]any{"title": "One"}}}}, "vegalite", "All", "Vega-Lite", []string{vegaMIME}},
		"a repeated chart":           {map[string]any{vegaMIME: map[string]any{"repeat": []string{"a", "b"}, "spec": map[string]any{"title": "Each"}}}, "vegalite", "Each", "Vega-Lite", []string{vegaMIME}},
		"Vega":                       {map[string]any{"application/vnd.vega.v5+json": map[string]any{"title": "V"}}, "vega", "V", "Vega chart", []string{"application/vnd.vega.v5+json"}},
		"Bokeh":                      {map[string]any{bokehMIME: "", "application/javascript": "draw()"}, "bokeh", "", "Bokeh", []string{"application/javascript"}},
		"HoloViews":                  {map[string]any{"application/vnd.holoviews_exec.v0+json": "", "text/html": "<div id=1></div>", "text/plain": ":Curve   [x]   (y)"}, "holoviews", "", "HoloViews", []string{"text/html"}},
		"Altair by a script":         {map[string]any{"text/html": "<style></style><div id=a></div><script>vega-embed(…)</script>", "text/plain": "alt.Chart(...)"}, "vegalite", "", "Vega-Lite chart", []string{"text/html"}},
		"a widget":                   {map[string]any{"application/vnd.jupyter.widget-view+json": map[string]any{"model_id": "a"}, "text/plain": "Map(center=[1, 2])"}, "widget", "", "widget", []string{"application/vnd.jupyter.widget-view+json"}},
		"a map in HTML":              {map[string]any{"text/html": "<iframe></iframe>", "text/plain": "<folium.folium.Map at 0x7f>"}, "html", "", "An HTML page", []string{"text/html"}},
		"a page of PDF":              {map[string]any{"application/pdf": "JVBERi0=", "text/plain": "<Figure size 640x480 with 1 Axes>"}, "pdf", "", "A page of PDF; it has no picture here: %config InlineBackend.figure_formats = ['png'] gives one", []string{"application/pdf"}},
		"a PDF with its PNG":         {map[string]any{"application/pdf": "JVBERi0=", "image/png": pngData(t)}, "", "", "", []string{"image/png", "application/pdf"}},
		"HTML":                       {map[string]any{"text/html": "<h1>Hello</h1>", "text/plain": "<IPython.core.display.HTML object>"}, "html", "", "An HTML page", []string{"text/html"}},
		"Plotly with PNG":            {map[string]any{plotlyMIME: layout, "image/png": pngData(t), "text/plain": "…"}, "", "Sales by month", "", []string{"image/png", plotlyMIME}},
		"HoloViews by matplotlib":    {map[string]any{"text/html": "<img src='" + dataURI(t) + "' style='margin: auto'/>", "text/plain": ":Curve   [x]   (y)"}, "", "", "", []string{"image/png"}},
		"a picture with its words":   {map[string]any{"text/html": "<h4>A day</h4>\n<a href=\"#\"><img src=\"" + dataURI(t) + "\"></a><img src=\"" + dataURI(t) + "\">", "text/plain": "<IPython.core.display.HTML object>"}, "", "", "", []string{"image/png", "text/html"}},
		"several pictures in HTML":   {map[string]any{"text/html": strings.Repeat("<img src=\""+dataURI(t)+"\">", 2), "text/plain": "<IPython.core.display.HTML object>"}, "html", "", "An HTML page", []string{"text/html"}},
		"an object's pictures":       {map[string]any{"text/html": strings.Repeat("<img src=\""+dataURI(t)+"\">", 2), "text/plain": "Pictures(2)"}, "html", "", "An HTML page", []string{"text/html"}},
		"a picture that is damaged":  {map[string]any{"text/html": "<img src=\"data:image/png;base64,?\">", "text/plain": "<IPython.core.display.HTML object>"}, "html", "", "An HTML page", []string{"text/html"}},
		"a picture by its address":   {map[string]any{"text/html": "<img src=\"https://example.org/data:image/png;base64,AAAA\">", "text/plain": "<IPython.core.display.Image object>"}, "html", "", "An HTML page", []string{"text/html"}},
		"a script with a picture":    {map[string]any{"text/html": "<div></div><img src=\"" + dataURI(t) + "\"><script>draw()</script>", "text/plain": ":HoloMap"}, "html", "", "An HTML page", []string{"text/html"}},
		"a picture in Markdown":      {map[string]any{"text/markdown": "![a](" + strings.ReplaceAll(dataURI(t), "\n", "") + " \"A\")", "text/plain": "<IPython.core.display.Markdown object>"}, "", "", "", []string{"image/png"}},
		"Markdown with a picture":    {map[string]any{"text/markdown": "# A day\n<img src=\"" + dataURI(t) + "\">", "text/plain": "<IPython.core.display.Markdown object>"}, "", "", "", []string{"image/png", "text/markdown"}},
		"a map beside its data":      {map[string]any{"text/html": "<iframe srcdoc=\"&lt;script&gt;\"></iframe>", "text/plain": "{\n  \"latitude\": 0}"}, "html", "", "An HTML page", []string{"text/html"}},
		"an object's SVG as HTML":    {map[string]any{"text/html": "\n" + svg + "\n", "text/plain": "Drawing()"}, "", "", "", []string{"image/svg+xml"}},
		"an SVG in a box":            {map[string]any{"text/html": `<div><svg xmlns="http://www.w3.org/2000/svg"><image href="` + dataURI(t) + `"/></svg></div>`, "text/plain": "<IPython.core.display.HTML object>"}, "html", "", "An HTML page", []string{"text/html"}},
		"two SVGs":                   {map[string]any{"text/html": "<div></div>" + svg + svg, "text/plain": "<IPython.core.display.HTML object>"}, "html", "", "An HTML page", []string{"text/html"}},
		"a report with an estimator": {map[string]any{"text/html": `<h1>Report</h1><div id="sk-container-id-1"></div><script>draw()</script>`, "text/plain": "<IPython.core.display.HTML object>"}, "html", "", "An HTML page", []string{"text/html"}},
		"a report with a logo":       {map[string]any{"text/html": `<h1>Report</h1><div class="logo-block"></div>`, "text/plain": "<IPython.core.display.HTML object>"}, "html", "", "An HTML page", []string{"text/html"}},
		"Lets-Plot with its library": {map[string]any{"text/html": `<div><script data-lets-plot-script="library">load()</script><script data-lets-plot-script="plot">draw()</script></div>`, "text/plain": "<IPython.core.display.HTML object>"}, "html", "", "An HTML page", []string{"text/html"}},
		"SVG as HTML":                {map[string]any{"text/html": svg, "text/plain": "<IPython.core.display.HTML object>"}, "", "", "", []string{"image/svg+xml"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := mimebundle.Read(bundle(t, c.forms), nil)
			var mimes []string
			for _, f := range got.Forms {
				mimes = append(mimes, f.MIME)
				if len(f.Data) == 0 {
					t.Errorf("%s is empty", f.MIME)
				}
			}
			if got.Figure.Kind != c.kind || got.Title != c.title || !slices.Equal(mimes, c.mimes) {
				t.Errorf("got %q, %q, %v; want %q, %q, %v", got.Figure.Kind, got.Title, mimes, c.kind, c.title, c.mimes)
			}
			if c.kind != "" && !strings.Contains(mimebundle.Describe(got.Figure), c.says) {
				t.Errorf("it is described as %q, want %q", mimebundle.Describe(got.Figure), c.says)
			}
		})
	}
}

func TestWhatIsNoImage(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		forms map[string]any
		says  string // remedy for what cannot be shown; "": plain text is enough
		kept  bool   // it has more than plain text
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
		"a damaged PDF":          {map[string]any{"application/pdf": "?", "text/plain": "<Figure size 640x480 with 1 Axes>"}, "InlineBackend.figure_formats = ['png'] gives one", true},
		"a form nobody reads":    {map[string]any{"image/bmp": "Qk0=", "text/plain": "<Figure>"}, "cannot be read (image/bmp)", true},
		"a damaged picture":      {map[string]any{"image/png": "?", "text/plain": "<Figure>"}, "cannot be read (image/png)", true},
		"an SVG among words":     {map[string]any{"text/html": svg + "<p>words</p>", "text/plain": "Drawing()"}, "", true},
		"two drawings":           {map[string]any{"text/html": svg + svg, "text/plain": "Drawing()"}, "", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := bundle(t, c.forms)
			if got := mimebundle.Read(b, nil); len(got.Forms) != 0 {
				t.Errorf("got %+v", got)
			}
			kind, lost := mimebundle.Unrendered(b)
			if said := kind.Name + " was shown; it has no picture here: " + kind.Remedy(); lost != (c.says != "") || lost && !strings.Contains(said, c.says) {
				t.Errorf("%v: %q, want %q", lost, said, c.says)
			}
			if kept := mimebundle.RichSize(b) > 0; kept != c.kept {
				t.Errorf("kept %v, want %v", kept, c.kept)
			}
		})
	}
}

func TestReadText(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		forms map[string]any
		kind  string
		mime  string
	}{
		"a data frame":       {map[string]any{"text/html": "<div><table></table></div>", "text/plain": "   a\n0  1", "text/latex": `\begin{tabular}{l}a\end{tabular}`}, picture.Table, "text/html"},
		"a formula":          {map[string]any{"text/latex": "$x$", "text/plain": "x"}, picture.LaTeX, "text/latex"},
		"a progress bar":     {map[string]any{"text/html": "<table><tr><td><progress value='3'></progress></td></tr></table>", "text/latex": "$3$"}, "", ""},
		"a table with plots": {map[string]any{"text/html": "<table><img src='a'></table>"}, "", ""},
		"plain text":         {map[string]any{"text/plain": "1"}, "", ""},
		"a blank formula":    {map[string]any{"text/latex": " "}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := mimebundle.ReadText(bundle(t, c.forms))
			mime := ""
			if len(got.Forms) > 0 {
				mime = got.Forms[0].MIME
			}
			if got.Figure.Kind != c.kind || mime != c.mime {
				t.Errorf("got %q as %q, want %q as %q", got.Figure.Kind, mime, c.kind, c.mime)
			}
		})
	}
}

func TestReadTitleInMetadata(t *testing.T) {
	t.Parallel()
	for metadata, want := range map[string]string{
		`{"width": 5, "easel": {"title": "T"}}`: "T",
		`7`:                                     "",
	} {
		got := mimebundle.Read(nil, mimebundle.Bundle{"image/png": json.RawMessage(metadata)})
		if got.Title != want {
			t.Errorf("%s: got %q, want %q", metadata, got.Title, want)
		}
	}
}

func TestReadOrdersPictures(t *testing.T) {
	t.Parallel()
	forms := mimebundle.Read(mimebundle.Bundle{
		"text/plain":    json.RawMessage(`"<Figure>"`),
		"image/svg+xml": json.RawMessage(`["<svg>", "</svg>"]`),
		"image/png":     json.RawMessage("\"iVBO\\nRw==\\n\""),
		"image/jpeg":    json.RawMessage(`"not base64!"`),
	}, nil).Forms
	if len(forms) != 2 || forms[0].MIME != "image/png" || string(forms[0].Data) != "\x89PNG" || string(forms[1].Data) != "<svg></svg>" {
		t.Errorf("got %q", forms)
	}
}

func TestText(t *testing.T) {
	t.Parallel()
	b := mimebundle.Bundle{"a": json.RawMessage(`"one"`), "b": json.RawMessage(`["two\n", "lines"]`), "c": json.RawMessage(`7`)}
	for mime, want := range map[string]string{"a": "one", "b": "two\nlines", "c": "", "none": ""} {
		if got := mimebundle.Text(b, mime); got != want {
			t.Errorf("%s: got %q, want %q", mime, got, want)
		}
	}
}

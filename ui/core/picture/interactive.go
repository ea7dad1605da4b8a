package picture

import (
	"path/filepath"
	"slices"
	"strings"
)

// An Interactive is a kind of figure that only a browser can draw. It is kept as its
// data; a picture of it is not made up.
type Interactive struct {
	Kind    string // its name in a record, as "plotly"
	MIME    string // of its data, or the beginning of that
	Label   string // what a person calls it: a name, in no language
	Name    string // in a sentence
	Icon    string // its sign
	Code    string // Python that gives a picture instead; empty if no line does
	Package string // that Code needs, beside the library itself; may be empty
	Browser bool   // Code needs a browser where the kernel is
}

// Remedy says in a sentence how to get a picture.
func (i Interactive) Remedy() string {
	switch {
	case i.Code == "":
		return "draw with matplotlib, or show an image (IPython.display.Image), for one"
	case i.Browser:
		return i.Code + " gives one (it needs the package " + i.Package + ", and a browser where the kernel is)"
	case i.Package != "":
		return i.Code + " gives one (it needs the package " + i.Package + ")"
	}
	return i.Code + " gives one"
}

// The kinds that are told apart by more than their data's type.
const (
	Bokeh    = "bokeh"
	Plotly   = "plotly"
	VegaLite = "vegalite"
	Widget   = "widget"
	HTML     = "html"
)

const (
	altairPNG = "alt.renderers.enable('png')"
	vlConvert = "vl-convert-python"
)

var interactives = []Interactive{
	{Kind: Plotly, MIME: "application/vnd.plotly.", Label: "Plotly", Name: "an interactive Plotly figure", Icon: "chart-line", Code: "fig.show(renderer='png')", Package: "kaleido", Browser: true},
	{Kind: VegaLite, MIME: "application/vnd.vegalite.", Label: "Vega-Lite", Name: "an interactive Vega-Lite chart", Icon: "chart-bars", Code: altairPNG, Package: vlConvert},
	{Kind: "vega", MIME: "application/vnd.vega.", Label: "Vega", Name: "an interactive Vega chart", Icon: "chart-bars", Code: altairPNG, Package: vlConvert},
	{Kind: Bokeh, MIME: "application/vnd.bokehjs_exec.", Label: "Bokeh", Name: "an interactive Bokeh figure", Icon: "chart-dots", Code: "IPython.display.Image(bokeh.io.export_png(fig))", Package: "selenium", Browser: true},
	{Kind: "holoviews", MIME: "application/vnd.holoviews_exec.", Label: "HoloViews", Name: "an interactive HoloViews figure", Icon: "chart-dots", Code: "hv.extension('matplotlib')"},
	{Kind: Widget, MIME: "application/vnd.jupyter.widget-view+json", Label: "Widget", Name: "an interactive widget", Icon: "chart-widget"},
	{Kind: HTML, MIME: "text/html", Label: "HTML", Name: "an HTML page", Icon: "code"},
}

// InteractiveOf finds a kind by its name in a record.
func InteractiveOf(kind string) (Interactive, bool) {
	i := slices.IndexFunc(interactives, func(x Interactive) bool { return x.Kind == kind })
	if i < 0 {
		return Interactive{}, false
	}
	return interactives[i], true
}

// InteractiveData finds a kind by the type of its data. HTML, which may be anything,
// and scripts that only load a library are none.
func InteractiveData(mime string) (Interactive, bool) {
	i := slices.IndexFunc(interactives, func(x Interactive) bool { return x.Kind != HTML && strings.HasPrefix(mime, x.MIME) })
	if i < 0 || strings.HasSuffix(mime, "_load.v0+json") {
		return Interactive{}, false
	}
	return interactives[i], true
}

// dataEndings are how files of a figure's data end, by the beginning of its type: what
// the libraries' own tools and editors know them by.
var dataEndings = []struct{ mime, ending string }{
	{"application/vnd.plotly.", ".plotly.json"},
	{"application/vnd.vegalite.", ".vl.json"},
	{"application/vnd.vega.", ".vg.json"},
	{"application/vnd.jupyter.widget-view+json", ".widget.json"},
	{"application/javascript", ".js"},
	{"text/html", ".html"},
}

// DataEnding is how a file that holds data of a type ends; where the type says
// nothing, as the file at path does.
func DataEnding(mime, path string) string {
	for _, x := range dataEndings {
		if strings.HasPrefix(mime, x.mime) {
			return x.ending
		}
	}
	return filepath.Ext(path)
}

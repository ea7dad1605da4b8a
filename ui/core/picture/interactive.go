package picture

import (
	"path/filepath"
	"slices"
	"strings"
)

// An Interactive is a kind of figure that only a browser can draw. The library stores its
// data. Package figures may draw a picture of it.
type Interactive struct {
	Kind    string // its name in a record, for example "plotly"
	MIME    string // of its data, or a prefix of that
	Label   string // proper name for users, which is not translated
	Name    string // with an article, for use in a sentence
	Icon    string // name of the icon
	Code    string // line of Python that makes a picture instead; empty if there is none
	Package string // that Code needs in addition to the library itself; may be empty
	Browser bool   // Code needs a browser on the kernel's machine
}

// Remedy returns a clause that says how to get a picture.
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

// The kinds that callers distinguish.
const (
	Bokeh    = "bokeh"
	Plotly   = "plotly"
	VegaLite = "vegalite"
	Widget   = "widget"
	HTML     = "html"
	PDF      = "pdf"
	Table    = "table"
	LaTeX    = "latex"
)

// PDFType is the MIME type of PDF.
const PDFType = "application/pdf"

const (
	altairPNG = "alt.renderers.enable('png')"
	vlConvert = "vl-convert-python"
)

var interactives = []Interactive{
	{
		Kind: Plotly, MIME: "application/vnd.plotly.", Label: "Plotly", Name: "an interactive Plotly figure", Icon: "chart-line",
		Code: "fig.show(renderer='png')", Package: "kaleido", Browser: true,
	},
	{
		Kind: VegaLite, MIME: "application/vnd.vegalite.", Label: "Vega-Lite", Name: "an interactive Vega-Lite chart", Icon: "chart-bars",
		Code: altairPNG, Package: vlConvert,
	},
	{
		Kind: "vega", MIME: "application/vnd.vega.", Label: "Vega", Name: "an interactive Vega chart", Icon: "chart-bars", Code: altairPNG,
		Package: vlConvert,
	},
	{
		Kind: Bokeh, MIME: "application/vnd.bokehjs_exec.", Label: "Bokeh", Name: "an interactive Bokeh figure", Icon: "chart-dots",
		Code: "IPython.display.Image(bokeh.io.export_png(fig))", Package: "selenium", Browser: true,
	},
	{
		Kind: "holoviews", MIME: "application/vnd.holoviews_exec.", Label: "HoloViews", Name: "an interactive HoloViews figure",
		Icon: "chart-dots", Code: "hv.extension('matplotlib')",
	},
	{Kind: Widget, MIME: "application/vnd.jupyter.widget-view+json", Label: "Widget", Name: "an interactive widget", Icon: "chart-widget"},
	{Kind: PDF, MIME: PDFType, Label: "PDF", Name: "a page of PDF", Icon: "image", Code: "%config InlineBackend.figure_formats = ['png']"},
	{Kind: Table, Label: "Table", Name: "a table", Icon: "gallery"},
	{Kind: LaTeX, Label: "LaTeX", Name: "a formula", Icon: "code"},
	{Kind: HTML, MIME: "text/html", Label: "HTML", Name: "an HTML page", Icon: "code"},
}

// InteractiveOf returns the Interactive with this Kind, if there is one.
func InteractiveOf(kind string) (Interactive, bool) {
	i := slices.IndexFunc(interactives, func(x Interactive) bool { return x.Kind == kind })
	if i < 0 {
		return Interactive{}, false
	}
	return interactives[i], true
}

// InteractiveData returns the Interactive whose data has this MIME type. It returns false
// for HTML, which may be anything, and for scripts that only load a library.
func InteractiveData(mime string) (Interactive, bool) {
	i := slices.IndexFunc(interactives, func(x Interactive) bool { return x.Kind != HTML && x.MIME != "" && strings.HasPrefix(mime, x.MIME) })
	if i < 0 || strings.HasSuffix(mime, "_load.v0+json") {
		return Interactive{}, false
	}
	return interactives[i], true
}

// dataEndings lists the file extensions for the data of figures, by the prefix of its
// type. The libraries' tools and editors use the same extensions.
var dataEndings = []struct{ mime, ending string }{
	{"application/vnd.plotly.", ".plotly.json"},
	{"application/vnd.vegalite.", ".vl.json"},
	{"application/vnd.vega.", ".vg.json"},
	{"application/vnd.jupyter.widget-view+json", ".widget.json"},
	{"application/javascript", ".js"},
	{"text/html", ".html"},
}

// DataEnding returns the extension, with a dot, of files with data of this type. If the
// type is unknown, it returns the extension of path.
func DataEnding(mime, path string) string {
	for _, x := range dataEndings {
		if strings.HasPrefix(mime, x.mime) {
			return x.ending
		}
	}
	return filepath.Ext(path)
}

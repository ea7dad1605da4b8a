// Package page converts the data of figures to web pages, and provides the libraries that
// the pages load, from the kernels' Python packages or from Easel's own copies. It starts
// no browser and does not use the network. Package browser draws these pages. They can also
// be served to the user's browser.
//
// # Goroutines
//
// The package starts none. It is safe for concurrent use.
package page

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"html"
	"regexp"
	"strings"

	"easel/ui/core/render"
)

var (
	//go:embed pages/plotly.html
	plotlyPage []byte
	//go:embed pages/vega.html
	vegaPage []byte
	//go:embed pages/latex.html
	latexPage []byte
	//go:embed pages/table.css
	tableStyle string
	// Guard is a script that must run in each frame before the figure's scripts. It emulates
	// what a sandboxed page lacks, such as localStorage. Security does not depend on it.
	//
	//go:embed pages/guard.js
	Guard string
)

const htmlType = "text/html; charset=utf-8"

// PlotlyType and the others are prefixes of the MIME types that New converts.
const (
	PlotlyType     = "application/vnd.plotly.v"
	Plotly3DType   = PlotlyType + "1+json; dimensions=3" // for StageOf
	vegaType       = "application/vnd.vega."
	vegaLiteType   = "application/vnd.vegalite."
	scriptType     = "application/javascript"
	textScriptType = "text/javascript"
	pageType       = "text/html"
	svgType        = "image/svg+xml"
	latexType      = "text/latex"
)

// A Document is the response to a request.
type Document struct {
	Type string // Content-Type
	Body []byte
}

// A Page is a figure as a web page. It should load only libraries that [Libraries.Find]
// finds, by absolute or relative addresses.
type Page struct {
	Document
	// Own means that Easel made the page. Its promise window.easelDrawn resolves when the
	// figure is drawn, or rejects with a sentence that says why it cannot be.
	Own bool
	// Stage is Easel's page without the figure. Draw is the JavaScript expression that draws the
	// figure on it; if Own is true, it returns the same promise. Both are empty for pages that
	// have no stage.
	Stage Document
	Draw  []byte
	// Again means that other figures can be drawn on the stage after easelClear() has removed
	// this one.
	Again bool
	// Solid means that the figure has 3D scenes of Plotly. The first one on a stage takes longer than
	// others, unless easelWarm() was called before.
	Solid bool
}

// Is reports whether New converts data of a MIME type: Plotly, HTML, JavaScript such as
// Bokeh's, Vega, Vega-Lite and SVG.
func Is(mime string) bool {
	mime = lower(mime)
	for _, beginning := range []string{PlotlyType, vegaType, vegaLiteType, scriptType, textScriptType, pageType, svgType, latexType} {
		if strings.HasPrefix(mime, beginning) {
			return true
		}
	}
	return false
}

// IsPlotly reports whether a MIME type is Plotly's. Its page needs the library from a
// kernel's Python package.
func IsPlotly(mime string) bool { return strings.HasPrefix(lower(mime), PlotlyType) }

func lower(mime string) string { return strings.ToLower(strings.TrimSpace(mime)) }

// New returns the page of a figure whose type [Is] accepts. It does not use r.Scale. If the
// data is invalid, the error is a [*render.RefusedError].
func New(r render.Request) (Page, error) {
	mime := lower(r.MIME)
	if ours := ownPage(mime); ours != nil {
		data := r.Data
		if strings.HasPrefix(mime, latexType) {
			var err error
			if data, err = json.Marshal(map[string]string{"latex": strings.ToValidUTF8(string(r.Data), "�")}); err != nil {
				return Page{}, err
			}
		}
		p, err := jsonPage(ours, data, &space{r.Width, r.Height})
		p.Solid = IsPlotly(mime) && solid.Match(data)
		return p, err
	}
	switch {
	case strings.HasPrefix(mime, svgType):
		return single(svgType, r.Data), nil
	case strings.HasPrefix(mime, scriptType), strings.HasPrefix(mime, textScriptType):
		return single(htmlType, scriptPage(string(r.Data))), nil
	}
	p := single(htmlType, htmlPage(string(r.Data)))
	if draw := onPydeckStage(string(r.Data)); draw != nil {
		p.Stage, p.Draw = stage(pydeckPage), draw
	}
	return p, nil
}

var solid = regexp.MustCompile(`"type":\s*"(?:scatter3d|surface|mesh3d|cone|streamtube|isosurface|volume)"`)

// ownPage returns Easel's page for figures of a MIME type, or nil.
func ownPage(mime string) []byte {
	switch {
	case strings.HasPrefix(mime, PlotlyType):
		return plotlyPage
	case strings.HasPrefix(mime, vegaType), strings.HasPrefix(mime, vegaLiteType):
		return vegaPage
	case strings.HasPrefix(mime, latexType):
		return latexPage
	}
	return nil
}

// StageOf returns the [Page.Stage] of figures of a MIME type. It is empty if they have none.
func StageOf(mime string) Document {
	if ours := ownPage(lower(mime)); ours != nil {
		return stage(ours)
	}
	if lower(mime) == PydeckType {
		return stage(pydeckPage)
	}
	return Document{}
}

func stage(ours []byte) Document {
	return Document{htmlType, bytes.Replace(ours, []byte("{{figure}}"), nil, 1)}
}

func single(kind string, body []byte) Page { return Page{Document: Document{kind, body}} }

// A space is the size of the area for a figure, in CSS pixels; 0 as in [render.Request].
type space struct {
	Width  int `json:"width"`
	Height int `json:"height"`
}

// jsonPage returns one of our pages with the figure's data and size inserted. Without a size,
// the figure fits its window and reacts to the user.
func jsonPage(ours, data []byte, s *space) (Page, error) {
	if !json.Valid(data) || !bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")) {
		return Page{}, &render.RefusedError{Reason: "its data is not a JSON object"}
	}
	size, err := json.Marshal(s)
	if err != nil {
		return Page{}, err
	}
	text, err := json.Marshal(string(data)) // this escapes "<", which could end the script
	if err != nil {
		return Page{}, err
	}
	draw := fmt.Appendf(nil, "window.easelDrawn = easelDraw(JSON.parse(%s), %s)", text, size)
	script := fmt.Appendf(nil, "<script>%s;\nwindow.easelDrawn.catch(() => {});</script>", draw)
	return Page{
		Own: true, Document: Document{htmlType, bytes.Replace(ours, []byte("{{figure}}"), script, 1)},
		Stage: stage(ours), Draw: draw, Again: true,
	}, nil
}

// withoutIntegrity removes integrity attributes, which contain the hash of a library. Easel's
// copy may be another version. The attributes occur in pages and, escaped, in the srcdoc of
// frames. For a page of 5 MB, a regular expression would take 0.4 s.
func withoutIntegrity(text string) string {
	const name = "integrity"
	var b strings.Builder
	done, at := 0, 0
	for {
		equals := strings.IndexByte(text[at:], '=')
		if equals < 0 {
			b.WriteString(text[done:])
			return b.String()
		}
		at += equals + 1
		begin := at - len("=") - len(name)
		if begin < done || !strings.EqualFold(text[begin:at-1], name) {
			continue
		}
		before := strings.TrimRight(text[done:begin], " \t\r\n\f")
		if value := quoted.FindString(text[at:]); value != "" && len(before) < begin-done {
			b.WriteString(before)
			at += len(value)
			done = at
		}
	}
}

// quoted matches the value with which a text begins.
var quoted = regexp.MustCompile(`(?i)^(?:"[^"<>]*"|'[^'<>]*'|&quot;[^&<>]*&quot;|&#34;[^&<>]*&#34;)`)

// whole matches complete pages. Notebooks usually display fragments.
var whole = regexp.MustCompile(`(?i)^\s*(?:<\?xml[^>]*>|<!--.*?-->|\s)*<(?:!doctype|html|head|body)\b`)

var table = regexp.MustCompile(`(?i)<table\b`)

func htmlPage(text string) []byte {
	text = withoutIntegrity(text)
	if whole.MatchString(text) {
		return []byte(text)
	}
	style := ""
	if table.MatchString(text) { // a notebook has a style for the tables that it shows
		style = "<style>" + tableStyle + "</style>"
	}
	return []byte("<!DOCTYPE html><html><head><meta charset=\"utf-8\">" + preloads(text) + style + "</head><body>" + text + "</body></html>")
}

// roots matches the list of elements that a script of Bokeh draws into. element matches an
// id in that list.
var (
	roots   = regexp.MustCompile(`"?roots"?\s*:\s*\{([^{}]*)\}`)
	element = regexp.MustCompile(`:\s*"([^"]+)"`)
)

// scriptPage returns a page for a script that a notebook displays as a separate output. It
// contains the elements that the output before would have created.
func scriptPage(script string) []byte {
	var b strings.Builder
	b.WriteString("<!DOCTYPE html><html><head><meta charset=\"utf-8\">" + preloads(script) + "</head><body>")
	for _, found := range roots.FindAllStringSubmatch(script, 16) {
		for _, id := range element.FindAllStringSubmatch(found[1], 64) {
			b.WriteString(`<div id="` + html.EscapeString(id[1]) + `"></div>`)
		}
	}
	b.WriteString(`<div id="easel-output"></div><script>window.element = document.getElementById("easel-output")</script>`)
	b.WriteString(`<script>` + endTag.ReplaceAllString(script, `<\/script`) + `</script></body></html>`)
	return []byte(b.String())
}

var endTag = regexp.MustCompile(`(?i)</script`)

// preloads returns the <script> elements for libraries that a fragment uses but does not
// load, because its notebook has loaded them.
func preloads(text string) string {
	var files []string
	if strings.Contains(text, "Plotly.") || strings.Contains(text, `require(["plotly"]`) {
		if !loadsScript(text, "plotly") {
			files = append(files, "plotly.min.js")
		}
	}
	if strings.Contains(text, "Bokeh") && !loadsScript(text, "bokeh") {
		end := ".min.js" // prefer the version that made the figure
		if made := bokehVersion.FindStringSubmatch(text); made != nil {
			end = "-" + made[1] + end
		}
		for _, part := range []string{"", "-gl", "-widgets", "-tables"} {
			files = append(files, "bokeh"+part+end)
		}
		if strings.Contains(text, "$$") || strings.Contains(text, `"MathText`) || strings.Contains(text, `"TeX`) {
			files = append(files, "bokeh-mathjax"+end)
		}
		if strings.Contains(text, `"panel.`) || strings.Contains(text, "Bokeh.Panel") {
			files = append(files, "panel/dist/panel.min.js")
		}
	}
	var b strings.Builder
	for _, file := range files {
		b.WriteString(`<script src="` + file + `"></script>`)
	}
	return b.String()
}

var bokehVersion = regexp.MustCompile(`"version":\s*"([0-9]+\.[0-9]+\.[0-9]+)"`)

func loadsScript(text, name string) bool {
	for _, found := range sources.FindAllStringSubmatch(text, -1) {
		if strings.Contains(strings.ToLower(found[1]), name) {
			return true
		}
	}
	return false
}

var sources = regexp.MustCompile(`(?i)<script[^>]*\ssrc\s*=\s*["']?([^"'\s>]+)`)

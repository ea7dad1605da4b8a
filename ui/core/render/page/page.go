// Package page turns the data of figures into pages for a browser, and answers what those
// pages load: with files of the kernels' Python packages, or with copies that Easel has.
// It starts no browser and reaches no network. Package browser draws these pages; they can
// also be served to the user's browser.
//
// # Goroutines
//
// There are none. Everything may be used on any goroutine.
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
	// Guard is a script that must run in each frame before the figure's own. It stands in
	// for what a sandboxed page lacks. No protection depends on it.
	//
	//go:embed pages/guard.js
	Guard string
)

const htmlType = "text/html; charset=utf-8"

// PlotlyType and the others are the beginnings of the types that have a page.
const (
	PlotlyType     = "application/vnd.plotly.v"
	vegaType       = "application/vnd.vega."
	vegaLiteType   = "application/vnd.vegalite."
	scriptType     = "application/javascript"
	textScriptType = "text/javascript"
	pageType       = "text/html"
	svgType        = "image/svg+xml"
)

// A Document is what an address answers with.
type Document struct {
	Type string // its Content-Type
	Body []byte
}

// A Page is a figure for a browser. It loads libraries, by absolute addresses or by relative
// ones that [Libraries.Find] knows, and nothing else.
type Page struct {
	Document
	// Own tells that this is a page of Easel's. Its promise window.easelDrawn is kept when
	// the figure is drawn, or rejects with a sentence that tells why it cannot be.
	Own bool
	// Stage is a page of Easel's without its figure, which can be loaded before there is one;
	// Draw is the expression that draws the figure in it, and gives the same promise.
	Stage Document
	Draw  []byte
}

// Is tells whether data of a type has a page: Plotly's, HTML, scripts of Bokeh, charts of
// Vega and Vega-Lite, and SVG.
func Is(mime string) bool {
	mime = lower(mime)
	for _, beginning := range []string{PlotlyType, vegaType, vegaLiteType, scriptType, textScriptType, pageType, svgType} {
		if strings.HasPrefix(mime, beginning) {
			return true
		}
	}
	return false
}

// IsPlotly tells whether a type is Plotly's own, which needs the library of a kernel.
func IsPlotly(mime string) bool { return strings.HasPrefix(lower(mime), PlotlyType) }

func lower(mime string) string { return strings.ToLower(strings.TrimSpace(mime)) }

// New is the page of a figure whose type [Is] accepts. Of the request, Scale is not used. The
// error is a [*render.RefusedError].
func New(r render.Request) (Page, error) {
	mime := lower(r.MIME)
	switch {
	case strings.HasPrefix(mime, PlotlyType):
		return jsonPage(plotlyPage, r)
	case strings.HasPrefix(mime, vegaType), strings.HasPrefix(mime, vegaLiteType):
		return jsonPage(vegaPage, r)
	case strings.HasPrefix(mime, svgType):
		return single(svgType, r.Data), nil
	case strings.HasPrefix(mime, scriptType), strings.HasPrefix(mime, textScriptType):
		return single(htmlType, scriptPage(string(r.Data))), nil
	}
	return single(htmlType, htmlPage(string(r.Data))), nil
}

func single(kind string, body []byte) Page { return Page{Document: Document{kind, body}} }

// jsonPage is a page of ours with a figure's data and the size for it.
func jsonPage(ours []byte, r render.Request) (Page, error) {
	if !json.Valid(r.Data) || !bytes.HasPrefix(bytes.TrimSpace(r.Data), []byte("{")) {
		return Page{}, &render.RefusedError{Reason: "its data is no JSON object"}
	}
	size, err := json.Marshal(map[string]int{"width": r.Width, "height": r.Height})
	if err != nil {
		return Page{}, err
	}
	text, err := json.Marshal(string(r.Data)) // it escapes "<", which could end the script
	if err != nil {
		return Page{}, err
	}
	draw := fmt.Appendf(nil, "window.easelDrawn = easelDraw(JSON.parse(%s), %s)", text, size)
	script := fmt.Appendf(nil, "<script>%s;\nwindow.easelDrawn.catch(() => {});</script>", draw)
	return Page{
		Own: true, Document: Document{htmlType, bytes.Replace(ours, []byte("{{figure}}"), script, 1)},
		Stage: Document{htmlType, bytes.Replace(ours, []byte("{{figure}}"), nil, 1)}, Draw: draw,
	}, nil
}

// integrity attributes name a library's exact bytes, which a copy need not have. They
// stand in a page, or escaped in the source of a frame.
var integrity = regexp.MustCompile(`(?i)\s+integrity=(?:"[^"<>]*"|'[^'<>]*'|&quot;[^&<>]*&quot;|&#34;[^&<>]*&#34;)`)

// whole tells a page from a part of one, which is what notebooks display.
var whole = regexp.MustCompile(`(?i)^\s*(?:<\?xml[^>]*>|<!--.*?-->|\s)*<(?:!doctype|html|head|body)\b`)

func htmlPage(text string) []byte {
	text = integrity.ReplaceAllString(text, "")
	if whole.MatchString(text) {
		return []byte(text)
	}
	return []byte("<!DOCTYPE html><html><head><meta charset=\"utf-8\">" + preloads(text) + "</head><body>" + text + "</body></html>")
}

// roots match the places that a script of Bokeh's draws into, by their ids.
var (
	roots   = regexp.MustCompile(`"?roots"?\s*:\s*\{([^{}]*)\}`)
	element = regexp.MustCompile(`:\s*"([^"]+)"`)
)

// scriptPage is a page for a script alone, as a notebook's second output has it: with
// the places that the first output would have made.
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

// preloads are the libraries that a notebook has loaded for a part of a page that does
// not load them itself.
func preloads(text string) string {
	var files []string
	if strings.Contains(text, "Plotly.") || strings.Contains(text, `require(["plotly"]`) {
		if !loadsScript(text, "plotly") {
			files = append(files, "plotly.min.js")
		}
	}
	if strings.Contains(text, "Bokeh") && !loadsScript(text, "bokeh") {
		end := ".min.js" // the scripts of the version that has made the figure, where a kernel has it
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

package kernels

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"easel/jupyter/wire"
	"easel/ui/core/library"
	"easel/ui/core/picture"
)

// keepData keeps a display that is neither picture nor figure as data, and says so if
// what it shows can be seen nowhere here. A picture that is none is not made up.
func (r *recorder) keepData(u *run, d wire.DisplayData) {
	rest := make(map[string]json.RawMessage, len(d.Data))
	for mime, data := range d.Data {
		if mime != "text/plain" && !strings.HasSuffix(mime, "_load.v0+json") { // scripts that load a library draw nothing
			rest[mime] = data
		}
	}
	if len(rest) == 0 {
		return
	}
	size := int64(0)
	for _, data := range rest {
		size += int64(len(data))
	}
	if kind, ok := undrawn(d.Data); ok {
		u.note("images", size, fmt.Sprintf("%s was shown; it has no picture here: %s. Its data is kept", kind.Name, kind.Remedy()))
	}
	line, err := json.Marshal(map[string]any{
		"output_type": "display_data", "data": d.Data, "metadata": object(d.Metadata),
	})
	if err == nil {
		err = r.m.cfg.Library.AppendOutput(r.keeping(), u.x.id, library.Displays, append(line, '\n'))
	}
	if err != nil {
		u.note("displays", size, storageReason(err))
		r.log.Error("keeping a display", "err", err)
	}
}

// interactiveFigure is what a bundle without a picture shows, if that is a figure that
// only a browser can draw, and the forms of its data, the best one first; no forms if
// it is none, or has no data.
func interactiveFigure(bundle map[string]json.RawMessage) (picture.Interactive, []library.Form) {
	kind, ok := undrawn(bundle)
	if !ok || kind.Kind == picture.HTML && tabular(bundleText(bundle, "text/html")) {
		return picture.Interactive{}, nil
	}
	forms := figureForms(bundle)
	if len(forms) == 0 { // HTML without a script
		forms = textForm(nil, bundle, "text/html")
	}
	if len(forms) == 0 {
		return picture.Interactive{}, nil
	}
	return kind, forms
}

// progress tells a bar of progress, as tqdm and fastprogress show it, by its plain
// text: it is no figure, and a loop shows many.
func progress(plain string) bool {
	return strings.Contains(plain, "%|") || strings.Contains(plain, "Progress(") || strings.Contains(plain, "it/s]")
}

// tabular tells HTML that is a table, or a bar of progress: text, and no figure.
func tabular(page string) bool { return texts.MatchString(page) && !draws.MatchString(page) }

var (
	texts = regexp.MustCompile(`(?i)<(?:table|progress)\b`)
	draws = regexp.MustCompile(`(?i)<(?:script|iframe|svg|canvas|img|video|audio|object|embed)\b`)
)

// figureForms are the data of a figure that a browser can draw; none if the bundle
// holds no such figure.
func figureForms(bundle map[string]json.RawMessage) (forms []library.Form) {
	exec := false
	for _, mime := range slices.Sorted(maps.Keys(bundle)) {
		if _, ok := picture.InteractiveData(mime); !ok {
			continue
		}
		exec = true
		data := bytes.TrimSpace(bundle[mime])
		if string(data) != `""` && string(data) != "null" { // Bokeh's and HoloViews' only say whose the script is
			forms = append(forms, library.Form{MIME: mime, Data: data})
		}
	}
	page := strings.ToLower(bundleText(bundle, "text/html"))
	if exec || !loads(strings.TrimSpace(page)) && (strings.Contains(page, "<script") || strings.Contains(page, "<iframe")) {
		forms = textForm(forms, bundle, "text/html")
	}
	if exec {
		forms = textForm(forms, bundle, "application/javascript")
	}
	return forms
}

// textForm adds a text of a bundle to forms, if there is any.
func textForm(forms []library.Form, bundle map[string]json.RawMessage, mime string) []library.Form {
	if text := bundleText(bundle, mime); strings.TrimSpace(text) != "" {
		forms = append(forms, library.Form{MIME: mime, Data: []byte(text)})
	}
	return forms
}

// undrawn tells what kind of figure a bundle without a picture is, if its plain
// text does not tell all: a table's and a bar's of progress does, an object's name
// does not.
func undrawn(bundle map[string]json.RawMessage) (picture.Interactive, bool) {
	page := strings.ToLower(strings.TrimSpace(bundleText(bundle, "text/html")))
	for _, mime := range slices.Sorted(maps.Keys(bundle)) {
		if kind, ok := picture.InteractiveData(mime); ok {
			bar := kind.Kind == picture.Widget && progress(bundleText(bundle, "text/plain"))
			loading := bundle["text/plain"] == nil && strings.Contains(page, ".commmanager") // what HoloViews talks by
			return kind, !bar && !loading
		}
	}
	if page == "" {
		return unread(bundle)
	}
	plain := strings.TrimSpace(bundleText(bundle, "text/plain"))
	names := strings.HasPrefix(plain, "<") && strings.HasSuffix(plain, ">") // as an object that has no text of its own
	tells := plain != "" && !names
	if loads(page) || tells && strings.Contains(page, "sk-container-id") { // scikit-learn's diagram of an estimator
		return picture.Interactive{}, false
	}
	several := strings.Count(page, "data:image/") > 1 && !texts.MatchString(page)
	if several || strings.Contains(page, "<script") || strings.Contains(page, "<iframe") { // what they show, no plain text tells
		return drawnBy(page), true
	}
	if emptyBox.MatchString(page) { // for another display to draw in, as Bokeh's
		return picture.Interactive{}, false
	}
	html, _ := picture.InteractiveOf(picture.HTML)
	return html, !tells
}

// unread tells of a picture in a bundle of a form that nothing here reads, or damaged.
func unread(bundle map[string]json.RawMessage) (picture.Interactive, bool) {
	if bundle["application/pdf"] != nil {
		return picture.Interactive{Name: "a page of PDF", Code: "%config InlineBackend.figure_formats = ['png']"}, true
	}
	for _, mime := range slices.Sorted(maps.Keys(bundle)) {
		if strings.HasPrefix(mime, "image/") {
			return picture.Interactive{Name: "a picture that cannot be read (" + clip(mime, 40) + ")"}, true
		}
	}
	return picture.Interactive{}, false
}

// drawnBy tells whose script draws a page: Altair, as it comes, shows its charts
// in no other form.
func drawnBy(page string) picture.Interactive {
	is := picture.HTML
	for _, own := range []struct{ sign, kind string }{
		{"vega-embed", picture.VegaLite}, {"bokeh", picture.Bokeh}, {"plotly", picture.Plotly},
	} {
		if strings.Contains(page, own.sign) {
			is = own.kind
			break
		}
	}
	kind, _ := picture.InteractiveOf(is)
	return kind
}

// emptyBox matches HTML, in lower case, in which nothing is to be seen.
var emptyBox = regexp.MustCompile(`^(?:\s|</?(?:div|span|style)\b[^>]*>)*$`)

// loads tells whether HTML, in lower case, only loads something, as a library does
// when it is imported; Bokeh, HoloViews and Lets-Plot say so.
func loads(text string) bool {
	said := strings.Contains(text, "bk-notebook-logo") || strings.HasPrefix(text, `<div class="logo-block">`) ||
		strings.Contains(text, `data-lets-plot-script="library"`) && !strings.Contains(text, `data-lets-plot-script="plot"`)
	return said || (strings.HasPrefix(text, "<script") || strings.HasPrefix(text, "<style")) &&
		!strings.Contains(text, "<div") && !strings.Contains(text, "<iframe")
}

// dataTitle is the title that a figure's data says: Plotly's layout.title, Vega's
// title. "" if it says none.
func dataTitle(forms []library.Form) string {
	for _, f := range forms {
		if kind, ok := picture.InteractiveData(f.MIME); !ok || kind.Kind == picture.Widget {
			continue
		}
		var figure struct {
			Title  json.RawMessage
			Layout struct{ Title json.RawMessage }
		}
		if json.Unmarshal(f.Data, &figure) != nil {
			continue
		}
		for _, raw := range []json.RawMessage{figure.Layout.Title, figure.Title} {
			if title := titleText(raw, 0); title != "" {
				return clip(title, 200)
			}
		}
	}
	return ""
}

// titleText reads a title: a text, lines of text, or an object that has it as text.
func titleText(raw json.RawMessage, depth int) string {
	var text string
	var lines []string
	var object struct{ Text json.RawMessage }
	switch {
	case len(raw) == 0 || depth > 1:
	case json.Unmarshal(raw, &text) == nil:
		return strings.TrimSpace(tag.ReplaceAllString(text, " "))
	case json.Unmarshal(raw, &lines) == nil:
		return strings.TrimSpace(strings.Join(lines, " "))
	case json.Unmarshal(raw, &object) == nil:
		return titleText(object.Text, depth+1)
	}
	return ""
}

// tag matches what Plotly lets a title be marked up with.
var tag = regexp.MustCompile(`(?i)\s*</?(?:br|b|i|u|s|em|sup|sub|span|a)\b[^>]*>\s*`)

// describeFigure is a line that tells what the figure is, that it has no picture, and
// how to get one.
func describeFigure(kind picture.Interactive) string {
	first, n := utf8.DecodeRuneInString(kind.Name)
	return string(unicode.ToUpper(first)) + kind.Name[n:] + "; it has no picture here: " + kind.Remedy()
}

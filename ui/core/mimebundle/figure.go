package mimebundle

import (
	"bytes"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"easel/ui/core/picture"
)

// interactiveFigure is what a bundle without a picture shows, if that is a figure that
// only a browser can draw, and the forms of its data, the best one first; no forms if
// it is none, or has no data.
func interactiveFigure(bundle Bundle) (picture.Interactive, []Form) {
	kind, ok := Unrendered(bundle)
	if !ok || kind.Kind == picture.HTML && tabular(Text(bundle, "text/html")) {
		return picture.Interactive{}, nil
	}
	forms := figureData(bundle)
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

// figureData are the data of a figure that a browser can draw; none if the bundle
// holds no such figure.
func figureData(bundle Bundle) (forms []Form) {
	exec := false
	for _, mime := range slices.Sorted(maps.Keys(bundle)) {
		if _, ok := picture.InteractiveData(mime); !ok {
			continue
		}
		exec = true
		data := bytes.TrimSpace(bundle[mime])
		if string(data) != `""` && string(data) != "null" { // Bokeh's and HoloViews' only say whose the script is
			forms = append(forms, Form{MIME: mime, Data: data})
		}
	}
	page := strings.ToLower(Text(bundle, "text/html"))
	if exec || !loads(strings.TrimSpace(page)) && (strings.Contains(page, "<script") || strings.Contains(page, "<iframe")) {
		forms = textForm(forms, bundle, "text/html")
	}
	if exec {
		forms = textForm(forms, bundle, "application/javascript")
	}
	return forms
}

// textForm adds a text of a bundle to forms, if there is any.
func textForm(forms []Form, bundle Bundle, mime string) []Form {
	if text := Text(bundle, mime); strings.TrimSpace(text) != "" {
		forms = append(forms, Form{MIME: mime, Data: []byte(text)})
	}
	return forms
}

// Unrendered tells what kind of figure a bundle without a picture is, if its plain
// text does not tell all: a table's and a bar's of progress does, an object's name
// does not.
func Unrendered(bundle Bundle) (picture.Interactive, bool) {
	page := strings.ToLower(strings.TrimSpace(Text(bundle, "text/html")))
	for _, mime := range slices.Sorted(maps.Keys(bundle)) {
		if kind, ok := picture.InteractiveData(mime); ok {
			bar := kind.Kind == picture.Widget && progress(Text(bundle, "text/plain"))
			loading := bundle["text/plain"] == nil && strings.Contains(page, ".commmanager") // what HoloViews talks by
			return kind, !bar && !loading
		}
	}
	if page == "" {
		return unread(bundle)
	}
	plain := strings.TrimSpace(Text(bundle, "text/plain"))
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
func unread(bundle Bundle) (picture.Interactive, bool) {
	if bundle["application/pdf"] != nil {
		return picture.Interactive{Name: "a page of PDF", Code: "%config InlineBackend.figure_formats = ['png']"}, true
	}
	for _, mime := range slices.Sorted(maps.Keys(bundle)) {
		if strings.HasPrefix(mime, "image/") {
			return picture.Interactive{Name: "a picture that cannot be read (" + Clip(mime, 40) + ")"}, true
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

// Describe is a line that tells what the figure is, that it has no picture, and
// how to get one.
func Describe(kind picture.Interactive) string {
	first, n := utf8.DecodeRuneInString(kind.Name)
	return string(unicode.ToUpper(first)) + kind.Name[n:] + "; it has no picture here: " + kind.Remedy()
}

// mostBlocked is how many blocked addresses a description names.
const mostBlocked = 3

// DescribeDrawn is a line that tells what a figure is that Easel drew, and which addresses
// it asked for and did not get.
func DescribeDrawn(kind picture.Interactive, blocked []string) string {
	line := "Picture of " + kind.Name + ", drawn by Easel"
	if len(blocked) == 0 {
		return line
	}
	named := make([]string, min(len(blocked), mostBlocked))
	for i := range named {
		named[i] = Clip(blocked[i], 100)
	}
	line += "; not loaded, as figures are drawn offline: " + strings.Join(named, ", ")
	if more := len(blocked) - len(named); more > 0 {
		line += fmt.Sprintf(" and %d more", more)
	}
	return line
}

package mimebundle

import (
	"bytes"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"easel/internal/truncate"
	"easel/jupyter/wire"
	"easel/ui/core/picture"
)

// interactiveFigure returns the kind and the data, best form first, of the figure in a
// bundle without a picture. It returns no forms if the bundle has no figure that a browser
// can draw, or only a figure without data.
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

// progress reports whether the plain text is that of a progress bar of tqdm or
// fastprogress. Progress bars are not figures, and a loop shows many of them.
func progress(plain string) bool {
	return strings.Contains(plain, "%|") || strings.Contains(plain, "Progress(") || strings.Contains(plain, "it/s]")
}

// tabular reports whether HTML is a table or a progress bar, which is text rather than a
// figure.
func tabular(page string) bool { return texts.MatchString(page) && !draws.MatchString(page) }

var (
	texts = regexp.MustCompile(`(?i)<(?:table|progress)\b`)
	draws = regexp.MustCompile(`(?i)<(?:script|iframe|svg|canvas|img|video|audio|object|embed)\b`)
)

// figureData returns the data of a figure that a browser can draw, or none if the bundle
// has no such figure.
func figureData(bundle Bundle) (forms []Form) {
	exec := false
	for _, mime := range slices.Sorted(maps.Keys(bundle)) {
		if _, ok := picture.InteractiveData(mime); !ok {
			continue
		}
		if mime == picture.PDFType {
			if pdf, err := wire.Base64(bundle[mime]); err == nil && len(pdf) > 0 {
				forms = append(forms, Form{MIME: mime, Data: pdf})
			}
			continue
		}
		exec = true
		data := bytes.TrimSpace(bundle[mime])
		if string(data) != `""` && string(data) != "null" { // Bokeh and HoloViews send the figure as a script, and no data
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

// ReadText reads a table or a formula as a figure that a browser can draw. Read leaves them
// out, because their plain text conveys them. Forms is empty if the bundle has neither, or
// is a progress bar.
func ReadText(bundle Bundle) Content {
	kind, mime := picture.LaTeX, "text/latex"
	if page := Text(bundle, "text/html"); tabular(page) {
		if strings.Contains(strings.ToLower(page), "<progress") {
			return Content{}
		}
		kind, mime = picture.Table, "text/html"
	}
	forms := textForm(nil, bundle, mime)
	if len(forms) == 0 {
		return Content{}
	}
	figure, _ := picture.InteractiveOf(kind)
	return Content{Forms: forms, Figure: figure}
}

// textForm appends a text of a bundle to forms, unless it is blank.
func textForm(forms []Form, bundle Bundle, mime string) []Form {
	if text := Text(bundle, mime); strings.TrimSpace(text) != "" {
		forms = append(forms, Form{MIME: mime, Data: []byte(text)})
	}
	return forms
}

// Unrendered reports whether a bundle without a picture shows something that its plain
// text does not convey, and returns what that is. The plain text of a table or a progress
// bar is enough; an object's default repr is not. The result has no Kind if it is not a
// figure that a browser can draw.
func Unrendered(bundle Bundle) (picture.Interactive, bool) {
	page := strings.ToLower(strings.TrimSpace(Text(bundle, "text/html")))
	for _, mime := range slices.Sorted(maps.Keys(bundle)) {
		if kind, ok := picture.InteractiveData(mime); ok {
			bar := kind.Kind == picture.Widget && progress(Text(bundle, "text/plain"))
			loading := bundle["text/plain"] == nil && strings.Contains(page, ".commmanager") // HoloViews' comm manager, which shows nothing
			return kind, !bar && !loading
		}
	}
	if page == "" {
		return unread(bundle)
	}
	plain := strings.TrimSpace(Plain(Text(bundle, "text/plain")))
	names := strings.HasPrefix(plain, "<") && strings.HasSuffix(plain, ">") // the default repr of an object
	tells := plain != "" && !names
	if loads(page) || tells && strings.Contains(page, "sk-container-id") { // scikit-learn's diagram of an estimator
		return picture.Interactive{}, false
	}
	if onlyMedia(page) {
		return picture.Interactive{}, false
	}
	several := strings.Count(page, "data:image/") > 1 && !texts.MatchString(page)
	if several || strings.Contains(page, "<script") || strings.Contains(page, "<iframe") { // plain text cannot convey them
		return drawnBy(page), true
	}
	html, _ := picture.InteractiveOf(picture.HTML)
	return html, !tells && !blank(page)
}

// unread reports whether a bundle has a picture that cannot be read, because it is damaged
// or of an unsupported type, and returns a description of it.
func unread(bundle Bundle) (picture.Interactive, bool) {
	for _, mime := range slices.Sorted(maps.Keys(bundle)) {
		if strings.HasPrefix(mime, "image/") {
			return picture.Interactive{Name: "a picture that cannot be read (" + truncate.Runes(mime, 40) + ")"}, true
		}
	}
	return picture.Interactive{}, false
}

// drawnBy returns the kind of figure that a page shows, by the library that its script
// mentions, or HTML. By default, Altair shows its charts only in this form.
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

// loads reports whether HTML, in lower case, only loads scripts or styles, as libraries
// display it when they are imported. Bokeh, HoloViews and Lets-Plot mark such HTML.
func loads(text string) bool {
	said := strings.Contains(text, "bk-notebook-logo") || strings.HasPrefix(text, `<div class="logo-block">`) ||
		strings.Contains(text, `data-lets-plot-script="library"`) && !strings.Contains(text, `data-lets-plot-script="plot"`)
	return said || (strings.HasPrefix(text, "<script") || strings.HasPrefix(text, "<style")) &&
		!strings.Contains(text, "<div") && !strings.Contains(text, "<iframe")
}

// Describe returns a line that says what the figure is, that it has no picture, and how
// to get one. kind.Name must not be empty.
func Describe(kind picture.Interactive) string {
	return capital(kind.Name) + "; it has no picture here: " + kind.Remedy()
}

// DescribeUndrawn returns a line that describes a figure that Easel is about to draw.
// kind.Name must not be empty.
func DescribeUndrawn(kind picture.Interactive) string {
	return capital(kind.Name) + "; Easel is drawing it: get_image_resource waits for the picture"
}

// DescribeRefused returns a line that describes a figure that Easel could not draw, and
// says why. kind.Name must not be empty.
func DescribeRefused(kind picture.Interactive, reason string) string {
	return capital(kind.Name) + "; Easel could not draw it: " + truncate.Runes(reason, 300)
}

// capital returns s with a capital as its first letter.
func capital(s string) string {
	first, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(first)) + s[n:]
}

// mostBlocked is the number of blocked addresses that a description names.
const mostBlocked = 3

const notLoaded = "; not loaded, as figures are drawn offline: " // begins the addresses in a description

// DescribeDrawn returns a line that describes a figure that Easel drew. It says how many
// pages a document has, of which Easel drew the first, and names the addresses that the
// figure requested and did not get.
func DescribeDrawn(kind picture.Interactive, pages int, blocked []string) string {
	line := "Picture of " + kind.Name + ", drawn by Easel"
	if pages > 1 {
		line += fmt.Sprintf("; page 1 of %d", pages)
	}
	if len(blocked) == 0 {
		return line
	}
	named := make([]string, min(len(blocked), mostBlocked))
	for i := range named {
		named[i] = truncate.Runes(blocked[i], 100)
	}
	line += notLoaded + strings.Join(named, ", ")
	if more := len(blocked) - len(named); more > 0 {
		line += fmt.Sprintf(" and %d more", more)
	}
	return line
}

// Blocked returns the hosts that a description of DescribeDrawn names, and the paths of
// addresses without a host.
func Blocked(description string) []string {
	_, rest, found := strings.Cut(description, notLoaded)
	if !found {
		return nil
	}
	if i := strings.LastIndex(rest, " and "); i >= 0 && strings.HasSuffix(rest, " more") {
		rest = rest[:i]
	}
	var hosts []string
	for address := range strings.SplitSeq(rest, ", ") {
		host := address
		if u, err := url.Parse(address); err == nil && u.Host != "" {
			host = u.Host
		}
		if !slices.Contains(hosts, host) {
			hosts = append(hosts, host)
		}
	}
	return hosts
}

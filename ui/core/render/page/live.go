package page

import (
	"bytes"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"easel/ui/core/render"
)

//go:embed pages/live.js
var liveScript string

// maxLate is the maximum number of libraries in a page that its scripts may load later.
const maxLate = 32

// HasLive reports whether data of a MIME type has a page that reacts to the user. SVG and
// formulas are no more than their picture.
func HasLive(mime string) bool {
	mime = lower(mime)
	return Is(mime) && !strings.HasPrefix(mime, svgType) && !strings.HasPrefix(mime, latexType)
}

// Live returns the page of a figure for the user's browser, where it can be zoomed, rotated and
// hovered over. The page contains the libraries that it loads, if they are on this machine;
// missing lists the addresses of the others. If the data is invalid, the error is a
// [*render.RefusedError].
func (l *Libraries) Live(mime string, data []byte) (text []byte, missing []string, err error) {
	var p Page
	switch mime = lower(mime); {
	case !HasLive(mime):
		return nil, nil, &render.RefusedError{Reason: "there is no page for " + mime}
	case strings.HasPrefix(mime, PlotlyType):
		p, err = jsonPage(withMaps(plotlyPage, data), data, nil)
	case strings.HasPrefix(mime, vegaType), strings.HasPrefix(mime, vegaLiteType):
		p, err = jsonPage(vegaPage, data, nil)
	default:
		p, err = New(render.Request{MIME: mime, Data: data})
	}
	if err != nil {
		return nil, nil, err
	}
	p.Body = framed(p.Body)
	script, err := l.liveScript(p.Body)
	if err != nil {
		return nil, nil, err
	}
	text, missing = l.Inline(p)
	return first(text, script, maxNested), missing, nil
}

// webAddress matches addresses in scripts and attributes.
var webAddress = regexp.MustCompile(`https?://[^\s"'<>\\` + "`" + `]+`)

// leafletPictures are files that Leaflet loads from the directory of its style sheet. It loads
// them by these names if it does not find the style sheet.
var leafletPictures = []string{"marker-icon.png", "marker-icon-2x.png", "marker-shadow.png"}

// liveScript returns the script that runs first in each frame of a page. It contains the
// libraries that no element of the page loads, but that its scripts may load.
func (l *Libraries) liveScript(text []byte) ([]byte, error) {
	var loaded []string
	Rewrite(text, func(address string) (string, bool) {
		loaded = append(loaded, address)
		return "", false
	})
	var later []string
	for _, found := range webAddress.FindAll(text, -1) {
		later = append(later, html.UnescapeString(string(found)))
	}
	if slices.ContainsFunc(loaded, func(address string) bool { return strings.Contains(address, "leaflet") }) {
		later = slices.Concat(leafletPictures, later)
	}
	known := make(map[string]string)
	for _, address := range later {
		if len(known) == maxLate || slices.Contains(loaded, address) {
			continue
		}
		if _, ok := known[address]; ok {
			continue
		}
		if library, ok := l.data(address); ok {
			known[address] = library
		}
	}
	list, err := json.Marshal(known)
	if err != nil {
		return nil, err
	}
	script := Guard + strings.Replace(liveScript, "const known = {}", "const known = "+string(list), 1)
	return []byte("<script>" + endTag.ReplaceAllString(script, `<\/script`) + "</script>"), nil
}

// framed converts frames whose source is in a data address to frames with srcdoc. A policy can
// then forbid every address of a frame.
func framed(text []byte) []byte {
	return eachTag(text, func(t *html.Token) (changed bool) {
		for i := range t.Attr {
			if a := &t.Attr[i]; t.Data == "iframe" && a.Key == "src" {
				if source, ok := sourceIn(a.Val); ok {
					a.Key, a.Val, changed = "srcdoc", source, true
				}
			}
		}
		return changed
	})
}

// sourceIn returns the HTML in a data address.
func sourceIn(address string) (source string, ok bool) {
	kind, data, ok := strings.Cut(strings.TrimSpace(address), ",")
	if kind = strings.ToLower(strings.ReplaceAll(kind, " ", "")); !ok || !strings.HasPrefix(kind, "data:"+pageType) {
		return "", false
	}
	if strings.HasSuffix(kind, ";base64") {
		decoded, err := base64.StdEncoding.DecodeString(data)
		return string(decoded), err == nil
	}
	source, err := url.PathUnescape(data)
	return source, err == nil
}

// doctype matches what must stay at the beginning of a page: otherwise the browser would use
// its quirks mode.
var doctype = regexp.MustCompile(`(?i)^\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<!doctype[^>]*>`)

// first inserts a script before all others, in a page and in its frames with srcdoc.
func first(text, script []byte, nested int) []byte {
	at := len(doctype.Find(text))
	var out bytes.Buffer
	out.Write(text[:at])
	out.Write(script)
	out.Write(eachTag(text[at:], func(t *html.Token) (changed bool) {
		for i := range t.Attr {
			if a := &t.Attr[i]; t.Data == "iframe" && a.Key == "srcdoc" && nested > 0 {
				a.Val, changed = string(first([]byte(a.Val), script, nested-1)), true
			}
		}
		return changed
	}))
	return out.Bytes()
}

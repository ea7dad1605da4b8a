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

// maxLate bounds the libraries in a page that its scripts may load later.
const maxLate = 32

// HasLive tells whether data of a type has a page that a person can use. A picture has none.
func HasLive(mime string) bool { return Is(mime) && !strings.HasPrefix(lower(mime), svgType) }

// Live is the page of a figure for a person, whose browser draws it: it can be zoomed, turned
// and pointed at. Every library that it loads and that is here is in it; missing are the
// addresses of the others, which it does not get. The error is a [*render.RefusedError].
func (l *Libraries) Live(mime string, data []byte) (text []byte, missing []string, err error) {
	var p Page
	switch mime = lower(mime); {
	case !HasLive(mime):
		return nil, nil, &render.RefusedError{Reason: "there is no page for " + mime}
	case strings.HasPrefix(mime, PlotlyType):
		p, err = jsonPage(plotlyPage, data, nil)
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

// webAddress matches what may be the address of a library, in a script or in an attribute.
var webAddress = regexp.MustCompile(`https?://[^\s"'<>\\` + "`" + `]+`)

// leafletPictures are what Leaflet loads beside its style sheet, by these names if it does not
// find that.
var leafletPictures = []string{"marker-icon.png", "marker-icon-2x.png", "marker-shadow.png"}

// liveScript is the script for each frame of a page. It has the libraries that no element of
// the page loads, but a script may.
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

// framed gives frames that are in a page as addresses their source as such. A policy can then
// forbid all addresses of frames.
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

// sourceIn is the HTML in an address that holds it.
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

// doctype matches what must stay before everything else, so that a browser reads the page as
// it was meant.
var doctype = regexp.MustCompile(`(?i)^\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<!doctype[^>]*>`)

// first puts a script before all others of a page, and of the frames whose source is in it.
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

package page

import (
	"bytes"
	"encoding/base64"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// maxNested is the maximum depth of nested frames that are rewritten.
const maxNested = 4

// addresses maps elements to the attribute with the address that they load.
var addresses = map[string]string{"script": "src", "link": "href", "img": "src", "source": "src", "iframe": "src"}

// Rewrite replaces the addresses of scripts, style sheets, pictures and frames in HTML,
// including those in the srcdoc of frames. It keeps an address for which to returns false.
// It cannot replace what scripts load at run time.
func Rewrite(text []byte, to func(address string) (string, bool)) []byte {
	return rewrite(text, to, maxNested)
}

func rewrite(text []byte, to func(address string) (string, bool), nested int) []byte {
	return eachTag(text, func(t *html.Token) bool { return replaceIn(t, to, nested) })
}

// eachTag calls change for each start tag and writes the tags that it changed.
func eachTag(text []byte, change func(*html.Token) (changed bool)) []byte {
	z := html.NewTokenizer(bytes.NewReader(text))
	var out bytes.Buffer
	for {
		kind := z.Next()
		if kind == html.ErrorToken {
			out.Write(z.Raw())
			return out.Bytes()
		}
		raw := bytes.Clone(z.Raw()) // Token modifies it
		if kind == html.StartTagToken || kind == html.SelfClosingTagToken {
			if t := z.Token(); change(&t) {
				out.WriteString(t.String())
				continue
			}
		}
		out.Write(raw)
	}
}

// replaceIn replaces the addresses in one element, and reports whether it changed anything.
func replaceIn(t *html.Token, to func(string) (string, bool), nested int) (changed bool) {
	for i := range t.Attr {
		a := &t.Attr[i]
		switch {
		case t.Data == "iframe" && a.Key == "srcdoc" && nested > 0:
			a.Val, changed = string(rewrite([]byte(a.Val), to, nested-1)), true
		case a.Key == addresses[t.Data]:
			if other, ok := to(strings.TrimSpace(a.Val)); ok {
				a.Val, changed = other, true
			}
		}
	}
	return changed
}

// Inline embeds the libraries that an HTML page loads into the page, so that it needs no
// network. missing lists the addresses that were not found and remain. Inline returns a
// page of another type unchanged.
func (l *Libraries) Inline(p Page) (text []byte, missing []string) {
	if !strings.HasPrefix(p.Type, pageType) {
		return p.Body, nil
	}
	text = Rewrite(p.Body, func(address string) (string, bool) {
		if address == "" || strings.HasPrefix(address, "#") || strings.HasPrefix(strings.ToLower(address), "data:") {
			return "", false
		}
		if found, ok := l.data(address); ok {
			return found, true
		}
		if !slices.Contains(missing, address) {
			missing = append(missing, address)
		}
		return "", false
	})
	return text, missing
}

// inStyle matches the addresses that a style sheet loads.
var inStyle = regexp.MustCompile(`url\(\s*["']?([^"')]+?)["']?\s*\)`)

// data returns the file for an address as a data URI. In a style sheet, it also embeds the
// files that the sheet loads.
func (l *Libraries) data(address string) (string, bool) {
	d, ok := l.Find(address)
	if !ok {
		return "", false
	}
	if sheet, err := url.Parse(address); err == nil && strings.HasPrefix(d.Type, "text/css") {
		d.Body = inStyle.ReplaceAllFunc(d.Body, func(found []byte) []byte {
			part, err := sheet.Parse(string(inStyle.FindSubmatch(found)[1]))
			if err != nil || part.Scheme == "data" || part.Path == sheet.Path {
				return found
			}
			if inner, ok := l.Find(part.String()); ok && !strings.HasPrefix(inner.Type, "text/css") {
				return []byte("url(" + inner.address() + ")")
			}
			return found
		})
	}
	return d.address(), true
}

// address returns the document as a data URI.
func (d Document) address() string {
	return "data:" + strings.ReplaceAll(d.Type, " ", "") + ";base64," + base64.StdEncoding.EncodeToString(d.Body)
}

package kernels

import (
	"encoding/base64"
	"io"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"easel/ui/library"
)

// embedded is the picture that a page of HTML is there to show: the one <img> whose
// source is its data (RFC 2397), as HoloViews shows what matplotlib drew. With it
// comes the page, if it has words. None where a script draws, where there are
// several, and none of those in links and tables, which are logos and thumbnails.
func embedded(page string) []library.Form {
	if !strings.Contains(page, "data:image/") {
		return nil
	}
	var found []library.Form
	words, aside := false, 0 // how deep in links and tables
	z := html.NewTokenizer(strings.NewReader(page))
	for {
		kind := z.Next()
		switch kind {
		case html.ErrorToken:
			if z.Err() != io.EOF || len(found) != 1 {
				return nil
			}
			if words {
				found = append(found, library.Form{MIME: "text/html", Data: []byte(page)})
			}
			return found
		case html.TextToken:
			words = words || strings.TrimSpace(string(z.Text())) != ""
		case html.StartTagToken, html.SelfClosingTagToken:
			t := z.Token()
			switch t.DataAtom {
			case atom.Script, atom.Iframe, atom.Canvas, atom.Video, atom.Audio, atom.Object, atom.Embed:
				return nil
			case atom.Style:
				z.Next() // its text is no word
			case atom.A, atom.Table, atom.Button:
				aside++
			case atom.Img:
				if form, ok := imageOf(t); ok && aside == 0 {
					found = append(found, form)
				}
			}
		case html.EndTagToken:
			if name, _ := z.TagName(); slices.Contains([]string{"a", "table", "button"}, string(name)) {
				aside = max(0, aside-1)
			}
		}
	}
}

// imageOf is the picture that an <img> holds in its source; false if that is an address.
func imageOf(img html.Token) (library.Form, bool) {
	for _, a := range img.Attr {
		if a.Key != "src" {
			continue
		}
		head, text, ok := strings.Cut(strings.TrimPrefix(strings.TrimSpace(a.Val), "data:"), ";base64,")
		mime, _, _ := strings.Cut(head, ";") // without its charset
		if !ok || !slices.Contains(imageTypes, mime) {
			return library.Form{}, false
		}
		data, err := base64.StdEncoding.DecodeString(text) // it passes over line breaks
		return library.Form{MIME: mime, Data: data}, err == nil && len(data) > 0
	}
	return library.Form{}, false
}

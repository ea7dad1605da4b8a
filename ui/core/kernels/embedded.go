package kernels

import (
	"encoding/base64"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"easel/ui/core/library"
	"easel/ui/core/picture"
)

// markdownImage matches a picture in Markdown whose source is its data.
var markdownImage = regexp.MustCompile(`!\[[^\]]*\]\((data:image/[^\s)]+)[^)]*\)`)

// embedded is the picture that a page of a type, HTML or Markdown, is there to show:
// an SVG that is all of it, or the one <img> whose source is its data (RFC 2397), as
// HoloViews shows what matplotlib drew. With that comes the page, if it has words.
// None where a script draws, and where there are several.
func embedded(mime, page string) []library.Form {
	page = strings.TrimSpace(page)
	is, _, _, _ := picture.Sniff([]byte(page)) // most pages are none
	if is != picture.SVG && !strings.Contains(page, "data:image/") {
		return nil
	}
	source := page
	if mime == "text/markdown" {
		source = markdownImage.ReplaceAllString(page, `<img src="$1">`)
	}
	tree, err := html.Parse(strings.NewReader(source))
	if err != nil {
		return nil
	}
	var seen sight
	seen.look(tree)
	switch {
	case seen.drawn:
		return nil
	case is == picture.SVG && seen.vectors == 1 && len(seen.images) == 0 && !seen.words:
		return []library.Form{{MIME: is, Data: []byte(page)}}
	case len(seen.images) != 1:
		return nil
	case seen.words:
		return append(seen.images, library.Form{MIME: mime, Data: []byte(page)})
	}
	return seen.images
}

// A sight is what is to be seen on a page.
type sight struct {
	images  []library.Form // by their data
	vectors int            // <svg>s
	words   bool
	drawn   bool // something else than a picture is to be drawn
}

// Elements that draw by themselves, and those whose pictures are logos and thumbnails.
var (
	drawing = []string{"script", "iframe", "canvas", "video", "audio", "object", "embed"}
	aside   = []string{"a", "button", "table"}
)

func (s *sight) look(n *html.Node) {
	switch {
	case n.Type == html.TextNode:
		s.words = s.words || strings.TrimSpace(n.Data) != ""
	case n.Type != html.ElementNode:
	case slices.Contains(drawing, n.Data):
		s.drawn = true
	case slices.Contains(aside, n.Data):
		s.words = true
		return
	case n.Data == "svg":
		s.vectors++
		return
	case n.Data == "style":
		return
	case n.Data == "img":
		if form, ok := imageOf(n); ok {
			s.images = append(s.images, form)
		}
	}
	for child := range n.ChildNodes() {
		s.look(child)
	}
}

// imageOf is the picture that an <img> holds in its source; false if that is an address.
func imageOf(img *html.Node) (library.Form, bool) {
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

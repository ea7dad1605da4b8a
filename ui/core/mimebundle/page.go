package mimebundle

import (
	"encoding/base64"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"easel/ui/core/picture"
)

// markdownImage matches a picture in Markdown whose source is a data URI.
var markdownImage = regexp.MustCompile(`!\[[^\]]*\]\((data:image/[^\s)]+)[^)]*\)`)

// embedded returns the picture in a page of HTML or Markdown: an SVG that is the whole
// page, or the only <img> whose source is a data URI (RFC 2397), which is how HoloViews
// shows matplotlib's pictures. The page itself is the second form if it contains text.
// embedded returns nil if an element such as a script may draw, or if there are several
// pictures.
func embedded(mime, page string) []Form {
	page = strings.TrimSpace(page)
	is, _, _, _ := picture.Sniff([]byte(page)) // avoids parsing most pages
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
	var seen inventory
	seen.visit(tree)
	switch {
	case seen.drawn:
		return nil
	case is == picture.SVG && seen.vectors == 1 && len(seen.images) == 0 && !seen.words:
		return []Form{{MIME: is, Data: []byte(page)}}
	case len(seen.images) != 1:
		return nil
	case seen.words:
		return append(seen.images, Form{MIME: mime, Data: []byte(page)})
	}
	return seen.images
}

// An inventory is what a page contains.
type inventory struct {
	images  []Form // of <img> elements with a data URI
	vectors int    // number of <svg> elements
	words   bool   // it has text
	drawn   bool   // it has an element that draws, such as a script
}

// Elements that draw, and elements whose pictures are only logos and thumbnails.
var (
	drawing = []string{"script", "iframe", "canvas", "video", "audio", "object", "embed"}
	aside   = []string{"a", "button", "table"}
)

func (s *inventory) visit(n *html.Node) {
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
		s.visit(child)
	}
}

// imageOf returns the picture in the data URI of an <img>. It returns false if the source
// is another address or cannot be decoded.
func imageOf(img *html.Node) (Form, bool) {
	for _, a := range img.Attr {
		if a.Key != "src" {
			continue
		}
		head, text, ok := strings.Cut(strings.TrimPrefix(strings.TrimSpace(a.Val), "data:"), ";base64,")
		mime, _, _ := strings.Cut(head, ";") // without its charset
		if !ok || !slices.Contains(imageTypes, mime) {
			return Form{}, false
		}
		data, err := base64.StdEncoding.DecodeString(text) // it ignores line breaks
		return Form{MIME: mime, Data: data}, err == nil && len(data) > 0
	}
	return Form{}, false
}

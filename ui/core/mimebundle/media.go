package mimebundle

import (
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// onlyMedia reports whether a page contains a player of audio or video, and nothing else that
// a picture could show. IPython's Audio, Video and YouTubeVideo display such pages.
func onlyMedia(page string) bool {
	if !strings.Contains(page, "<audio") && !strings.Contains(page, "<video") && !strings.Contains(page, "<iframe") {
		return false
	}
	seen, ok := countMedia(page)
	return ok && seen.players > 0 && !seen.others
}

// blank reports whether a page shows nothing: another display draws into it, as with Bokeh, or it is what
// rich displays of an empty text.
func blank(page string) bool {
	seen, ok := countMedia(page)
	return ok && seen == mediaCount{}
}

func countMedia(page string) (seen mediaCount, ok bool) {
	tree, err := html.Parse(strings.NewReader(page))
	if err != nil {
		return seen, false
	}
	seen.visit(tree)
	return seen, true
}

// A mediaCount is what a page contains.
type mediaCount struct {
	players int
	others  bool // text, or an element that shows something else
}

// boxes are the elements that show nothing themselves.
var boxes = []string{
	"html", "head", "body", "div", "span", "p", "br", "center", "figure", "section", "pre", "code", "style", "title",
	"meta",
}

func (s *mediaCount) visit(n *html.Node) {
	switch {
	case n.Type == html.TextNode:
		s.others = s.others || strings.TrimSpace(n.Data) != ""
	case n.Type != html.ElementNode:
	case n.Data == "audio" || n.Data == "video" || n.Data == "iframe" && playsVideo(n):
		s.players++
		return // what is in it is for browsers that cannot play it
	case n.Data == "style" || n.Data == "title":
		return
	case !slices.Contains(boxes, n.Data):
		s.others = true
	}
	for child := range n.ChildNodes() {
		s.visit(child)
	}
}

// players are the hosts of pages that consist of a video. Figures are drawn offline, so that
// their picture would be blank.
var players = []string{"youtube.com", "youtube-nocookie.com", "youtu.be", "vimeo.com", "dailymotion.com"}

// playsVideo reports whether an <iframe> loads one of the players.
func playsVideo(frame *html.Node) bool {
	for _, a := range frame.Attr {
		if a.Key != "src" {
			continue
		}
		u, err := url.Parse(strings.TrimSpace(a.Val))
		return err == nil && slices.ContainsFunc(players, func(host string) bool {
			return u.Hostname() == host || strings.HasSuffix(u.Hostname(), "."+host)
		})
	}
	return false
}

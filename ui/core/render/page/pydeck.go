package page

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"html"
	"regexp"
	"strings"
)

// PydeckType is the type of pydeck's pages, for [StageOf]. New recognizes them by their text.
const PydeckType = pageType + "; library=pydeck"

// PydeckBundle is the address of the library that the stage of pydeck loads.
const PydeckBundle = "https://cdn.jsdelivr.net/npm/@deck.gl/jupyter-widget@9/dist/index.js"

// pydeckPage is a stage with the bundle of pydeck, which takes longer to load than to draw.
//
//go:embed pages/pydeck.html
var pydeckPage []byte

// What pydeck displays is a frame that contains a page. Its head loads libraries, and its last
// script draws the figure. See render_json_to_html and iframe_with_srcdoc in pydeck/io/html.py.
var (
	pydeckFrame   = regexp.MustCompile(`(?s)^\s*<iframe\s+width="?([0-9]+%?)"?\s+height="?([0-9]+%?)"?\s+frameborder="0"\s+srcdoc="([^"]*)"\s*>\s*</iframe>\s*$`)
	pydeckContent = regexp.MustCompile(`(?s)^\s*<!DOCTYPE html>\s*<html>\s*<head>(.*)<style>([^<]*)</style>\s*</head>\s*` +
		`<body>\s*<div id="deck-container">\s*</div>\s*</body>\s*<script>(.*)</script>\s*</html>\s*$`)
	pydeckBundle = regexp.MustCompile(`<script src=["'][^"'<>]*/@deck\.gl/jupyter-widget@[^"'<>]*/dist/index\.js["']></script>`)
	pydeckOthers = regexp.MustCompile(`\s|<meta [^<>]*>|<title>[^<>]*</title>|<link rel="stylesheet" href=[^<>]*>|<script src=["'][^"'<>]*/mapbox-gl\.js["']></script>`)
)

// onPydeckStage returns what [Page.Draw] is for a page of pydeck, or nil if the text is anything
// else, and then a page like any other.
func onPydeckStage(text string) []byte {
	if !strings.Contains(text, "deck-container") {
		return nil
	}
	frame := pydeckFrame.FindStringSubmatch(text)
	if frame == nil {
		return nil
	}
	content := pydeckContent.FindStringSubmatch(html.UnescapeString(frame[3]))
	if content == nil || endTag.MatchString(content[3]) || !pydeckBundle.MatchString(content[1]) {
		return nil
	}
	if others := pydeckBundle.ReplaceAllString(content[1], ""); pydeckOthers.ReplaceAllString(others, "") != "" {
		return nil // the page needs something that the stage lacks
	}
	figure, err := json.Marshal(map[string]string{"width": frame[1], "height": frame[2], "style": content[2], "script": content[3]})
	if err != nil {
		return nil
	}
	return fmt.Appendf(nil, "easelDraw(%s)", figure)
}

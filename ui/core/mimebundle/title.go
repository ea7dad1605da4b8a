package mimebundle

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"easel/internal/truncate"
	"easel/ui/core/picture"
)

// metadataTitle returns the title that a kernel of the managed Jupyter adds to a picture's
// metadata (see easel_titles.py in jupyter/kernelside), or "".
func metadataTitle(metadata Bundle) string {
	for _, mime := range imageTypes {
		var m struct {
			Easel struct {
				Title string `json:"title"`
			} `json:"easel"`
		}
		if raw, ok := metadata[mime]; ok && json.Unmarshal(raw, &m) == nil && m.Easel.Title != "" {
			return truncate.Runes(m.Easel.Title, 200)
		}
	}
	return ""
}

// dataTitle returns the title in a figure's data: Plotly's layout.title or Vega's title.
// It returns "" if there is none.
func dataTitle(forms []Form) string {
	for _, f := range forms {
		if kind, ok := picture.InteractiveData(f.MIME); !ok || kind.Kind == picture.Widget {
			continue
		}
		var figure titleSource
		_ = json.Unmarshal(f.Data, &figure) // what has another type is not a title
		if titles := figure.titles(0); len(titles) > 0 {
			return truncate.Runes(strings.Join(titles, " · "), 200)
		}
	}
	return ""
}

// titleSource is what may contain a figure's title: Plotly's layout, or a Vega-Lite chart with
// its parts (https://vega.github.io/vega-lite/docs/composition.html).
type titleSource struct {
	Title  json.RawMessage
	Layout json.RawMessage // Plotly: an object with a title; in Vega, it may be anything

	Concat, HConcat, VConcat, Layer []titleSource
	Spec                            json.RawMessage // the repeated chart; other libraries may use the name
}

// titles returns the title of the figure, or else those of its parts, without repetitions.
// depth is the number of charts around this one.
func (f *titleSource) titles(depth int) []string {
	layout := struct{ Title json.RawMessage }{}
	_ = json.Unmarshal(f.Layout, &layout) // not Plotly's: no title
	for _, raw := range []json.RawMessage{layout.Title, f.Title} {
		if title := titleText(raw, 0); title != "" {
			return []string{title}
		}
	}
	const deepest = 5
	if depth == deepest {
		return nil
	}
	parts := slices.Concat(f.Concat, f.HConcat, f.VConcat, f.Layer)
	var spec titleSource
	_ = json.Unmarshal(f.Spec, &spec)
	parts = append(parts, spec)
	var titles []string
	for _, part := range parts {
		for _, title := range part.titles(depth + 1) {
			if !slices.Contains(titles, title) {
				titles = append(titles, title)
			}
		}
	}
	return titles
}

// titleText returns the text of a title in JSON: a string, a list of lines, or an object
// whose member text is one of these.
func titleText(raw json.RawMessage, depth int) string {
	var text string
	var lines []string
	var object struct{ Text json.RawMessage }
	switch {
	case len(raw) == 0 || depth > 1:
	case json.Unmarshal(raw, &text) == nil:
		return strings.TrimSpace(tag.ReplaceAllString(text, " "))
	case json.Unmarshal(raw, &lines) == nil:
		return strings.TrimSpace(strings.Join(lines, " "))
	case json.Unmarshal(raw, &object) == nil:
		return titleText(object.Text, depth+1)
	}
	return ""
}

// tag matches the HTML tags that Plotly allows in a title.
var tag = regexp.MustCompile(`(?i)\s*</?(?:br|b|i|u|s|em|sup|sub|span|a)\b[^>]*>\s*`)

package kernels

import (
	"encoding/json"
	"regexp"
	"strings"

	"easel/jupyter/wire"
	"easel/ui/library"
)

// imageTypes are the forms of a picture, the one to show first: raster before
// vector, since no library here draws the text of an SVG.
var imageTypes = []string{"image/png", "image/jpeg", "image/webp", "image/gif", "image/svg+xml"}

// imageForms are the pictures of a MIME bundle, the best one first; none if it
// holds no picture that can be read. One within its HTML or Markdown counts if there is
// no other.
func imageForms(bundle map[string]json.RawMessage) []library.Form {
	var forms []library.Form
	for _, mime := range imageTypes {
		raw, there := bundle[mime]
		if !there {
			continue
		}
		var data []byte
		var err error
		if mime == "image/svg+xml" {
			data = []byte(bundleText(bundle, mime))
		} else {
			data, err = wire.Base64(raw)
		}
		if err != nil || len(data) == 0 {
			continue
		}
		forms = append(forms, library.Form{MIME: mime, Data: data})
	}
	for _, mime := range []string{"text/html", "text/markdown"} {
		if len(forms) == 0 && bundle[mime] != nil {
			forms = embedded(mime, bundleText(bundle, mime))
		}
	}
	return forms
}

// toldTitle is the title that a kernel of the managed Jupyter tells beside the
// picture (easel_titles.py of jupyter/managed).
func toldTitle(metadata map[string]json.RawMessage) string {
	for _, mime := range imageTypes {
		var m struct {
			Easel struct {
				Title string `json:"title"`
			} `json:"easel"`
		}
		if raw, ok := metadata[mime]; ok && json.Unmarshal(raw, &m) == nil && m.Easel.Title != "" {
			return clip(m.Easel.Title, 200)
		}
	}
	return ""
}

// titled matches what gives a figure its title with a plain string literal:
// plt.title, ax.set_title, fig.suptitle, plotnine's ggtitle, title= of pandas, seaborn
// and plotly.
var titled = regexp.MustCompile(`(?:(?:\.(?:title|set_title|suptitle)|\bggtitle)\(\s*|\btitle\s*=\s*)[rRuU]?(?:"([^"\\\n]+)"|'([^'\\\n]+)')`)

// shown matches where a figure ends and the next one begins.
var shown = regexp.MustCompile(`(?m)^[^#\n]*(?:plt\.show\(|\bdisplay\(|plt\.figure\(|plt\.subplots\()`)

// figureTitle reads the title of the n-th picture (0-based) out of the code that
// drew it: a PNG does not carry it. "" if the code does not say it plainly.
func figureTitle(code string, n int) string {
	titles := titled.FindAllStringSubmatchIndex(code, -1)
	if len(titles) == 0 {
		return ""
	}
	text := func(at []int) string {
		if at[2] >= 0 {
			return code[at[2]:at[3]]
		}
		return code[at[4]:at[5]]
	}
	// A figure may have several titles (suptitle and those of its axes): the one
	// that comes last before the figure is shown, but a suptitle wins.
	var parts []string
	from := 0
	for _, end := range append(showEnds(code), len(code)) {
		best := ""
		for _, at := range titles {
			if at[0] < from || at[0] >= end {
				continue
			}
			if best == "" || strings.HasPrefix(code[at[0]:], ".suptitle") {
				best = text(at)
			}
		}
		if best != "" {
			parts = append(parts, best)
		}
		from = end
	}
	if len(parts) == 0 || n >= len(parts) && len(parts) > 1 {
		return ""
	}
	return parts[min(n, len(parts)-1)]
}

// showEnds are the places behind each plt.show() and display().
func showEnds(code string) []int {
	var ends []int
	for _, at := range shown.FindAllStringIndex(code, -1) {
		call := code[at[0]:at[1]]
		if strings.HasSuffix(call, "plt.show(") || strings.HasSuffix(call, "display(") {
			ends = append(ends, at[1])
		}
	}
	return ends
}

// describe is a line that tells what the picture is.
func describe(title, code string) string {
	if title != "" {
		return "Plot “" + title + "”"
	}
	for line := range strings.Lines(code) {
		line = strings.TrimSpace(line)
		if comment, ok := strings.CutPrefix(line, "#"); ok && strings.TrimSpace(comment) != "" {
			return "Plot: " + clip(strings.TrimSpace(comment), 80)
		}
	}
	for line := range strings.Lines(code) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "import ") && !strings.HasPrefix(line, "from ") && !strings.HasPrefix(line, "%") {
			return "Plot made by " + clip(line, 80)
		}
	}
	return "Plot"
}

func clip(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n-1]) + "…"
}

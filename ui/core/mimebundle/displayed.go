package mimebundle

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"

	"golang.org/x/net/html"

	"easel/internal/truncate"
	"easel/ui/core/picture"
)

// mostSource is the largest page of HTML, in bytes, that is converted.
const mostSource = 1 << 20

// Displayed returns the text that a bundle displays, and its type. That is its plain text, unless
// that only names an object. Then it is the source of Markdown, LaTeX or JSON, or HTML as Markdown.
// It is "" if the bundle displays no text, or only a widget. A player of audio or video is shown by its name.
func Displayed(data Bundle) (text, mime string) {
	raw := Text(data, "text/plain")
	plain := Plain(raw) // rich.pretty colours the names of objects
	if data[widgetView] != nil {
		if layout.MatchString(plain) || progress(plain) {
			return "", ""
		}
		return truncate.Runes(strings.TrimSpace(plain), 200), "text/plain"
	}
	if strings.TrimSpace(plain) != "" && !nameless.MatchString(strings.TrimSpace(plain)) {
		return raw, "text/plain"
	}
	for _, mime := range []string{"text/markdown", "text/latex"} {
		if source := Text(data, mime); strings.TrimSpace(source) != "" {
			return withoutData(source), mime
		}
	}
	if source := data["application/json"]; source != nil {
		var b bytes.Buffer
		if json.Compact(&b, source) == nil {
			return b.String(), "application/json"
		}
	}
	if page := Text(data, "text/html"); strings.TrimSpace(page) != "" {
		if text := markdown(page); text != "" {
			return text, "text/markdown"
		}
		if onlyMedia(strings.ToLower(page)) {
			return raw, "text/plain" // a player, of which there is no picture either
		}
		return "", ""
	}
	if strings.HasSuffix(strings.TrimSpace(plain), "Javascript object>") {
		return "", "" // it shows nothing
	}
	return raw, "text/plain"
}

// Pictured reports whether the picture or the figure of a display conveys its text. HTML without a
// script is text, too.
func Pictured(c Content) bool {
	if len(c.Forms) == 0 {
		return false
	}
	last := c.Forms[len(c.Forms)-1]
	words := last.MIME == "text/html" || last.MIME == "text/markdown"
	switch c.Figure.Kind {
	case picture.Widget:
		return false // its picture is only an icon
	case picture.HTML, picture.Table, picture.LaTeX:
		return bytes.Contains(last.Data, []byte("<script")) || bytes.Contains(last.Data, []byte("<iframe"))
	case "":
		return !words || len(c.Forms) != 2 // embedded in a page with words
	default:
		return true
	}
}

const widgetView = "application/vnd.jupyter.widget-view+json"

// nameless matches plain text that only names an object: <pandas.io.formats.style.Styler at 0x7f…>,
// GT(...), or the fields of an object with addresses.
var nameless = regexp.MustCompile(`(?s)^<[^<>\n]*>$|^[\w.]+\(\.\.\.\)$|^[\w.]+\(.*<[\w.]+ object at 0x[0-9a-f]+>.*\)$`)

// layout matches the text of widgets that only arrange others, or show what is printed in them.
var layout = regexp.MustCompile(`^(?:[HV]?Box|GridBox|GridspecLayout|TwoByTwoLayout|AppLayout|Tab|Accordion|Stack|Output|interactive)\(`)

// dataURI matches the data of a picture in a page.
var dataURI = regexp.MustCompile(`data:[\w.+-]+/[\w.+-]+;base64,[A-Za-z0-9+/=\s%]+`)

func withoutData(source string) string { return dataURI.ReplaceAllString(source, "data:…") }

// markdown converts a page of HTML to Markdown. It returns "" for a page without text.
func markdown(page string) string {
	if len(page) > mostSource || draws.MatchString(page) && strings.Contains(page, "<script") {
		return ""
	}
	doc, err := html.Parse(strings.NewReader(page))
	if err != nil {
		return ""
	}
	plugins := []converter.Plugin{base.NewBasePlugin(), commonmark.NewCommonmarkPlugin()}
	if boundTables(doc) {
		plugins = append(plugins, table.NewTablePlugin(table.WithSpanCellBehavior(table.SpanBehaviorMirror), table.WithHeaderPromotion(true),
			table.WithCellPaddingBehavior(table.CellPaddingBehaviorMinimal)))
	}
	c := converter.NewConverter(converter.WithPlugins(plugins...))
	for _, tag := range []string{"img", "style", "svg", "video", "audio", "iframe", "canvas"} {
		c.Register.TagType(tag, converter.TagTypeRemove, converter.PriorityEarly)
	}
	converted, err := c.ConvertNode(doc)
	if err != nil {
		return ""
	}
	text := string(converted)
	if strings.Trim(text, "` \t\n") == "" { // an empty <pre>
		return ""
	}
	return strings.TrimSpace(text)
}

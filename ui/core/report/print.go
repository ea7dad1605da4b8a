package report

import (
	"context"
	"fmt"
	"html/template"
	"strings"

	"easel/internal/truncate"
	"easel/ui/core/library"
)

// A Print makes a report a document to print. It has no scripts, so no figure is
// interactive, and no code is folded.
type Print struct {
	// Picture returns the address of the picture of an image, relative to the document. The
	// document refers to the font of Japanese text as FontName.
	Picture  func(ctx context.Context, im library.Image) string
	Paper    string // a4 or letter; if empty, A4
	Appendix bool   // the code follows all plots
	Title    string // in the footer of each page
}

// footer returns the beginning of a title for which the footer has room, beside the number of the page. A word that is
// too long may be broken.
func footer(title string) string {
	const most, longest = 120, 30 // characters
	var b strings.Builder
	run := 0
	for _, r := range truncate.Runes(OneLine(title), most) {
		if run++; r == ' ' {
			run = 0
		} else if run > longest {
			b.WriteRune('\u200b') // invisible; a line may end there
			run = 1
		}
		b.WriteRune(r)
	}
	return b.String()
}

// FontName is the address of a font with Japanese characters, relative to the document. It
// is used for the characters that the fonts of the system do not have.
const FontName = "font"

// plot returns the name of the template of a plot.
func (p *Print) plot() string {
	if p == nil {
		return "plot.html"
	}
	return "printed.html"
}

// styleOf returns the style sheet.
func styleOf(p *Print) (template.CSS, error) {
	name := "pages/report.css"
	if p != nil {
		name = "pages/print.css"
	}
	style, err := pages.ReadFile(name)
	if err != nil || p == nil {
		return template.CSS(style), err //nolint:gosec // ours
	}
	size := "A4"
	if p.Paper == "letter" {
		size = "letter"
	}
	text := strings.NewReplacer("PAPER", size, "TITLE", cssString(footer(p.Title)), "FONT", FontName).Replace(string(style))
	return template.CSS(text), nil //nolint:gosec // ours, and a string without special characters
}

// cssString returns a string of CSS with text. It escapes what could end the string or the
// style element.
func cssString(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		if r < ' ' || r == 0x7f || strings.ContainsRune(`"\<>&'`, r) {
			fmt.Fprintf(&b, `\%x `, r)
		} else {
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

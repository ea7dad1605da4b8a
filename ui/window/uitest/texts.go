package uitest

import (
	"regexp"
	"strconv"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
)

// Texts returns the texts that a canvas shows, in drawing order. It leaves out what is
// scrolled out of view. A line of dashes precedes the texts of each menu or dialog over
// the window.
func Texts(c fyne.Canvas) []string {
	r := &textReader{at: []fyne.Position{{}}, sight: []area{{size: c.Size()}}}
	for line := range strings.Lines(test.RenderToMarkup(c)) {
		r.line(strings.TrimSpace(line))
	}
	return r.texts
}

// An area is a rectangle on the canvas.
type area struct {
	pos  fyne.Position
	size fyne.Size
}

// within returns the part of a that is in b.
func (a area) within(b area) area {
	x, y := max(a.pos.X, b.pos.X), max(a.pos.Y, b.pos.Y)
	right, bottom := min(a.pos.X+a.size.Width, b.pos.X+b.size.Width), min(a.pos.Y+a.size.Height, b.pos.Y+b.size.Height)
	return area{fyne.NewPos(x, y), fyne.NewSize(max(right-x, 0), max(bottom-y, 0))}
}

// A textReader reads Fyne's markup of a canvas. It has one element per line, whose
// position is relative to the enclosing element. It is not XML, because texts are not
// escaped.
type textReader struct {
	texts []string
	at    []fyne.Position // positions of the canvas and the open elements
	sight []area          // their visible parts
}

var (
	markupPos  = regexp.MustCompile(` pos="([-\d.]+),([-\d.]+)"`)
	markupSize = regexp.MustCompile(` size="([-\d.]+)x([-\d.]+)"`)
)

func (r *textReader) line(line string) {
	last := len(r.at) - 1
	tag, rest, _ := strings.Cut(line, ">")
	here := area{pos: r.at[last]}
	if m := markupPos.FindStringSubmatch(tag); m != nil {
		here.pos = here.pos.AddXY(number(m[1]), number(m[2]))
	}
	if m := markupSize.FindStringSubmatch(tag); m != nil {
		here.size = fyne.NewSize(number(m[1]), number(m[2]))
	}
	switch {
	case strings.HasPrefix(line, "</"):
		r.at, r.sight = r.at[:last], r.sight[:last]
	case strings.HasPrefix(line, "<text"):
		text := strings.TrimSpace(strings.TrimSuffix(rest, "</text>"))
		if seen := here.within(r.sight[last]).size; text != "" && seen.Width > 0 && seen.Height > 0 {
			r.texts = append(r.texts, text)
		}
	case strings.HasSuffix(line, "/>") || strings.Contains(rest, "</"):
	default:
		if strings.HasPrefix(line, "<overlay") {
			r.texts = append(r.texts, "----")
		}
		seen := r.sight[last]
		if strings.HasSuffix(tag, `Scroll"`) { // a scroll shows only what is inside it
			seen = here.within(seen)
		}
		r.at, r.sight = append(r.at, here.pos), append(r.sight, seen)
	}
}

// number parses a number in Fyne's markup.
func number(s string) float32 {
	f, _ := strconv.ParseFloat(s, 32)
	return float32(f)
}

package kit

import (
	"image/color"
	"strings"
	"unicode"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/widget"
)

var (
	_ fyne.Widget = (*Para)(nil)
	_ Tall        = (*Para)(nil)
)

// A Para is text that wraps at spaces, between Japanese characters, and within words
// that are too long.
type Para struct {
	widget.BaseWidget
	text  string
	size  float32
	ink   color.Color
	style fyne.TextStyle
	align fyne.TextAlign
	most  int // maximum number of lines, with … at the end if there are more; 0: no limit

	wrapped float32 // width for which lines was made
	lines   []*canvas.Text
}

// NewPara returns a paragraph.
func NewPara(s string, size float32, ink color.Color, style fyne.TextStyle) *Para {
	p := &Para{text: s, size: size, ink: ink, style: style}
	p.ExtendBaseWidget(p)
	return p
}

// Align sets the alignment and returns p.
func (p *Para) Align(a fyne.TextAlign) *Para {
	p.align = a
	return p
}

// Most sets the maximum number of lines and returns p.
func (p *Para) Most(lines int) *Para {
	p.most = lines
	return p
}

// Set changes the text.
func (p *Para) Set(s string) {
	if p.text != s {
		p.text, p.wrapped = s, 0
		p.Refresh()
	}
}

// SetInk changes the colour.
func (p *Para) SetInk(ink color.Color) {
	if p.ink != ink {
		p.ink, p.wrapped = ink, 0
		p.Refresh()
	}
}

func (p *Para) lineHeight() float32 {
	return fyne.MeasureText("Ag", p.size, p.style).Height + 1
}

// HeightFor implements Tall.
func (p *Para) HeightFor(width float32) float32 {
	p.wrap(width)
	return float32(len(p.lines)) * p.lineHeight()
}

func (p *Para) wrap(width float32) {
	if p.wrapped == width && p.lines != nil {
		return
	}
	p.wrapped = width
	p.lines = nil
	for line := range strings.SplitSeq(p.text, "\n") {
		for _, part := range Wrap(line, width, p.size, p.style) {
			if p.most > 0 && len(p.lines) == p.most {
				last := p.lines[p.most-1] // shows that there is more
				last.Text = Shorten(last.Text+" "+part+"…", width, p.size, p.style)
				return
			}
			t := Text(part, p.size, p.ink, p.style)
			t.Alignment = p.align
			p.lines = append(p.lines, t)
		}
	}
}

// Wrap breaks a line into parts no wider than width.
func Wrap(line string, width, size float32, style fyne.TextStyle) []string {
	if width <= 0 || fyne.MeasureText(line, size, style).Width <= width {
		return []string{line}
	}
	var parts []string
	runes := []rune(line)
	for len(runes) > 0 {
		n := fitting(runes, width, size, style)
		cut := n
		if n < len(runes) {
			for i := n; i > n/2; i-- { // but no earlier, so that the line is at least half full
				if breaks(runes, i) {
					cut = i
					break
				}
			}
		}
		parts = append(parts, strings.TrimRight(string(runes[:cut]), " "))
		runes = runes[cut:]
		for len(runes) > 0 && runes[0] == ' ' {
			runes = runes[1:]
		}
	}
	return parts
}

// fitting returns how many runes fit, at least one.
func fitting(runes []rune, width, size float32, style fyne.TextStyle) int {
	lo, hi := 1, len(runes)
	for lo < hi {
		mid := (lo + hi + 1) / 2
		if fyne.MeasureText(string(runes[:mid]), size, style).Width <= width {
			lo = mid
		} else {
			hi = mid - 1
		}
	}
	return lo
}

// noStart contains the characters that may not begin a line in Japanese (kinsoku).
const noStart = "、。，．）」』】〉》！？ー・ゃゅょっャュョッァィゥェォ々)],.!?:;"

func breaks(runes []rune, at int) bool {
	if at <= 0 || at >= len(runes) {
		return at == len(runes)
	}
	before, after := runes[at-1], runes[at]
	if before == '-' && unicode.IsDigit(after) && (at < 2 || !unicode.In(runes[at-2], unicode.L, unicode.N)) {
		return false // a minus sign
	}
	if before == ' ' || before == '-' || before == '/' {
		return true
	}
	wide := func(r rune) bool {
		return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) || r >= 0x3000 && r < 0x3040
	}
	return (wide(before) || wide(after)) && !strings.ContainsRune(noStart, after) && !strings.ContainsRune("（「『【〈《", before)
}

// CreateRenderer implements fyne.Widget.
func (p *Para) CreateRenderer() fyne.WidgetRenderer { return &paraRenderer{p} }

type paraRenderer struct{ p *Para }

func (r *paraRenderer) Layout(s fyne.Size) {
	r.p.wrap(s.Width)
	h := r.p.lineHeight()
	for i, t := range r.p.lines {
		Place(t, 0, float32(i)*h, s.Width, h)
	}
}

func (r *paraRenderer) MinSize() fyne.Size {
	if r.p.wrapped > 0 {
		return fyne.NewSize(0, float32(len(r.p.lines))*r.p.lineHeight())
	}
	return fyne.NewSize(0, r.p.lineHeight())
}

func (r *paraRenderer) Objects() []fyne.CanvasObject {
	os := make([]fyne.CanvasObject, len(r.p.lines))
	for i, t := range r.p.lines {
		os[i] = t
	}
	return os
}
func (r *paraRenderer) Destroy() {}
func (r *paraRenderer) Refresh() {
	r.Layout(r.p.Size())
	canvas.Refresh(r.p)
}

// Text returns the whole text.
func (p *Para) Text() string { return p.text }

package properties

import (
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"

	"easel/ui/core/library/search"
	"easel/ui/window/kit"
	"easel/ui/window/outputs"
	"easel/ui/window/theme"
)

// Searched sets the search of the gallery, so that the panel says where it has found the plot.
func (p *Panel) Searched(text string) {
	if text == p.searched {
		return
	}
	p.searched = text
	if len(p.shown.images) == 1 && !p.Busy() {
		p.show(p.shown)
	}
}

// hit returns the rows that say where the search has found the plot; nil if its card says it.
func (p *Panel) hit(f facts) []fyne.CanvasObject {
	terms := search.Parse(p.searched, search.Clock{})
	im := f.images[0]
	if len(terms.Words()) == 0 {
		return nil
	}
	if _, ok := terms.Find([]search.Text{{Text: im.Title}}); ok {
		return nil
	}
	h, ok := terms.Find([]search.Text{
		{Where: "find.hit.note", Text: im.Note},
		{Where: "find.hit.tags", Text: strings.Join(im.Tags, "\n")},
		{Where: "find.hit.code", Text: im.Code},
		{Where: "find.hit.output", Text: outputs.Texts(outputs.Of(p.k, f.output))},
	})
	if !ok {
		return nil
	}
	name := p.k.T(h.Where)
	if h.Where == "find.hit.code" {
		name = p.k.T(h.Where, h.Line)
	}
	return []fyne.CanvasObject{p.found(name, h)}
}

// found returns a row with the name of a place, and its line with what was found.
func (p *Panel) found(name string, h search.Hit) fyne.CanvasObject {
	const high, nameHigh float32 = 40, 17
	k, size := p.k, theme.TextCaption
	mono, bold := fyne.TextStyle{Monospace: true}, fyne.TextStyle{Monospace: true, Bold: true}
	icon, line := kit.Icon("search", k.P.Muted, 14), kit.NewLine(name, size, k.P.Muted, fyne.TextStyle{}, 40)
	before, match := kit.Text("", size, k.P.Text, mono), kit.Text("", size, k.P.Accent, bold)
	after := kit.NewLine("", size, k.P.Text, mono, 0)
	return &fyne.Container{Objects: []fyne.CanvasObject{icon, line, before, match, after}, Layout: kit.LayoutFunc{
		Arrange: func(_ []fyne.CanvasObject, s fyne.Size) {
			kit.Place(icon, 0, 2, 14, 14)
			kit.Place(line, 22, 0, max(s.Width-22, 0), nameHigh)
			room := max(s.Width-22, 40)
			match.Text = kit.Shorten(h.Match, room*0.7, size, bold)
			left := room - match.MinSize().Width
			before.Text = ending(strings.TrimLeft(h.Before, " \t"), left*0.6, before)
			x := float32(22)
			for _, t := range []*canvas.Text{before, match} {
				m := t.MinSize()
				kit.Place(t, x, nameHigh+2, m.Width, m.Height)
				x += m.Width
			}
			after.Set(h.After, nil)
			kit.Place(after, x, nameHigh+2, max(s.Width-x, 0), match.MinSize().Height)
		},
		Min: func([]fyne.CanvasObject) fyne.Size { return fyne.NewSize(80, high) },
	}}
}

// ending returns the end of a text that fits into a width.
func ending(s string, width float32, like *canvas.Text) string {
	fits := func(s string) bool { return fyne.MeasureText(s, like.TextSize, like.TextStyle).Width <= width }
	if fits(s) {
		return s
	}
	runes := []rune(s)
	if over := len(runes) - 200; over > 0 {
		runes = runes[over:]
	}
	for len(runes) > 0 && !fits("…"+string(runes)) {
		runes = runes[1:]
	}
	return "…" + string(runes)
}

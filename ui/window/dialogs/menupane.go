package dialogs

import (
	"image/color"
	"unicode"
	"unicode/utf8"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"

	"easel/ui/window/kit"
	"easel/ui/window/theme"
)

// The measures of a menu.
const (
	menuMargin  float32 = 4 // to the window's edge
	menuInset   float32 = 4 // from the menu's edge to its items
	menuRowH    float32 = 28
	menuLineH   float32 = 9 // of a separator
	menuPad     float32 = 10
	menuIcon    float32 = 14
	menuHintGap float32 = 28
)

// A menuPane is a menu or a submenu.
type menuPane struct {
	widget.BaseWidget
	l      *menuLayer
	rows   []*menuRow
	active int // the row that the pointer or the keyboard is on; -1: none
	checks bool
	scroll *kit.Scroll
	edge   *canvas.Rectangle
}

func newMenuPane(l *menuLayer, items []*fyne.MenuItem) *menuPane {
	k := l.h.k
	p := &menuPane{l: l, active: -1, edge: kit.Fill(k.P.Raised, theme.Radius)}
	p.edge.StrokeColor, p.edge.StrokeWidth = k.P.Edge, 1
	var rows []fyne.CanvasObject
	for _, item := range items {
		p.checks = p.checks || item.Checked
		r := newMenuRow(p, len(p.rows), item)
		p.rows, rows = append(p.rows, r), append(rows, r)
	}
	sheet := &fyne.Container{Objects: rows, Layout: kit.LayoutFunc{
		Arrange: func(_ []fyne.CanvasObject, s fyne.Size) {
			y := float32(0)
			for _, r := range p.rows {
				kit.Place(r, 0, y, s.Width, r.high())
				y += r.high()
			}
		},
		Min: func([]fyne.CanvasObject) fyne.Size {
			var s fyne.Size
			for _, r := range p.rows {
				s = fyne.NewSize(max(s.Width, r.wide()), s.Height+r.high())
			}
			return s
		},
	}}
	p.scroll = k.VScroll(sheet, func() float32 { return 3 * menuRowH })
	p.ExtendBaseWidget(p)
	return p
}

// step marks the next row that can be chosen, in a direction; after the last comes the first.
func (p *menuPane) step(from, by int) {
	n := len(p.rows)
	for i, at := 0, from; i < n; i++ {
		if at += by; at < 0 {
			at = n - 1
		} else if at >= n {
			at = 0
		}
		if p.rows[at].selectable() {
			p.mark(at)
			return
		}
	}
}

// jump marks the next row that begins with a letter.
func (p *menuPane) jump(letter rune) {
	for i := range p.rows {
		at := (max(p.active, -1) + 1 + i) % len(p.rows)
		first, _ := utf8.DecodeRuneInString(p.rows[at].item.Label)
		if p.rows[at].selectable() && unicode.ToLower(first) == unicode.ToLower(letter) {
			p.mark(at)
			return
		}
	}
}

// mark makes a row the active one and scrolls to it.
func (p *menuPane) mark(at int) {
	if p.active == at {
		return
	}
	was := p.active
	p.active = at
	if was >= 0 {
		p.rows[was].Refresh()
	}
	if at < 0 {
		return
	}
	r := p.rows[at]
	r.Refresh()
	switch top, high := p.scroll.Offset.Y, p.scroll.Size().Height; {
	case r.Position().Y < top:
		p.scroll.To(r.Position().Y)
	case r.Position().Y+r.high() > top+high:
		p.scroll.To(r.Position().Y + r.high() - high)
	}
}

// Tapped implements fyne.Tappable: the space between the rows does nothing.
func (p *menuPane) Tapped(*fyne.PointEvent) {}

// CreateRenderer implements fyne.Widget.
func (p *menuPane) CreateRenderer() fyne.WidgetRenderer {
	shadow := kit.Fill(color.NRGBA{0, 0, 0, 0x30}, theme.Radius+1)
	return widget.NewSimpleRenderer(&fyne.Container{Objects: []fyne.CanvasObject{shadow, p.edge, p.scroll}, Layout: kit.LayoutFunc{
		Arrange: func(_ []fyne.CanvasObject, s fyne.Size) {
			kit.Place(shadow, 0, 2, s.Width, s.Height)
			kit.Place(p.edge, 0, 0, s.Width, s.Height)
			kit.Place(p.scroll, menuInset, menuInset, s.Width-2*menuInset, s.Height-2*menuInset)
		},
		Min: func([]fyne.CanvasObject) fyne.Size {
			s := p.scroll.Content.MinSize()
			return s.AddWidthHeight(2*menuInset, 2*menuInset)
		},
	}})
}

// A menuRow is an item or a separator.
type menuRow struct {
	widget.BaseWidget
	pane   *menuPane
	at     int
	item   *fyne.MenuItem
	ground *canvas.Rectangle
	label  *kit.Line
	hint   *canvas.Text
	tick   *canvas.Image
	more   *canvas.Image
	rule   *canvas.Rectangle
}

func newMenuRow(p *menuPane, at int, item *fyne.MenuItem) *menuRow {
	k := p.l.h.k
	ink, quiet := k.P.Text, k.P.Muted
	if item.Disabled {
		ink, quiet = k.P.Faint, k.P.Faint
	}
	r := &menuRow{
		pane: p, at: at, item: item, ground: kit.Fill(color.Transparent, 4), rule: canvas.NewRectangle(k.P.Edge),
		label: kit.NewLine(item.Label, theme.TextBody, ink, fyne.TextStyle{}, 20), hint: kit.Text("", theme.TextBody-1, quiet, fyne.TextStyle{}),
		tick: kit.Icon("check", ink, menuIcon), more: kit.Icon("chevron-right", quiet, menuIcon),
	}
	if item.Shortcut != nil {
		r.hint.Text = item.Shortcut.ShortcutName()
	}
	r.tick.Hidden, r.more.Hidden, r.rule.Hidden = !item.Checked, item.ChildMenu == nil, !item.IsSeparator
	r.ExtendBaseWidget(r)
	return r
}

// Label returns the text of the item.
func (r *menuRow) Label() string { return r.item.Label }

func (r *menuRow) selectable() bool { return !r.item.IsSeparator && !r.item.Disabled }

func (r *menuRow) high() float32 {
	if r.item.IsSeparator {
		return menuLineH
	}
	return max(menuRowH, r.label.MinSize().Height+8)
}

// wide returns the width at which the row's texts are whole.
func (r *menuRow) wide() float32 {
	w := 2*menuPad + r.label.PreferredWidth() + 1
	if r.pane.checks {
		w += menuIcon + 6
	}
	if r.hint.Text != "" {
		w += menuHintGap + r.hint.MinSize().Width
	}
	if r.item.ChildMenu != nil {
		w += menuIcon + 10
	}
	return w
}

// Tapped implements fyne.Tappable.
func (r *menuRow) Tapped(*fyne.PointEvent) {
	switch {
	case !r.selectable():
	case r.item.ChildMenu != nil:
		r.pane.l.enter(r)
	default:
		r.pane.l.chosen(r.item)
	}
}

// MouseIn implements desktop.Hoverable.
func (r *menuRow) MouseIn(*desktop.MouseEvent) {
	if r.selectable() {
		r.pane.mark(r.at)
		r.pane.l.openChild(r)
	}
}

// MouseMoved implements desktop.Hoverable.
func (r *menuRow) MouseMoved(*desktop.MouseEvent) {}

// MouseOut implements desktop.Hoverable.
func (r *menuRow) MouseOut() {
	if r.pane.active == r.at && r.pane.l.panes[len(r.pane.l.panes)-1] == r.pane {
		r.pane.mark(-1)
		r.Refresh()
	}
}

// paint sets the colours for the current state. The edge of the active row has the contrast of a
// focus ring, its text that of text.
func (r *menuRow) paint() {
	p := r.pane.l.h.k.P
	r.ground.FillColor, r.ground.StrokeColor, r.ground.StrokeWidth = color.Transparent, color.Transparent, 0
	if r.pane.active == r.at {
		r.ground.FillColor, r.ground.StrokeColor, r.ground.StrokeWidth = p.Selected, p.Accent, 1
	}
}

func (r *menuRow) layout(s fyne.Size) {
	kit.Place(r.ground, 0, 0, s.Width, s.Height)
	kit.Place(r.rule, 4, s.Height/2-0.5, s.Width-8, 1)
	x, right := menuPad, s.Width-menuPad
	if r.pane.checks {
		kit.Place(r.tick, x, (s.Height-menuIcon)/2, menuIcon, menuIcon)
		x += menuIcon + 6
	}
	if r.item.ChildMenu != nil {
		kit.Place(r.more, right-menuIcon+4, (s.Height-menuIcon)/2, menuIcon, menuIcon)
		right -= menuIcon + 4
	}
	if m := r.hint.MinSize(); r.hint.Text != "" {
		right -= m.Width
		kit.Place(r.hint, right, (s.Height-m.Height)/2, m.Width, m.Height)
		right -= 8
	}
	kit.Place(r.label, x, 0, right-x, s.Height)
}

// CreateRenderer implements fyne.Widget.
func (r *menuRow) CreateRenderer() fyne.WidgetRenderer {
	return &menuRowRenderer{r}
}

type menuRowRenderer struct{ r *menuRow }

func (m *menuRowRenderer) Layout(s fyne.Size) { m.r.layout(s) }
func (m *menuRowRenderer) MinSize() fyne.Size { return fyne.NewSize(m.r.wide(), m.r.high()) }
func (m *menuRowRenderer) Objects() []fyne.CanvasObject {
	return []fyne.CanvasObject{m.r.ground, m.r.rule, m.r.tick, m.r.label, m.r.hint, m.r.more}
}
func (m *menuRowRenderer) Destroy() {}
func (m *menuRowRenderer) Refresh() {
	m.r.paint()
	canvas.Refresh(m.r)
}

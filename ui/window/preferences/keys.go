package preferences

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"

	"easel/ui/window/keymap"
	"easel/ui/window/kit"
	"easel/ui/window/theme"
)

// A KeyRow is an action and its keys, in the list in which the user changes them.
type KeyRow struct {
	ID, Name, Keys string
	Own            bool // the user has chosen them
}

// A KeysPort is what the list of keys may read and do in the window.
type KeysPort struct {
	List  func() []KeyRow
	Taken func(c keymap.Chord) (id, name string)     // which action has a key; "" if none
	Set   func(id string, keys []keymap.Chord)       // gives an action other keys; another that has one of them loses it
	Reset func(id string)                            // gives an action the keys that it comes with; "": all of them
	Ask   func(title, text, yes string, then func()) // asks whether another action may lose its key
	File  string                                     // the file that has the user's keys

	// Sheet shows the list.
	Sheet func(title string, body fyne.CanvasObject, actions ...fyne.CanvasObject)
}

// A keyList is the list of keys while it is open.
type keyList struct {
	p      *Page
	column *kit.Column
	rows   []*keyButton
}

// showKeys shows the list in which the keys can be changed.
func (p *Page) showKeys() {
	k := p.k
	l := &keyList{p: p, column: k.Column(18, 0)}
	l.draw()
	p.port.Keys.Sheet(k.T("keymap.title"), l.column,
		k.Button(kit.Quiet, "", k.T("keymap.file"), k.T("keymap.file_tip"), func() { p.port.Reveal(p.port.Keys.File) }).Small(),
		k.Button(kit.Quiet, "restart", k.T("keymap.reset_all"), "", func() {
			p.port.Keys.Reset("")
			l.draw()
		}).Small())
}

// draw makes the rows. The one that has the focus keeps it.
func (l *keyList) draw() {
	k, focused := l.p.k, ""
	for _, b := range l.rows {
		if b.focused {
			focused = b.row.ID
		}
	}
	rows := []fyne.CanvasObject{kit.NewPara(k.T("keymap.about"), theme.TextBody, k.P.Muted, fyne.TextStyle{})}
	l.rows = nil
	var again *keyButton
	for _, x := range l.p.port.Keys.List() {
		b := newKeyButton(l, x)
		l.rows = append(l.rows, b)
		if x.ID == focused {
			again = b
		}
		reset := k.Button(kit.Ghost, "restart", "", k.T("keymap.reset"), func() {
			l.p.port.Keys.Reset(x.ID)
			l.draw()
		}).Small()
		reset.SetEnabled(x.Own)
		name := kit.NewLine(x.Name, theme.TextBody, k.P.Text, fyne.TextStyle{}, 60)
		line := canvas.NewRectangle(k.P.Line)
		rows = append(rows, &fyne.Container{Objects: []fyne.CanvasObject{line, name, b, reset}, Layout: kit.LayoutFunc{
			Arrange: func(_ []fyne.CanvasObject, s fyne.Size) {
				kit.Place(line, 0, 0, s.Width, 1)
				kit.Place(reset, s.Width-26, (s.Height-24)/2, 24, 24)
				kit.Place(b, s.Width-36-170, (s.Height-26)/2, 170, 26)
				kit.Place(name, 2, 0, s.Width-36-170-12, s.Height)
			},
			Min: func([]fyne.CanvasObject) fyne.Size { return fyne.NewSize(200, 36) },
		}})
	}
	l.column.SetRows(rows...)
	if again != nil {
		l.p.port.Focus(again)
	}
}

// typed gives an action a key. If another has it, it asks first.
func (l *keyList) typed(row KeyRow, c keymap.Chord) {
	k, port := l.p.k, l.p.port.Keys
	set := func() {
		port.Set(row.ID, []keymap.Chord{c})
		l.draw()
	}
	id, name := port.Taken(c)
	if id == "" || id == row.ID {
		set()
		return
	}
	port.Ask(k.T("keymap.taken_title", string(c)), k.T("keymap.taken_text", name), k.T("keymap.take"), set)
}

var (
	_ fyne.Focusable    = (*keyButton)(nil)
	_ fyne.Tappable     = (*keyButton)(nil)
	_ fyne.Shortcutable = (*keyButton)(nil)
	_ desktop.Hoverable = (*keyButton)(nil)
)

// A keyButton shows the keys of an action. After a click or Enter it waits for the key that the user
// wants instead.
type keyButton struct {
	widget.BaseWidget
	l       *keyList
	row     KeyRow
	waiting bool
	focused bool
	hovered bool
	ground  *canvas.Rectangle
	ring    *canvas.Rectangle
	text    *kit.Line
}

func newKeyButton(l *keyList, row KeyRow) *keyButton {
	p := l.p.k.P
	b := &keyButton{
		l: l, row: row, ground: kit.Fill(p.Raised, theme.Radius), ring: kit.Outline(p.Accent, 2, theme.Radius+1),
		text: kit.NewLine("", theme.TextBody-1, p.Text, fyne.TextStyle{}, 40),
	}
	b.text.Align(fyne.TextAlignCenter)
	b.ExtendBaseWidget(b)
	b.paint()
	return b
}

func (b *keyButton) wait(on bool) {
	b.waiting = on
	b.Refresh()
}

// took ends the waiting with a key, or with what is wrong with it.
func (b *keyButton) took(c keymap.Chord) {
	if c == "" {
		b.l.p.port.Say(kit.MarkBad, b.l.p.k.T("keymap.not_possible"))
		return
	}
	b.wait(false)
	b.l.typed(b.row, c)
}

// Tapped implements fyne.Tappable.
func (b *keyButton) Tapped(*fyne.PointEvent) {
	b.l.p.port.Focus(b)
	b.wait(true)
}

// FocusGained implements fyne.Focusable.
func (b *keyButton) FocusGained() { b.focused = true; b.Refresh() }

// FocusLost implements fyne.Focusable.
func (b *keyButton) FocusLost() {
	b.focused = false
	b.wait(false)
}

// TypedRune implements fyne.Focusable.
func (b *keyButton) TypedRune(r rune) {
	if c := keymap.OfRune(r); b.waiting && r != ' ' {
		b.took(c)
	}
}

// TypedShortcut implements fyne.Shortcutable.
func (b *keyButton) TypedShortcut(s fyne.Shortcut) {
	if b.waiting {
		b.took(keymap.OfShortcut(s))
	}
}

// TypedKey implements fyne.Focusable.
func (b *keyButton) TypedKey(e *fyne.KeyEvent) {
	//exhaustive:ignore
	switch e.Name {
	case fyne.KeyReturn, fyne.KeyEnter, fyne.KeySpace:
		b.wait(true)
	case fyne.KeyEscape:
		if !b.waiting {
			kit.Unfocus(b) // the next one closes the list
		}
		b.wait(false)
	case fyne.KeyBackspace:
		if b.waiting { // no key
			b.wait(false)
			b.l.p.port.Keys.Set(b.row.ID, nil)
			b.l.draw()
		}
	default:
		if c := keymap.OfKey(e.Name, kit.Modifiers()); b.waiting && c != "" {
			b.took(c)
		}
	}
}

// MouseIn implements desktop.Hoverable.
func (b *keyButton) MouseIn(*desktop.MouseEvent) { b.hovered = true; b.Refresh() }

// MouseMoved implements desktop.Hoverable.
func (b *keyButton) MouseMoved(*desktop.MouseEvent) {}

// MouseOut implements desktop.Hoverable.
func (b *keyButton) MouseOut() { b.hovered = false; b.Refresh() }

func (b *keyButton) paint() {
	k := b.l.p.k
	b.ground.FillColor, b.ground.StrokeColor, b.ground.StrokeWidth = k.P.Raised, k.P.Edge, 1
	var ink color.Color = k.P.Text
	text := b.row.Keys
	switch {
	case b.waiting:
		b.ground.FillColor, b.ground.StrokeColor = k.P.AccentBg, k.P.Accent
		text, ink = k.T("keymap.press"), k.P.Accent
	case b.hovered:
		b.ground.FillColor = k.P.Hover
	}
	if text == "" {
		text, ink = "—", k.P.Muted
	}
	b.text.Set(text, ink)
	b.ring.Hidden = !b.focused
}

// CreateRenderer implements fyne.Widget.
func (b *keyButton) CreateRenderer() fyne.WidgetRenderer { return &keyButtonRenderer{b} }

type keyButtonRenderer struct{ b *keyButton }

func (r *keyButtonRenderer) Layout(s fyne.Size) {
	kit.Place(r.b.ground, 0, 0, s.Width, s.Height)
	kit.Place(r.b.ring, -1, -1, s.Width+2, s.Height+2)
	kit.Place(r.b.text, 6, 0, s.Width-12, s.Height)
}
func (r *keyButtonRenderer) MinSize() fyne.Size { return fyne.NewSize(170, 26) }
func (r *keyButtonRenderer) Objects() []fyne.CanvasObject {
	return []fyne.CanvasObject{r.b.ground, r.b.text, r.b.ring}
}
func (r *keyButtonRenderer) Destroy() {}
func (r *keyButtonRenderer) Refresh() {
	r.b.paint()
	canvas.Refresh(r.b)
}

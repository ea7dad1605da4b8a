package dialogs

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/widget"
)

var (
	_ fyne.Focusable         = (*menuLayer)(nil)
	_ fyne.Tappable          = (*menuLayer)(nil)
	_ fyne.SecondaryTappable = (*menuLayer)(nil)
)

// A menuLayer covers the window while a menu is open. It contains the menu and the submenus that
// are open, has the keyboard, and closes the menu when it is tapped.
//
// Fyne's own menus mark an item with a background on which its text cannot be read, and show keys
// in a colour that nobody can.
type menuLayer struct {
	widget.BaseWidget
	h     *Host
	panes []*menuPane
}

// Menu shows a menu at a position. The keyboard moves in it, and closing it gives the focus back.
func (h *Host) Menu(at fyne.Position, items ...*fyne.MenuItem) {
	h.k.Tips.Hide()
	l := &menuLayer{h: h}
	l.ExtendBaseWidget(l)
	l.Resize(h.canvas.Size())
	l.open(items, at)
	h.canvas.Overlays().Add(l)
	h.canvas.Focus(l)
	h.shown = append(h.shown, l)
}

// open shows items in a pane whose top left corner is at a position, if it fits there.
func (l *menuLayer) open(items []*fyne.MenuItem, at fyne.Position) {
	p := newMenuPane(l, items)
	l.panes = append(l.panes, p)
	l.fit(p, at)
	l.Refresh()
}

// fit places a pane so that it is inside the window. What is too high for it scrolls.
func (l *menuLayer) fit(p *menuPane, at fyne.Position) {
	window, size := l.Size(), p.MinSize()
	size = fyne.NewSize(min(size.Width, window.Width-2*menuMargin), min(size.Height, window.Height-2*menuMargin))
	p.Resize(size)
	p.Move(fyne.NewPos(
		max(min(at.X, window.Width-size.Width-menuMargin), menuMargin),
		max(min(at.Y, window.Height-size.Height-menuMargin), menuMargin)))
}

// openChild shows the submenu of a row beside it, or closes the one that another row has opened.
func (l *menuLayer) openChild(r *menuRow) {
	l.closeAfter(r.pane)
	if r.item.ChildMenu == nil || r.item.Disabled {
		return
	}
	at := r.pane.Position().Add(fyne.NewPos(r.pane.Size().Width-4, r.Position().Y-r.pane.scroll.Offset.Y))
	before := len(l.panes)
	l.open(r.item.ChildMenu.Items, at)
	if child := l.panes[before]; child.Position().X < at.X { // there is no room at the right
		l.fit(child, fyne.NewPos(r.pane.Position().X-child.Size().Width+4, at.Y))
	}
}

// closeAfter closes the submenus of a pane.
func (l *menuLayer) closeAfter(p *menuPane) {
	for i, x := range l.panes {
		if x == p && i+1 < len(l.panes) {
			l.panes = l.panes[:i+1]
			l.Refresh()
			return
		}
	}
}

// Hide closes the menu.
func (l *menuLayer) Hide() {
	if !l.Visible() {
		return
	}
	l.BaseWidget.Hide()
	l.h.canvas.Overlays().Remove(l)
	l.h.closed()
}

// Tapped implements fyne.Tappable.
func (l *menuLayer) Tapped(*fyne.PointEvent) { l.Hide() }

// TappedSecondary implements fyne.SecondaryTappable.
func (l *menuLayer) TappedSecondary(*fyne.PointEvent) { l.Hide() }

// FocusGained implements fyne.Focusable.
func (l *menuLayer) FocusGained() {}

// FocusLost implements fyne.Focusable.
func (l *menuLayer) FocusLost() {}

// AcceptsTab implements fyne.Tabbable: Tab moves in the menu.
func (l *menuLayer) AcceptsTab() bool { return true }

// TypedRune implements fyne.Focusable. A letter goes to the next item that begins with it.
func (l *menuLayer) TypedRune(r rune) { l.panes[len(l.panes)-1].jump(r) }

// TypedKey implements fyne.Focusable.
func (l *menuLayer) TypedKey(e *fyne.KeyEvent) {
	p := l.panes[len(l.panes)-1]
	//exhaustive:ignore
	switch e.Name {
	case fyne.KeyEscape:
		l.Hide()
	case fyne.KeyDown, fyne.KeyTab:
		p.step(p.active, 1)
	case fyne.KeyUp:
		p.step(p.active, -1)
	case fyne.KeyHome, fyne.KeyPageUp:
		p.step(-1, 1)
	case fyne.KeyEnd, fyne.KeyPageDown:
		p.step(len(p.rows), -1)
	case fyne.KeyRight:
		if p.active >= 0 && p.rows[p.active].item.ChildMenu != nil {
			l.enter(p.rows[p.active])
		}
	case fyne.KeyLeft:
		if len(l.panes) > 1 {
			l.closeAfter(l.panes[len(l.panes)-2])
		}
	case fyne.KeyReturn, fyne.KeyEnter, fyne.KeySpace:
		if p.active >= 0 {
			p.rows[p.active].Tapped(nil)
		}
	}
}

// enter opens the submenu of a row and marks its first item.
func (l *menuLayer) enter(r *menuRow) {
	l.openChild(r)
	if last := l.panes[len(l.panes)-1]; last != r.pane {
		last.step(-1, 1)
	}
}

// CreateRenderer implements fyne.Widget.
func (l *menuLayer) CreateRenderer() fyne.WidgetRenderer { return &menuLayerRenderer{l} }

type menuLayerRenderer struct{ l *menuLayer }

func (r *menuLayerRenderer) Layout(fyne.Size) {
	for _, p := range r.l.panes {
		r.l.fit(p, p.Position())
	}
}
func (r *menuLayerRenderer) MinSize() fyne.Size { return fyne.Size{} }
func (r *menuLayerRenderer) Objects() []fyne.CanvasObject {
	os := make([]fyne.CanvasObject, len(r.l.panes))
	for i, p := range r.l.panes {
		os[i] = p
	}
	return os
}
func (r *menuLayerRenderer) Destroy() {}
func (r *menuLayerRenderer) Refresh() { canvas.Refresh(r.l) }

// chosen closes the menu and does what an item does.
func (l *menuLayer) chosen(item *fyne.MenuItem) {
	l.Hide()
	if item.Action != nil {
		item.Action()
	}
}

package kit

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"

	"easel/ui/window/theme"
)

var _ fyne.Focusable = (*Rows)(nil)

// A cursor is where the keyboard is in Rows. Tab stops once at the list, and the arrows move in it.
type cursor struct {
	at      int    // the row; -1: none yet
	id      string // of that row, if the rows have ids
	focused bool
	stays   bool // it is shown without the focus, too, because a field moves it
	ring    *canvas.Rectangle
}

// Cursor returns the row that the keyboard is on; -1 if there is none.
func (r *Rows) Cursor() int {
	if r.cursor.at >= r.count() {
		return -1
	}
	return r.cursor.at
}

// KeepCursor shows where the keyboard is although something else has the focus.
func (r *Rows) KeepCursor() { r.cursor.stays = true }

// SetCursor moves the keyboard to a row, if there is one, and scrolls to it.
func (r *Rows) SetCursor(i int) {
	n := r.count()
	if n == 0 {
		r.cursor.at, r.cursor.id = -1, ""
		r.arrange()
		return
	}
	r.cursor.at = min(max(i, 0), n-1)
	r.cursor.id = r.idOf(r.cursor.at)
	y, h := float32(r.cursor.at)*r.high, r.Size().Height
	switch top := r.scroll.Offset.Y; {
	case y < top:
		r.scroll.To(y)
	case y+r.high > top+h:
		r.scroll.To(y + r.high - h)
	}
	r.arrange()
}

func (r *Rows) idOf(i int) string {
	if r.ID == nil || i < 0 || i >= r.count() {
		return ""
	}
	return r.ID(i)
}

// follow keeps the keyboard on its row when others come before it.
func (r *Rows) follow() {
	if r.cursor.at < 0 || r.cursor.id == "" || !r.cursor.focused || r.idOf(r.cursor.at) == r.cursor.id {
		return
	}
	for i := range r.count() {
		if r.ID(i) == r.cursor.id {
			r.cursor.at = i
			return
		}
	}
}

// Step moves the keyboard for a key. It reports whether the key moves.
func (r *Rows) Step(name fyne.KeyName) bool {
	at, page := r.Cursor(), max(int(r.Size().Height/r.high)-1, 1)
	//exhaustive:ignore
	switch name {
	case fyne.KeyDown:
		at++
	case fyne.KeyUp:
		at--
	case fyne.KeyPageDown:
		at += page
	case fyne.KeyPageUp:
		at -= page
	case fyne.KeyHome:
		at = 0
	case fyne.KeyEnd:
		at = r.count() - 1
	default:
		return false
	}
	r.SetCursor(at)
	return true
}

// roves reports whether the rows do something, so that the keyboard moves from one to the other.
// Otherwise it scrolls.
func (r *Rows) roves() bool { return r.tap != nil || r.OnMenu != nil }

// FocusGained implements fyne.Focusable.
func (r *Rows) FocusGained() {
	r.cursor.focused = true
	if r.roves() && r.Cursor() < 0 {
		r.SetCursor(int((r.scroll.Offset.Y + r.high - 1) / r.high)) // the first that is in sight
	}
	r.showRing()
}

// FocusLost implements fyne.Focusable.
func (r *Rows) FocusLost() {
	r.cursor.focused = false
	r.showRing()
}

func (r *Rows) showRing() {
	r.cursor.ring.Hidden = !r.cursor.focused || r.roves() && r.count() > 0
	r.cursor.ring.Refresh()
	r.arrange()
}

// TypedRune implements fyne.Focusable.
func (r *Rows) TypedRune(rune) {}

// TypedKey implements fyne.Focusable.
func (r *Rows) TypedKey(e *fyne.KeyEvent) {
	//exhaustive:ignore
	switch {
	case e.Name == fyne.KeyEscape:
		Unfocus(r)
	case e.Name == fyne.KeyReturn || e.Name == fyne.KeyEnter || e.Name == fyne.KeySpace:
		if at := r.Cursor(); at >= 0 && r.tap != nil {
			r.tap(at)
		}
	case MenuKey(e):
		if at := r.Cursor(); at >= 0 && r.OnMenu != nil {
			from := fyne.CurrentApp().Driver().AbsolutePositionForObject(r)
			r.OnMenu(at, from.AddXY(24, float32(at+1)*r.high-r.scroll.Offset.Y))
		}
	case r.roves():
		if !r.Step(e.Name) {
			r.k.Unused(e)
		}
	case !r.scrollBy(e.Name):
		r.k.Unused(e)
	}
}

// scrollBy scrolls rows that do nothing.
func (r *Rows) scrollBy(name fyne.KeyName) bool {
	//exhaustive:ignore
	switch name {
	case fyne.KeyDown:
		r.scroll.To(r.scroll.Offset.Y + r.high)
	case fyne.KeyUp:
		r.scroll.To(r.scroll.Offset.Y - r.high)
	case fyne.KeyPageDown:
		r.scroll.Page(1)
	case fyne.KeyPageUp:
		r.scroll.Page(-1)
	case fyne.KeyHome:
		r.scroll.To(0)
	case fyne.KeyEnd:
		r.scroll.To(r.total())
	default:
		return false
	}
	return true
}

// paintCursor marks a row if the keyboard is on it. The edge has the contrast of a focus ring.
func (v *rowView) paintCursor() {
	v.ground.StrokeWidth = 0
	if c := v.r.cursor; v.at == c.at && (c.stays || c.focused) && v.r.roves() {
		v.ground.FillColor, v.ground.StrokeColor, v.ground.StrokeWidth = v.r.k.P.Selected, v.r.k.P.Accent, 1.5
	}
}

func newCursor(k *Kit) cursor {
	ring := Outline(k.P.Accent, 2, theme.Radius)
	ring.Hide()
	return cursor{at: -1, ring: ring}
}

// MenuKey reports whether a key opens the menu of what has the focus: the Menu key, or Shift+F10.
func MenuKey(e *fyne.KeyEvent) bool {
	return e.Name == desktop.KeyMenu || e.Name == fyne.KeyF10 && Modifiers()&fyne.KeyModifierShift != 0
}

// Unused passes on a key that a widget with the focus does not use, so that the keys of the window
// work everywhere. Letters are not passed on: they may be meant for something else.
func (k *Kit) Unused(e *fyne.KeyEvent) {
	if k.Keys != nil {
		k.Keys(e)
	}
}

// FirstStop returns the first object in o that the keyboard reaches, or nil.
func FirstStop(o fyne.CanvasObject) fyne.Focusable {
	if !o.Visible() {
		return nil
	}
	if f, ok := o.(fyne.Focusable); ok {
		return f
	}
	for _, part := range partsOf(o) {
		if f := FirstStop(part); f != nil {
			return f
		}
	}
	return nil
}

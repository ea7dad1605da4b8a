package kit

import (
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"

	"easel/ui/window/theme"
)

// A Field is an entry that gives up the keyboard focus on Escape.
type Field struct {
	widget.Entry
	k       *Kit
	Forward func(fyne.Shortcut) // gets the shortcuts that an entry does not use; may be nil
	OnEsc   func()
	OnDown  func()                  // handles the arrow down, which a single line does not use; may be nil
	OnEnter func()                  // called when the field gets the focus; may be nil
	OnLeave func()                  // called when the field loses the focus; may be nil
	OnKey   func(fyne.KeyName) bool // handles a key before the field does, and reports whether it used it; may be nil
	OnTab   func() bool             // handles Tab and reports whether it used it; may be nil
}

// Field returns a field with a placeholder.
func (k *Kit) Field(placeholder string) *Field {
	f := &Field{k: k}
	f.ExtendBaseWidget(f)
	f.SetPlaceHolder(placeholder)
	return f
}

// Slim returns the field in a given width, as high as a small button.
func (f *Field) Slim(width float32) fyne.CanvasObject {
	return Box(Themed(f, theme.Slim(fyne.CurrentApp().Settings().Theme())), fyne.NewSize(width, 0))
}

// A Caret is what is typed in a field, for the field that replaces it.
type Caret struct {
	Text    string
	Focused bool // the field has the keyboard focus

	row, column int
}

// Caret returns what is typed. focused is what has the keyboard focus.
func (f *Field) Caret(focused fyne.Focusable) Caret {
	return Caret{Text: f.Text, Focused: focused == fyne.Focusable(f), row: f.CursorRow, column: f.CursorColumn}
}

// Resume continues what was typed in another field. If that had the focus, focus gives it to f.
func (f *Field) Resume(c Caret, focus func(fyne.Focusable)) {
	if f.Text != c.Text {
		f.SetText(c.Text)
	}
	if c.Focused {
		focus(f)
	}
	f.CursorRow, f.CursorColumn = c.row, c.column
	f.Refresh()
}

// TypedRune implements fyne.Focusable.
func (f *Field) TypedRune(r rune) {
	f.passHiddenSpaces()
	at := f.CursorTextOffset() + 1
	alone := f.SelectedText() == ""
	f.Entry.TypedRune(r)
	if alone && f.CursorTextOffset() != at {
		f.MoveCursor(at)
	}
}

// TypedKey implements fyne.Focusable.
func (f *Field) TypedKey(e *fyne.KeyEvent) {
	if f.OnKey != nil && f.OnKey(e.Name) {
		return
	}
	if MenuKey(e) {
		at := fyne.CurrentApp().Driver().AbsolutePositionForObject(f).AddXY(8, f.Size().Height)
		f.TappedSecondary(&fyne.PointEvent{AbsolutePosition: at})
		return
	}
	//exhaustive:ignore
	switch e.Name {
	case fyne.KeyBackspace, fyne.KeyDelete, fyne.KeyReturn, fyne.KeyEnter:
		f.passHiddenSpaces()
	}
	if e.Name == fyne.KeyEscape {
		if f.OnEsc != nil {
			f.OnEsc()
		}
		Unfocus(f)
		return
	}
	if e.Name == fyne.KeyTab && f.OnTab != nil {
		if !f.OnTab() {
			Unfocus(f)
		}
		return
	}
	if e.Name == fyne.KeyTab && f.MultiLine && f.TextStyle.Monospace { // Python rejects a mix of tabs and spaces
		for range 4 {
			f.TypedRune(' ')
		}
		return
	}
	if e.Name == fyne.KeyDown && f.OnDown != nil {
		f.OnDown()
		return
	}
	f.Entry.TypedKey(e)
}

// TappedSecondary implements fyne.SecondaryTappable. It shows the menu of what can be done with the text.
func (f *Field) TappedSecondary(e *fyne.PointEvent) {
	if f.k.Menu == nil || f.Disabled() {
		f.Entry.TappedSecondary(e)
		return
	}
	if c := fyne.CurrentApp().Driver().CanvasForObject(f); c != nil {
		c.Focus(f)
	}
	board, some := fyne.CurrentApp().Clipboard(), f.SelectedText() != ""
	item := func(key string, possible bool, s fyne.Shortcut) *fyne.MenuItem {
		x := fyne.NewMenuItem(f.k.T(key), func() { f.TypedShortcut(s) })
		x.Disabled = !possible
		return x
	}
	secret := f.Password
	f.k.Menu(e.AbsolutePosition,
		item("field.undo", true, &fyne.ShortcutUndo{}), item("field.redo", true, &fyne.ShortcutRedo{}), fyne.NewMenuItemSeparator(),
		item("field.cut", some && !secret, &fyne.ShortcutCut{Clipboard: board}), item("field.copy", some && !secret, &fyne.ShortcutCopy{Clipboard: board}),
		item("field.paste", true, &fyne.ShortcutPaste{Clipboard: board}), item("field.all", f.Text != "", &fyne.ShortcutSelectAll{}))
}

// AcceptsTab implements fyne.Tabbable. Tab indents code or completes what the user has
// typed. In other fields it moves to the next field.
func (f *Field) AcceptsTab() bool {
	return f.OnTab != nil && f.Text != "" || f.MultiLine && f.TextStyle.Monospace
}

// FocusGained implements fyne.Focusable.
func (f *Field) FocusGained() {
	f.Entry.FocusGained()
	if f.OnEnter != nil {
		f.OnEnter()
	}
}

// FocusLost implements fyne.Focusable.
func (f *Field) FocusLost() {
	f.Entry.FocusLost()
	if f.OnLeave != nil {
		f.OnLeave()
	}
}

// TypedShortcut implements fyne.Shortcutable.
func (f *Field) TypedShortcut(s fyne.Shortcut) {
	if _, paste := s.(*fyne.ShortcutPaste); paste {
		f.passHiddenSpaces()
	}
	c, ok := s.(*desktop.CustomShortcut)
	if ok && c.KeyName == fyne.KeyZ && c.Modifier == fyne.KeyModifierShortcutDefault|fyne.KeyModifierShift {
		f.Redo() // which Fyne does with Ctrl+Y only
		return
	}
	if ok && f.Forward != nil && c.Modifier&^fyne.KeyModifierShift == fyne.KeyModifierControl {
		//exhaustive:ignore
		switch c.KeyName {
		case fyne.KeyLeft, fyne.KeyRight, fyne.KeyHome, fyne.KeyEnd, fyne.KeyBackspace, fyne.KeyDelete:
		default:
			f.Forward(s)
			return
		}
	}
	f.Entry.TypedShortcut(s)
}

// CreateRenderer implements fyne.Widget.
func (f *Field) CreateRenderer() fyne.WidgetRenderer {
	r := &fieldRenderer{WidgetRenderer: f.Entry.CreateRenderer()}
	if !f.MultiLine {
		r.wheel = newWheelPass(f)
	}
	os := r.WidgetRenderer.Objects()
	if !f.k.Shaders || len(os) < 2 {
		return r
	}
	ground, isGround := os[0].(*canvas.Rectangle)
	edge, isEdge := os[1].(*canvas.Rectangle)
	if isGround && isEdge { // else Fyne's implementation has changed
		r.ground, r.edge = ground, edge
		r.area = f.k.Area(r.ground.FillColor, theme.Radius)
		r.paint()
	}
	return r
}

// A fieldRenderer draws an [Area] instead of the entry's two rectangles. It also passes
// the wheel to the page that contains the field.
type fieldRenderer struct {
	fyne.WidgetRenderer
	area         *Area // nil if the rectangles are drawn
	ground, edge *canvas.Rectangle
	wheel        *wheelPass // nil if the field scrolls itself
}

func (r *fieldRenderer) paint() {
	if r.area != nil {
		r.area.Paint(r.ground.FillColor, r.edge.StrokeColor, r.edge.StrokeWidth)
	}
}

func (r *fieldRenderer) Layout(s fyne.Size) {
	r.WidgetRenderer.Layout(s)
	if r.area != nil {
		Place(r.area, 0, 0, s.Width, s.Height)
	}
	if r.wheel != nil {
		Place(r.wheel, 0, 0, s.Width, s.Height)
	}
}

func (r *fieldRenderer) Refresh() {
	r.WidgetRenderer.Refresh()
	r.paint()
}

func (r *fieldRenderer) Objects() []fyne.CanvasObject {
	os := slices.Clone(r.WidgetRenderer.Objects())
	if r.area != nil {
		os = append([]fyne.CanvasObject{r.area}, os...)
		os = slices.DeleteFunc(os, func(o fyne.CanvasObject) bool { return o == r.ground || o == r.edge })
	}
	if r.wheel != nil {
		os = append(os, r.wheel)
	}
	return os
}

var _ fyne.Scrollable = (*wheelPass)(nil)

// A wheelPass covers a single-line field. The field would consume the wheel without
// using it; the wheelPass passes it to the page that contains the field.
type wheelPass struct {
	widget.BaseWidget
	f *Field
}

func newWheelPass(f *Field) *wheelPass {
	w := &wheelPass{f: f}
	w.ExtendBaseWidget(w)
	return w
}

// Scrolled implements fyne.Scrollable.
func (w *wheelPass) Scrolled(e *fyne.ScrollEvent) {
	d := fyne.CurrentApp().Driver()
	at := d.AbsolutePositionForObject(w.f).Add(e.Position)
	if s := w.f.k.ScrollAt(at); s != nil {
		s.Scrolled(e)
	}
}

// CreateRenderer implements fyne.Widget.
func (w *wheelPass) CreateRenderer() fyne.WidgetRenderer { return &renderer{} }

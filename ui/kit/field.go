package kit

import (
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"

	"easel/ui/theme"
)

// A Field is an entry that gives the keys back to the window on Escape.
type Field struct {
	widget.Entry
	k       *Kit
	Forward func(fyne.Shortcut) // gets shortcuts that an entry has no use for
	OnEsc   func()
	OnLeave func()      // the focus went elsewhere
	OnTab   func() bool // takes the key, if it has a use for it
}

// Field makes a field with a placeholder.
func (k *Kit) Field(placeholder string) *Field {
	f := &Field{k: k}
	f.ExtendBaseWidget(f)
	f.SetPlaceHolder(placeholder)
	return f
}

// Slim is the field, width wide, as high as a small button.
func (f *Field) Slim(width float32) fyne.CanvasObject {
	return Box(container.NewThemeOverride(f, theme.Slim(fyne.CurrentApp().Settings().Theme())), fyne.NewSize(width, 0))
}

// TypedKey implements fyne.Focusable.
func (f *Field) TypedKey(e *fyne.KeyEvent) {
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
	if e.Name == fyne.KeyTab && f.MultiLine && f.TextStyle.Monospace { // code: tabs beside spaces are an error in Python
		for range 4 {
			f.TypedRune(' ')
		}
		return
	}
	f.Entry.TypedKey(e)
}

// AcceptsTab implements fyne.Tabbable: code is indented by it, and what is typed may
// be completed; elsewhere it goes to the next field.
func (f *Field) AcceptsTab() bool {
	return f.OnTab != nil && f.Text != "" || f.MultiLine && f.TextStyle.Monospace
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
	if c, ok := s.(*desktop.CustomShortcut); ok && f.Forward != nil && c.Modifier&^fyne.KeyModifierShift == fyne.KeyModifierControl {
		//exhaustive:ignore
		switch c.KeyName {
		case fyne.KeyLeft, fyne.KeyRight, fyne.KeyBackspace, fyne.KeyDelete:
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
	os := r.WidgetRenderer.Objects()
	if !f.k.Shaders || len(os) < 2 {
		return r.WidgetRenderer
	}
	var ground, edge bool
	r.ground, ground = os[0].(*canvas.Rectangle)
	r.edge, edge = os[1].(*canvas.Rectangle)
	if !ground || !edge { // another Fyne
		return r.WidgetRenderer
	}
	r.area = f.k.Area(r.ground.FillColor, theme.Radius)
	r.paint()
	return r
}

// A fieldRenderer draws an area in place of the entry's two rectangles; see [Area].
type fieldRenderer struct {
	fyne.WidgetRenderer
	ground, edge *canvas.Rectangle
	area         *Area
}

func (r *fieldRenderer) paint() {
	r.area.Paint(r.ground.FillColor, r.edge.StrokeColor, r.edge.StrokeWidth)
}

func (r *fieldRenderer) Layout(s fyne.Size) {
	r.WidgetRenderer.Layout(s)
	Place(r.area, 0, 0, s.Width, s.Height)
}

func (r *fieldRenderer) Refresh() {
	r.WidgetRenderer.Refresh()
	r.paint()
}

func (r *fieldRenderer) Objects() []fyne.CanvasObject {
	os := append([]fyne.CanvasObject{r.area}, r.WidgetRenderer.Objects()...)
	return slices.DeleteFunc(os, func(o fyne.CanvasObject) bool { return o == r.ground || o == r.edge })
}

package kit

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"
)

// A Tall is an object whose height depends on its width, for example wrapped text.
type Tall interface {
	HeightFor(width float32) float32
}

// HeightOf returns the height that o needs at a width.
func HeightOf(o fyne.CanvasObject, width float32) float32 {
	if t, ok := o.(Tall); ok {
		return t.HeightFor(width)
	}
	return o.MinSize().Height
}

// A Compound is a widget that is made of others. So the keyboard and a page that scrolls find them.
type Compound interface {
	fyne.Widget
	Parts() []fyne.CanvasObject // at their places in the widget
}

// partsOf returns what a container or a compound is made of.
func partsOf(o fyne.CanvasObject) []fyne.CanvasObject {
	switch x := o.(type) {
	case *fyne.Container:
		return x.Objects
	case Compound:
		return x.Parts()
	}
	return nil
}

var _ fyne.Widget = (*Column)(nil)

// A Column arranges objects from top to bottom, each as wide as the column. It scrolls
// if they do not fit.
type Column struct {
	widget.BaseWidget
	Pad, Gap float32
	Most     float32 // maximum width of a row; 0: the width of the column
	k        *Kit
	inner    *columnInner
	scroll   *Scroll
}

// columnStep is how far one notch of the wheel scrolls a column.
const columnStep = 90

// Column returns a column.
func (k *Kit) Column(pad, gap float32, rows ...fyne.CanvasObject) *Column {
	c := &Column{k: k, Pad: pad, Gap: gap}
	c.inner = &columnInner{column: c, rows: rows}
	c.inner.ExtendBaseWidget(c.inner)
	c.scroll = k.VScroll(c.inner, func() float32 { return columnStep })
	c.ExtendBaseWidget(c)
	return c
}

// room returns the width of the rows if the column has a width.
func (c *Column) room(width float32) float32 {
	w := width - 2*c.Pad
	if c.Most > 0 {
		w = min(w, c.Most)
	}
	return w
}

// SetRows replaces the rows. It ignores nil rows. While the pointer is pressed on the column, it waits.
func (c *Column) SetRows(rows ...fyne.CanvasObject) {
	if c.k.Pressed(c, func() { c.SetRows(rows...) }) {
		return
	}
	c.inner.rows = c.inner.rows[:0:0]
	for _, r := range rows {
		if r != nil {
			c.inner.rows = append(c.inner.rows, r)
		}
	}
	c.Relayout()
}

// Relayout lays out the rows. Call it when the height of a row has changed.
func (c *Column) Relayout() {
	c.inner.Refresh()
	c.arrange(c.Size())
}

// Scroll returns the column's Scroll.
func (c *Column) Scroll() *Scroll { return c.scroll }

// Reveal scrolls so that a row is visible.
func (c *Column) Reveal(row fyne.CanvasObject) { c.reveal(row.Position().Y, row.Size().Height) }

// RevealWithin scrolls so that an object in a row is visible.
func (c *Column) RevealWithin(o fyne.CanvasObject) {
	top, ok := topOf(o, c.inner.rows)
	if !ok {
		d := fyne.CurrentApp().Driver()
		top = d.AbsolutePositionForObject(o).Y - d.AbsolutePositionForObject(c.inner).Y
	}
	c.reveal(top, o.Size().Height)
}

// topOf returns where an object is below the place of others, if it is one of them or within their containers. Fyne's driver knows no
// position of what has not been drawn yet, such as a page that was just opened.
func topOf(o fyne.CanvasObject, within []fyne.CanvasObject) (top float32, ok bool) {
	for _, x := range within {
		if x == o {
			return x.Position().Y, true
		}
		if top, ok = topOf(o, partsOf(x)); ok {
			return x.Position().Y + top, true
		}
	}
	return 0, false
}

func (c *Column) reveal(top, height float32) {
	bottom := top + height
	switch y, h := c.scroll.Offset.Y, c.scroll.Size().Height; {
	case top < y+c.Pad:
		c.scroll.To(top - c.Pad)
	case bottom > y+h-c.Pad:
		c.scroll.To(bottom - h + c.Pad)
	}
}

// ScrollToTop scrolls to the first row.
func (c *Column) ScrollToTop() { c.scroll.ScrollToTop() }

func (c *Column) arrange(s fyne.Size) {
	c.inner.width = s.Width
	c.scroll.Resize(s)
	c.inner.Resize(fyne.NewSize(s.Width, max(s.Height, c.inner.height())))
	c.scroll.Refresh()
}

// CreateRenderer implements fyne.Widget.
func (c *Column) CreateRenderer() fyne.WidgetRenderer {
	return &renderer{objects: []fyne.CanvasObject{c.scroll}, layout: c.arrange, min: func() fyne.Size { return fyne.NewSize(40, 40) }}
}

var (
	_ desktop.Mouseable = (*columnInner)(nil)
	_ desktop.Hoverable = (*columnInner)(nil)
)

// A columnInner is what is scrolled. It is told where the pointer is between what can be pressed.
type columnInner struct {
	widget.BaseWidget
	column *Column
	rows   []fyne.CanvasObject
	width  float32
}

// MouseDown implements desktop.Mouseable.
func (i *columnInner) MouseDown(*desktop.MouseEvent) {}

// MouseUp implements desktop.Mouseable.
func (i *columnInner) MouseUp(*desktop.MouseEvent) { i.column.k.Release() }

// MouseIn implements desktop.Hoverable.
func (i *columnInner) MouseIn(e *desktop.MouseEvent) { i.column.k.PointerAt(e) }

// MouseMoved implements desktop.Hoverable.
func (i *columnInner) MouseMoved(e *desktop.MouseEvent) { i.column.k.PointerAt(e) }

// MouseOut implements desktop.Hoverable.
func (i *columnInner) MouseOut() {}

func (i *columnInner) height() float32 {
	h, w := 2*i.column.Pad, i.column.room(i.width)
	n := 0
	for _, r := range i.rows {
		if r.Visible() {
			h += HeightOf(r, w)
			n++
		}
	}
	return h + float32(max(n-1, 0))*i.column.Gap
}

func (i *columnInner) CreateRenderer() fyne.WidgetRenderer {
	return &columnRenderer{i}
}

// columnRenderer does not store the rows, because they change.
type columnRenderer struct{ i *columnInner }

func (r *columnRenderer) Layout(s fyne.Size) {
	y, w := r.i.column.Pad, r.i.column.room(s.Width)
	for _, o := range r.i.rows {
		if !o.Visible() {
			continue
		}
		h := HeightOf(o, w)
		Place(o, r.i.column.Pad, y, w, h)
		y += h + r.i.column.Gap
	}
}
func (r *columnRenderer) MinSize() fyne.Size           { return fyne.NewSize(0, r.i.height()) }
func (r *columnRenderer) Objects() []fyne.CanvasObject { return r.i.rows }
func (r *columnRenderer) Destroy()                     {}
func (r *columnRenderer) Refresh() {
	r.Layout(r.i.Size())
	canvas.Refresh(r.i) // new rows do not request a frame themselves
}

// A Row arranges objects from left to right, vertically centered. The object at index
// Stretch takes the remaining width; -1 means none.
type Row struct {
	Gap     float32
	Stretch int
	Pad     float32
}

// NewRow returns a container with a Row layout.
func NewRow(gap float32, stretch int, os ...fyne.CanvasObject) *fyne.Container {
	return &fyne.Container{Objects: os, Layout: Row{Gap: gap, Stretch: stretch}}
}

// Layout implements fyne.Layout.
func (r Row) Layout(os []fyne.CanvasObject, s fyne.Size) {
	left := s.Width - 2*r.Pad
	for i, o := range os {
		if o.Visible() {
			if i != r.Stretch {
				left -= o.MinSize().Width
			}
			left -= r.Gap
		}
	}
	left += r.Gap
	x := r.Pad
	for i, o := range os {
		if !o.Visible() {
			continue
		}
		m := o.MinSize()
		w := m.Width
		if i == r.Stretch {
			w = max(left, 0)
		}
		Place(o, x, (s.Height-m.Height)/2, w, m.Height)
		x += w + r.Gap
	}
}

// MinSize implements fyne.Layout.
func (r Row) MinSize(os []fyne.CanvasObject) fyne.Size {
	var s fyne.Size
	n := 0
	for _, o := range os {
		if o.Visible() {
			m := o.MinSize()
			s.Width += m.Width
			s.Height = max(s.Height, m.Height)
			n++
		}
	}
	s.Width += float32(max(n-1, 0))*r.Gap + 2*r.Pad
	return s
}

// A Flow arranges objects from left to right and wraps to the next line.
type Flow struct {
	widget.BaseWidget
	gap     float32
	objects []fyne.CanvasObject
}

// NewFlow returns a flow.
func NewFlow(gap float32, os ...fyne.CanvasObject) *Flow {
	f := &Flow{gap: gap, objects: os}
	f.ExtendBaseWidget(f)
	return f
}

// HeightFor implements Tall.
func (f *Flow) HeightFor(width float32) float32 { return f.place(width, false) }

func (f *Flow) place(width float32, move bool) float32 {
	x, y, high := float32(0), float32(0), float32(0)
	for _, o := range f.objects {
		if !o.Visible() {
			continue
		}
		m := o.MinSize()
		if x > 0 && x+m.Width > width {
			x, y, high = 0, y+high+f.gap, 0
		}
		if move {
			Place(o, x, y, min(m.Width, width), m.Height)
		}
		x += m.Width + f.gap
		high = max(high, m.Height)
	}
	return y + high
}

// CreateRenderer implements fyne.Widget.
func (f *Flow) CreateRenderer() fyne.WidgetRenderer {
	return &renderer{objects: f.objects, layout: func(s fyne.Size) { f.place(s.Width, true) }, min: func() fyne.Size {
		return fyne.NewSize(20, f.place(max(f.Size().Width, 20), false))
	}}
}

// An inset is an object with space to its left and right.
type inset struct {
	widget.BaseWidget
	o   fyne.CanvasObject
	pad float32
}

// Inset adds space to the left and right of o. The height still depends on the width.
func Inset(pad float32, o fyne.CanvasObject) fyne.CanvasObject {
	i := &inset{o: o, pad: pad}
	i.ExtendBaseWidget(i)
	return i
}

// HeightFor implements Tall.
func (i *inset) HeightFor(w float32) float32 { return HeightOf(i.o, w-2*i.pad) }

// CreateRenderer implements fyne.Widget.
func (i *inset) CreateRenderer() fyne.WidgetRenderer {
	return &renderer{
		objects: []fyne.CanvasObject{i.o},
		layout:  func(s fyne.Size) { Place(i.o, i.pad, 0, s.Width-2*i.pad, s.Height) },
		min:     func() fyne.Size { return i.o.MinSize().AddWidthHeight(2*i.pad, 0) },
	}
}

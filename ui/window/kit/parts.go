package kit

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"

	"easel/ui/window/theme"
)

// Section returns a heading of a group, with objects at its right end.
func (k *Kit) Section(title string, right ...fyne.CanvasObject) fyne.CanvasObject {
	line := NewLine(title, theme.TextCaption, k.P.Muted, fyne.TextStyle{Bold: true}, 40)
	return Box(NewRow(2, 0, append([]fyne.CanvasObject{line}, right...)...), fyne.NewSize(0, 24))
}

// Empty returns what a view shows while it is empty: an icon, the reason, what to do,
// and buttons for that.
func (k *Kit) Empty(icon, title, text string, actions ...fyne.CanvasObject) fyne.CanvasObject {
	root, _ := k.EmptyText(icon, title, text, actions...)
	return root
}

// EmptyText is Empty with a text that can be changed by calling set.
func (k *Kit) EmptyText(icon, title, text string, actions ...fyne.CanvasObject) (root fyne.CanvasObject, set func(text string)) {
	mark := Icon(icon, k.P.Muted, 36)
	disc := canvas.NewCircle(k.P.Hover)
	head := NewPara(title, theme.TextTitle+1, k.P.Text, fyne.TextStyle{Bold: true}).Align(fyne.TextAlignCenter)
	body := NewPara(text, theme.TextBody, k.P.Muted, fyne.TextStyle{}).Align(fyne.TextAlignCenter)
	row := NewRow(8, -1, actions...)
	c := &fyne.Container{Objects: []fyne.CanvasObject{disc, mark, head, body, row}, Layout: LayoutFunc{
		Arrange: func(_ []fyne.CanvasObject, s fyne.Size) {
			w := min(s.Width-32, 420)
			hh, bh, rm := head.HeightFor(w), body.HeightFor(w), row.MinSize()
			total := 72 + 16 + hh + 6 + bh + 18 + rm.Height
			y, x := max((s.Height-total)/2-12, 8), (s.Width-w)/2
			Place(disc, (s.Width-72)/2, y, 72, 72)
			Place(mark, (s.Width-36)/2, y+18, 36, 36)
			y += 72 + 16
			Place(head, x, y, w, hh)
			y += hh + 6
			Place(body, x, y, w, bh)
			y += bh + 18
			Place(row, (s.Width-rm.Width)/2, y, rm.Width, rm.Height)
		},
	}}
	return c, func(text string) {
		body.Set(text)
		c.Layout.Layout(c.Objects, c.Size())
	}
}

// Progress returns a thin bar, filled from 0 to 1.
func (k *Kit) Progress(fraction float64, width float32) fyne.CanvasObject {
	bar, _ := k.ProgressBar(fraction, width)
	return bar
}

// ProgressBar is Progress with a fraction that can be changed by calling set.
func (k *Kit) ProgressBar(fraction float64, width float32) (bar fyne.CanvasObject, set func(fraction float64)) {
	const high = 6
	c := &fyne.Container{Objects: []fyne.CanvasObject{Fill(k.P.Pressed, high/2), Fill(k.P.Accent, high/2)}, Layout: LayoutFunc{
		Arrange: func(os []fyne.CanvasObject, s fyne.Size) {
			Place(os[0], 0, (s.Height-high)/2, s.Width, high)
			Place(os[1], 0, (s.Height-high)/2, max(s.Width*float32(min(max(fraction, 0), 1)), high), high)
		},
		Min: func([]fyne.CanvasObject) fyne.Size { return fyne.NewSize(width, high) },
	}}
	return c, func(now float64) {
		fraction = now
		c.Layout.Layout(c.Objects, c.Size())
	}
}

// A Mark is the shape that represents a state, so that no state is shown by colour
// alone.
type Mark int

// The marks.
const (
	MarkNone      Mark = iota
	MarkIdle           // a ring
	MarkBusy           // a full disc
	MarkBad            // a square
	MarkWait           // a triangle
	MarkCheck          // a check mark
	MarkStopped        // the icon of the stop button: interrupted
	MarkCancelled      // a cross: it did not run
	MarkLate           // a clock: timed out
	MarkLost           // a question mark: the outcome is unknown
	MarkDead           // the error icon: the kernel died
)

// State returns a small mark.
func (k *Kit) State(m Mark, size float32) fyne.CanvasObject {
	switch m {
	case MarkIdle:
		c := canvas.NewCircle(color.Transparent)
		c.StrokeColor, c.StrokeWidth = k.P.Muted, 1.75
		return square(c, size)
	case MarkBusy:
		return square(canvas.NewCircle(k.P.Good), size)
	case MarkBad:
		return square(Fill(k.P.Bad, 2), size)
	case MarkWait:
		return square(Icon("warning", k.P.Warn, size+2), size+2)
	case MarkCheck:
		return square(Icon("check", k.P.Good, size+3), size+3)
	case MarkStopped:
		return square(Icon("stop", k.P.Warn, size+3), size+3)
	case MarkCancelled:
		return square(Icon("close", k.P.Muted, size+3), size+3)
	case MarkLate:
		return square(Icon("clock", k.P.Warn, size+3), size+3)
	case MarkLost:
		return square(Icon("help", k.P.Warn, size+3), size+3)
	case MarkDead:
		return square(Icon("error", k.P.Bad, size+3), size+3)
	case MarkNone:
	}
	return square(canvas.NewRectangle(color.Transparent), size)
}

// A Slot shows a mark that changes.
type Slot struct {
	widget.BaseWidget
	k     *Kit
	mark  Mark
	shape []fyne.CanvasObject
}

// slotEdge is the width and height of a slot.
const slotEdge float32 = 12

// Slot returns a slot without a mark.
func (k *Kit) Slot() *Slot {
	s := &Slot{k: k}
	s.ExtendBaseWidget(s)
	return s
}

// Set shows a mark.
func (s *Slot) Set(m Mark) {
	if s.mark == m {
		return
	}
	s.mark, s.shape = m, nil
	if m != MarkNone {
		s.shape = []fyne.CanvasObject{s.k.State(m, 9)}
	}
	s.Refresh()
}

// CreateRenderer implements fyne.Widget.
func (s *Slot) CreateRenderer() fyne.WidgetRenderer { return &slotRenderer{s} }

type slotRenderer struct{ s *Slot }

func (r *slotRenderer) Layout(size fyne.Size) {
	for _, o := range r.s.shape {
		m := o.MinSize()
		Place(o, (size.Width-m.Width)/2, (size.Height-m.Height)/2, m.Width, m.Height)
	}
}
func (r *slotRenderer) MinSize() fyne.Size           { return fyne.NewSquareSize(slotEdge) }
func (r *slotRenderer) Objects() []fyne.CanvasObject { return r.s.shape }
func (r *slotRenderer) Destroy()                     {}
func (r *slotRenderer) Refresh() {
	r.Layout(r.s.Size())
	canvas.Refresh(r.s)
}

func square(o fyne.CanvasObject, size float32) fyne.CanvasObject {
	return Box(o, fyne.NewSquareSize(size))
}

var (
	_ fyne.Draggable      = (*Divider)(nil)
	_ fyne.DoubleTappable = (*Divider)(nil)
	_ desktop.Cursorable  = (*Divider)(nil)
)

// A Divider is the edge between two regions. The user can drag it.
type Divider struct {
	widget.BaseWidget
	OnDouble func() // what a double click does; may be nil
	Tip      string // is shown while the pointer rests on it
	k        *Kit
	vertical bool // moves left and right
	hovered  bool
	moved    func(d float32)
	ended    func()
	line     *canvas.Rectangle
}

// Divider returns a divider. A vertical one moves left and right. moved is called with
// each distance while the user drags it, ended at the end.
func (k *Kit) Divider(vertical bool, moved func(d float32), ended func()) *Divider {
	d := &Divider{k: k, vertical: vertical, moved: moved, ended: ended, line: canvas.NewRectangle(color.Transparent)}
	d.ExtendBaseWidget(d)
	return d
}

// Dragged implements fyne.Draggable.
func (d *Divider) Dragged(e *fyne.DragEvent) {
	if d.vertical {
		d.moved(e.Dragged.DX)
	} else {
		d.moved(e.Dragged.DY)
	}
}

// DragEnd implements fyne.Draggable.
func (d *Divider) DragEnd() { d.ended() }

// DoubleTapped implements fyne.DoubleTappable.
func (d *Divider) DoubleTapped(*fyne.PointEvent) {
	if d.OnDouble != nil {
		d.k.Tips.Hide()
		d.OnDouble()
	}
}

// Cursor implements desktop.Cursorable.
func (d *Divider) Cursor() desktop.Cursor {
	if d.vertical {
		return desktop.HResizeCursor
	}
	return desktop.VResizeCursor
}

// MouseIn implements desktop.Hoverable.
func (d *Divider) MouseIn(*desktop.MouseEvent) {
	d.hovered = true
	d.Refresh()
	d.k.Tips.Show(d, d.Tip)
}

// MouseMoved implements desktop.Hoverable.
func (d *Divider) MouseMoved(*desktop.MouseEvent) {}

// MouseOut implements desktop.Hoverable.
func (d *Divider) MouseOut() {
	d.hovered = false
	d.Refresh()
	d.k.Tips.Hide()
}

// CreateRenderer implements fyne.Widget.
func (d *Divider) CreateRenderer() fyne.WidgetRenderer {
	return &renderer{
		objects: []fyne.CanvasObject{d.line},
		layout: func(s fyne.Size) {
			if d.vertical {
				Place(d.line, (s.Width-2)/2, 0, 2, s.Height)
			} else {
				Place(d.line, 0, (s.Height-2)/2, s.Width, 2)
			}
		},
		min: func() fyne.Size { return fyne.NewSquareSize(5) },
		refresh: func() {
			d.line.FillColor = color.Transparent
			if d.hovered {
				d.line.FillColor = d.k.P.Accent
			}
		},
	}
}

// A Tap makes any content tappable. It changes its background while the pointer is over
// it.
type Tap struct {
	widget.BaseWidget
	k         *Kit
	content   fyne.CanvasObject
	ground    *Area
	base      color.Color
	outlined  bool
	hovered   bool
	tap       func()
	secondary func(*fyne.PointEvent)
	tip       string
}

// Tap returns a Tap around content. base is its background while the pointer is
// elsewhere. tap may be nil.
func (k *Kit) Tap(content fyne.CanvasObject, base color.Color, tip string, tap func()) *Tap {
	t := &Tap{k: k, content: content, base: base, tap: tap, tip: tip, ground: k.Area(base, theme.Radius)}
	t.ExtendBaseWidget(t)
	return t
}

// SetBase changes the background.
func (t *Tap) SetBase(base color.Color) {
	if t.base != base {
		t.base = base
		t.paint()
		t.ground.Refresh()
	}
}

// SetTip changes the tooltip.
func (t *Tap) SetTip(s string) { t.tip = s }

// Outlined adds an edge and returns t.
func (t *Tap) Outlined() *Tap {
	t.outlined = true
	t.paint()
	return t
}

// OnSecondary sets the function for the secondary mouse button and returns t.
func (t *Tap) OnSecondary(f func(*fyne.PointEvent)) *Tap {
	t.secondary = f
	return t
}

// Tapped implements fyne.Tappable.
func (t *Tap) Tapped(*fyne.PointEvent) {
	if t.tap != nil {
		t.k.Tips.Hide()
		t.tap()
	}
}

// TappedSecondary implements fyne.SecondaryTappable.
func (t *Tap) TappedSecondary(e *fyne.PointEvent) {
	if t.secondary != nil {
		t.secondary(e)
	}
}

// MouseDown implements desktop.Mouseable.
func (t *Tap) MouseDown(e *desktop.MouseEvent) { t.k.Press(e) }

// MouseUp implements desktop.Mouseable.
func (t *Tap) MouseUp(*desktop.MouseEvent) { t.k.Release() }

// MouseIn implements desktop.Hoverable.
func (t *Tap) MouseIn(e *desktop.MouseEvent) {
	t.k.PointerAt(e)
	t.hovered = true
	t.Refresh()
	t.k.Tips.Show(t, t.tip)
}

// MouseMoved implements desktop.Hoverable.
func (t *Tap) MouseMoved(e *desktop.MouseEvent) { t.k.PointerAt(e) }

// MouseOut implements desktop.Hoverable.
func (t *Tap) MouseOut() {
	t.hovered = false
	t.Refresh()
	t.k.Tips.Hide()
}

// HeightFor implements Tall.
func (t *Tap) HeightFor(w float32) float32 { return HeightOf(t.content, w) }

// CreateRenderer implements fyne.Widget.
func (t *Tap) CreateRenderer() fyne.WidgetRenderer {
	return &renderer{
		objects: []fyne.CanvasObject{t.ground, t.content},
		layout: func(s fyne.Size) {
			Place(t.ground, 0, 0, s.Width, s.Height)
			Place(t.content, 0, 0, s.Width, s.Height)
		},
		min:     func() fyne.Size { return t.content.MinSize() },
		refresh: t.paint,
	}
}

func (t *Tap) paint() {
	fill, wide := t.base, float32(0)
	if t.hovered && t.tap != nil && t.base != color.Color(t.k.P.Selected) {
		fill = t.k.P.Hover
	}
	if t.outlined {
		wide = 1
	}
	t.ground.Paint(fill, t.k.P.Edge, wide)
}

package uitest

import (
	"math"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/test"
)

// A Pointer is a mouse that presses and releases its primary button as Fyne's driver for screens
// does: an object is tapped only if it is under the pointer both times.
type Pointer struct {
	canvas  fyne.Canvas
	at      fyne.Position
	button  desktop.MouseButton
	pressed fyne.CanvasObject
	over    desktop.Hoverable
}

// NewPointer returns a pointer of a canvas.
func NewPointer(c fyne.Canvas) *Pointer { return &Pointer{canvas: c} }

// Move moves the pointer.
func (p *Pointer) Move(to fyne.Position) {
	p.at = to
	o, e := p.find(func(o fyne.CanvasObject) bool { _, ok := o.(desktop.Hoverable); return ok })
	now, _ := o.(desktop.Hoverable)
	if now == p.over {
		if now != nil {
			now.MouseMoved(e)
		}
		return
	}
	if p.over != nil {
		p.over.MouseOut()
	}
	if p.over = now; now != nil {
		now.MouseIn(e)
	}
}

// Press presses the button.
func (p *Pointer) Press() {
	o, e := p.target()
	e.Button = desktop.MouseButtonPrimary
	if m, ok := o.(desktop.Mouseable); ok {
		m.MouseDown(e)
	}
	p.button, p.pressed = desktop.MouseButtonPrimary, o
}

// Release releases the button.
func (p *Pointer) Release() {
	o, e := p.target()
	e.Button = desktop.MouseButtonPrimary
	if m, ok := o.(desktop.Mouseable); ok {
		m.MouseUp(e)
	}
	p.button = 0
	if t, ok := o.(fyne.Tappable); ok && o == p.pressed {
		t.Tapped(&e.PointEvent)
	}
	p.pressed = nil
}

// target returns what a press would be on.
func (p *Pointer) target() (fyne.CanvasObject, *desktop.MouseEvent) {
	return p.find(func(o fyne.CanvasObject) bool {
		switch o.(type) {
		case fyne.Tappable, fyne.SecondaryTappable, fyne.DoubleTappable, fyne.Focusable, desktop.Mouseable:
			return true
		}
		return false
	})
}

// find returns the topmost object at the pointer that matches, and an event there.
func (p *Pointer) find(matches func(fyne.CanvasObject) bool) (found fyne.CanvasObject, e *desktop.MouseEvent) {
	e = &desktop.MouseEvent{Button: p.button}
	e.AbsolutePosition = p.at
	top := p.canvas.Overlays().Top()
	if top == nil {
		top = p.canvas.Content()
	}
	everywhere := fyne.NewPos(math.MaxFloat32, math.MaxFloat32)
	walk(top, top.Position(), fyne.NewPos(0, 0), everywhere, func(o fyne.CanvasObject, from, low, high fyne.Position) {
		low.X, low.Y = max(low.X, from.X), max(low.Y, from.Y)
		high.X, high.Y = min(high.X, from.X+o.Size().Width), min(high.Y, from.Y+o.Size().Height)
		if p.at.X >= low.X && p.at.X < high.X && p.at.Y >= low.Y && p.at.Y < high.Y && matches(o) {
			found, e.Position = o, p.at.Subtract(from)
		}
	})
	return found, e
}

// walk visits what is shown of o, which is at a position of the window, and what is in it, the
// topmost last. Of what a Scroll contains, only the part between two positions is shown.
func walk(o fyne.CanvasObject, at, low, high fyne.Position, visit func(o fyne.CanvasObject, at, low, high fyne.Position)) {
	if o == nil || !o.Visible() {
		return
	}
	visit(o, at, low, high)
	var children []fyne.CanvasObject
	switch o := o.(type) {
	case *fyne.Container:
		children = o.Objects
	case fyne.Widget:
		children = test.WidgetRenderer(o).Objects()
	}
	if s, ok := o.(fyne.Scrollable); ok {
		size := s.(fyne.CanvasObject).Size()
		low = fyne.NewPos(max(low.X, at.X), max(low.Y, at.Y))
		high = fyne.NewPos(min(high.X, at.X+size.Width), min(high.Y, at.Y+size.Height))
	}
	for _, child := range children {
		walk(child, at.Add(child.Position()), low, high, visit)
	}
}

package kit

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"

	"easel/ui/window/theme"
)

var (
	_ fyne.Tappable     = (*Check)(nil)
	_ fyne.Focusable    = (*Check)(nil)
	_ desktop.Hoverable = (*Check)(nil)
)

// A Check is a checkbox with a label.
type Check struct {
	widget.BaseWidget
	k       *Kit
	on      bool
	focused bool
	hovered bool
	box     *canvas.Rectangle
	ring    *canvas.Rectangle
	tick    *canvas.Image
	label   *Line
}

// Check returns a checkbox.
func (k *Kit) Check(text string, on bool) *Check {
	c := &Check{
		k: k, on: on, box: Outline(k.P.Muted, 1.5, 4), ring: Outline(k.P.Accent, 2, theme.Radius), tick: Icon("check", k.P.OnAccent, 14),
		label: NewLine(text, theme.TextBody, k.P.Text, fyne.TextStyle{}, 60),
	}
	c.ExtendBaseWidget(c)
	return c
}

// Text returns the label.
func (c *Check) Text() string { return c.label.Full() }

// On reports whether the box is checked.
func (c *Check) On() bool { return c.on }

// Tapped implements fyne.Tappable.
func (c *Check) Tapped(*fyne.PointEvent) {
	c.on = !c.on
	c.Refresh()
}

// FocusGained implements fyne.Focusable.
func (c *Check) FocusGained() { c.focused = true; c.Refresh() }

// FocusLost implements fyne.Focusable.
func (c *Check) FocusLost() { c.focused = false; c.Refresh() }

// TypedRune implements fyne.Focusable.
func (c *Check) TypedRune(rune) {}

// TypedKey implements fyne.Focusable.
func (c *Check) TypedKey(e *fyne.KeyEvent) {
	if e.Name == fyne.KeySpace {
		c.Tapped(nil)
		return
	}
	c.k.Unused(e)
}

// MouseDown implements desktop.Mouseable.
func (c *Check) MouseDown(e *desktop.MouseEvent) { c.k.Press(e) }

// MouseUp implements desktop.Mouseable.
func (c *Check) MouseUp(*desktop.MouseEvent) { c.k.Release() }

// MouseIn implements desktop.Hoverable.
func (c *Check) MouseIn(e *desktop.MouseEvent) { c.k.PointerAt(e); c.hovered = true; c.Refresh() }

// MouseMoved implements desktop.Hoverable.
func (c *Check) MouseMoved(e *desktop.MouseEvent) { c.k.PointerAt(e) }

// MouseOut implements desktop.Hoverable.
func (c *Check) MouseOut() { c.hovered = false; c.Refresh() }

func (c *Check) paint() {
	p := c.k.P
	c.box.FillColor, c.box.StrokeColor = p.Raised, p.Muted
	if c.on {
		c.box.FillColor, c.box.StrokeColor = p.Accent, p.Accent
	}
	if c.hovered {
		c.box.StrokeColor = p.Accent
	}
	c.tick.Hidden, c.ring.Hidden = !c.on, !c.focused
}

// CreateRenderer implements fyne.Widget.
func (c *Check) CreateRenderer() fyne.WidgetRenderer {
	c.paint()
	return &renderer{
		objects: []fyne.CanvasObject{c.box, c.tick, c.label, c.ring}, refresh: c.paint,
		layout: func(s fyne.Size) {
			Place(c.ring, -3, 0, min(s.Width, 28+c.label.PreferredWidth()+6)+3, s.Height)
			Place(c.box, 1, (s.Height-18)/2, 18, 18)
			Place(c.tick, 3, (s.Height-14)/2, 14, 14)
			Place(c.label, 28, 0, s.Width-28, s.Height)
		},
		min: func() fyne.Size { return fyne.NewSize(88, 28) },
	}
}

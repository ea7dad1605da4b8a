package kit

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"

	"easel/ui/window/theme"
)

var (
	_ fyne.Widget    = (*Chip)(nil)
	_ fyne.Focusable = (*Chip)(nil)
)

// A Chip is a short text in a rounded box, for example a tag. It has an × if it can be
// removed. If it does something, the keyboard reaches it: Enter and Space tap it, and Delete, too, if
// that removes it.
type Chip struct {
	widget.BaseWidget
	k       *Kit
	full    string
	text    *canvas.Text // full, or the part of it that fits
	ground  *canvas.Rectangle
	ring    *canvas.Rectangle
	cross   *canvas.Image
	on      bool
	wrong   bool // see Warn
	hovered bool
	focused bool
	rover   *Rover
	tap     func()
}

// Chip returns a chip. tap may be nil. If removable, it shows an ×.
func (k *Kit) Chip(text string, on, removable bool, tap func()) *Chip {
	c := &Chip{
		k: k, on: on, tap: tap, full: text, text: Text(text, theme.TextBody-1, k.P.Text, fyne.TextStyle{}),
		ground: Fill(k.P.Raised, 11), ring: Outline(k.P.Accent, 2, 13),
	}
	if removable {
		c.cross = Icon("close", k.P.Muted, 10)
	}
	c.ExtendBaseWidget(c)
	return c
}

// Text returns what the chip says, also if there is no room for all of it.
func (c *Chip) Text() string { return c.full }

// Warn shows that what the chip says has no effect.
func (c *Chip) Warn() { c.wrong = true }

// Tapped implements fyne.Tappable.
func (c *Chip) Tapped(*fyne.PointEvent) {
	if c.tap != nil {
		c.tap()
	}
}

// FocusGained implements fyne.Focusable.
func (c *Chip) FocusGained() {
	c.rover.To(c)
	c.focused = true
	c.Refresh()
}

// FocusLost implements fyne.Focusable.
func (c *Chip) FocusLost() { c.focused = false; c.Refresh() }

// Disabled implements fyne.Disableable: Tab passes over a chip that does nothing and, in a group, over
// all but one.
func (c *Chip) Disabled() bool { return c.tap == nil || !c.rover.reaches(c) }

// Enable implements fyne.Disableable.
func (c *Chip) Enable() {}

// Disable implements fyne.Disableable.
func (c *Chip) Disable() {}

func (c *Chip) within(r *Rover) { c.rover = r }

// TypedRune implements fyne.Focusable.
func (c *Chip) TypedRune(rune) {}

// TypedKey implements fyne.Focusable.
func (c *Chip) TypedKey(e *fyne.KeyEvent) {
	//exhaustive:ignore
	switch e.Name {
	case fyne.KeySpace, fyne.KeyReturn, fyne.KeyEnter:
		c.Tapped(nil)
	case fyne.KeyDelete, fyne.KeyBackspace:
		if c.cross != nil {
			c.Tapped(nil)
		}
	case fyne.KeyEscape:
		Unfocus(c)
	default:
		if !c.rover.key(c, e.Name) {
			c.k.Unused(e)
		}
	}
}

// MouseDown implements desktop.Mouseable.
func (c *Chip) MouseDown(e *desktop.MouseEvent) { c.k.Press(e) }

// MouseUp implements desktop.Mouseable.
func (c *Chip) MouseUp(*desktop.MouseEvent) { c.k.Release() }

// MouseIn implements desktop.Hoverable.
func (c *Chip) MouseIn(e *desktop.MouseEvent) { c.k.PointerAt(e); c.hovered = true; c.Refresh() }

// MouseMoved implements desktop.Hoverable.
func (c *Chip) MouseMoved(e *desktop.MouseEvent) { c.k.PointerAt(e) }

// MouseOut implements desktop.Hoverable.
func (c *Chip) MouseOut() { c.hovered = false; c.Refresh() }

func (c *Chip) paint() {
	p := c.k.P
	c.ground.FillColor, c.ground.StrokeColor, c.ground.StrokeWidth, c.text.Color = p.Raised, p.Edge, 1, p.Text
	if c.on {
		c.ground.FillColor, c.ground.StrokeColor, c.text.Color = p.AccentBg, p.Accent, p.Accent
	}
	if c.wrong {
		c.ground.FillColor, c.ground.StrokeColor, c.text.Color = p.WarnBg, p.Warn, p.Warn
	}
	if c.hovered && c.tap != nil && !c.on {
		c.ground.FillColor = p.Hover
	}
	c.ring.Hidden = !c.focused
}

// CreateRenderer implements fyne.Widget.
func (c *Chip) CreateRenderer() fyne.WidgetRenderer {
	c.paint()
	r := &renderer{objects: []fyne.CanvasObject{c.ring, c.ground, c.text}, refresh: c.paint}
	if c.cross != nil {
		r.objects = append(r.objects, c.cross)
	}
	r.layout = func(s fyne.Size) {
		Place(c.ring, -3, -3, s.Width+6, s.Height+6) // apart from the edge of one that is on
		Place(c.ground, 0, 0, s.Width, s.Height)
		c.text.Text = Shorten(c.full, max(s.Width-c.sides(), 1), c.text.TextSize, c.text.TextStyle)
		m := c.text.MinSize()
		Place(c.text, 9, (s.Height-m.Height)/2, m.Width, m.Height)
		if c.cross != nil {
			Place(c.cross, s.Width-18, (s.Height-10)/2, 10, 10)
		}
	}
	r.min = func() fyne.Size {
		w := fyne.MeasureText(c.full, c.text.TextSize, c.text.TextStyle).Width
		return fyne.NewSize(w+c.sides(), 22)
	}
	return r
}

// sides returns the width that a chip needs in addition to its text.
func (c *Chip) sides() float32 {
	if c.cross != nil {
		return 30
	}
	return 18
}

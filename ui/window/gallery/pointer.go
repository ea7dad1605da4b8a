package gallery

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
)

// A starPress is a press on a star. A plot that arrives meanwhile moves the others, so that the
// release may be on another cell.
type starPress struct {
	id     string // of the image
	rating int    // to set
	at     fyne.Position
}

// MouseDown implements desktop.Mouseable. It selects on press, not on release.
func (c *cell) MouseDown(e *desktop.MouseEvent) {
	c.g.starred = nil
	if n := c.starAt(e.Position); e.Button == desktop.MouseButtonPrimary && n > 0 && c.known {
		if n == c.im.Rating {
			n = 0
		}
		c.g.starred = &starPress{c.id, n, e.AbsolutePosition}
		return
	}
	c.g.grab = newGrab(c.g, c.id, e)
	c.g.clicked(c.id, e.Modifier, e.Button)
}

// MouseUp implements desktop.Mouseable.
func (c *cell) MouseUp(e *desktop.MouseEvent) { c.g.released(e) }

// released ends a press in the grid. The star that was pressed is set if the pointer has not left it.
func (g *Grid) released(e *desktop.MouseEvent) {
	s := g.starred
	g.grab, g.starred = nil, nil
	g.k.Release()
	if s == nil || e.Button != desktop.MouseButtonPrimary {
		return
	}
	if d := e.AbsolutePosition.Subtract(s.at); d.X*d.X+d.Y*d.Y < starEdge*starEdge/4 {
		g.rateOne(s.id, s.rating)
	}
}

// DoubleTapped implements fyne.DoubleTappable.
func (c *cell) DoubleTapped(e *fyne.PointEvent) {
	if c.starAt(e.Position) == 0 {
		c.g.act.Open(c.id)
	}
}

// TappedSecondary implements fyne.SecondaryTappable.
func (c *cell) TappedSecondary(e *fyne.PointEvent) { c.g.act.Menu(c.id, e.AbsolutePosition) }

// MouseIn implements desktop.Hoverable.
func (c *cell) MouseIn(e *desktop.MouseEvent) {
	c.g.grab.pull(e)
	c.hovered = true
	c.over = c.starAt(e.Position)
	c.paint()
	c.hint(e.Position)
}

// MouseMoved implements desktop.Hoverable.
func (c *cell) MouseMoved(e *desktop.MouseEvent) {
	c.g.grab.pull(e)
	if n := c.starAt(e.Position); n != c.over {
		c.over = n
		c.paint()
	}
	c.hint(e.Position)
}

// MouseOut implements desktop.Hoverable.
func (c *cell) MouseOut() {
	if grab := c.g.grab; grab != nil && grab.id == c.id { // a fast movement
		grab.drag()
	}
	c.hovered, c.over = false, 0
	c.hint(fyne.NewPos(-1, -1))
	c.paint()
}

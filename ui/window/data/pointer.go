package data

import (
	"math"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"

	"easel/ui/window/kit"
)

// A zone is a part of the grid that the pointer can be in.
type zone int

const (
	zoneNone zone = iota
	zoneCell
	zoneIndex
	zoneCorner
	zoneHead
	zoneEdge // between two heads
	zoneRows // the scroll bar
	zoneColumns
)

// edge is how far from the edge of a head the pointer still takes it.
const edge = 4

// A pointer is the state of the mouse.
type pointer struct {
	zone     zone // where it is, or where it was pressed
	at       cell
	pressed  bool
	moved    bool    // dragged since
	grab     float32 // where the thumb was taken
	restRows float32 // rows that a touchpad has not scrolled yet
	restCols float32
}

var (
	_ fyne.Scrollable        = (*grid)(nil)
	_ fyne.Draggable         = (*grid)(nil)
	_ fyne.Tappable          = (*grid)(nil)
	_ fyne.SecondaryTappable = (*grid)(nil)
	_ desktop.Mouseable      = (*grid)(nil)
	_ desktop.Hoverable      = (*grid)(nil)
	_ desktop.Cursorable     = (*grid)(nil)
)

// find returns the zone at a position, and the row and column.
func (g *grid) find(at fyne.Position) (zone, cell) {
	t, size := g.t, g.Size()
	if t == nil || !t.known {
		return zoneNone, cell{}
	}
	c := cell{t.top + int(math.Floor(float64((at.Y-headHigh)/rowHigh))), t.left + len(g.x) - 2}
	for j := range len(g.x) - 1 {
		if at.X < g.x[j+1] {
			c.column = t.left + j
			break
		}
	}
	switch {
	case at.X >= size.Width-barWide && at.Y >= headHigh:
		return zoneRows, c
	case at.Y >= size.Height-barWide:
		return zoneColumns, c
	case at.Y < headHigh:
		for j := range len(g.x) - 1 {
			if math.Abs(float64(at.X-g.x[j+1])) <= edge {
				return zoneEdge, cell{0, t.left + j}
			}
		}
		if at.X < g.indexW {
			return zoneCorner, c
		}
		if at.X >= g.x[len(g.x)-1] {
			return zoneNone, c
		}
		return zoneHead, c
	case c.row >= t.rows():
		return zoneNone, c
	case at.X < g.indexW:
		return zoneIndex, c
	case at.X >= g.x[len(g.x)-1]:
		return zoneNone, c
	default:
		return zoneCell, c
	}
}

// MouseDown implements desktop.Mouseable.
func (g *grid) MouseDown(e *desktop.MouseEvent) {
	g.p.k.Press(e)
	g.p.port.Focus(g)
	z, c := g.find(e.Position)
	g.pointer.zone, g.pointer.at, g.pointer.moved, g.pointer.pressed = z, c, false, true
	if e.Button == desktop.MouseButtonSecondary && g.selected(c) && (z == zoneCell || z == zoneIndex) {
		return // the menu is about the selection
	}
	extend := e.Modifier&fyne.KeyModifierShift != 0
	switch z {
	case zoneCell:
		g.choose(c, extend)
	case zoneIndex:
		g.chooseRows(c.row, extend)
	case zoneRows, zoneColumns:
		g.grab(e.Position)
	default:
	}
}

func (g *grid) selected(c cell) bool {
	from, to := g.t.selection()
	return c.row >= from.row && c.row <= to.row && c.column >= from.column && c.column <= to.column
}

// choose makes a cell the current one, or extends the selection to it.
func (g *grid) choose(c cell, extend bool) {
	t := g.t
	t.current = c
	if !extend {
		t.start = c
	}
	t.clamp()
	g.reveal()
	g.p.moved()
}

// chooseRows selects whole rows.
func (g *grid) chooseRows(r int, extend bool) {
	t := g.t
	t.current = cell{r, 0}
	if !extend {
		t.start = cell{r, 0}
	}
	t.start.column = t.shape.Columns - 1
	t.clamp()
	g.update()
	g.p.moved()
}

// MouseUp implements desktop.Mouseable.
func (g *grid) MouseUp(*desktop.MouseEvent) {
	g.p.k.Release()
	g.pointer.pressed = false
}

// Tapped implements fyne.Tappable: a tap on a head sorts; with Shift, by this column after the others.
func (g *grid) Tapped(e *fyne.PointEvent) {
	if z, c := g.find(e.Position); z == zoneHead && g.pointer.zone == zoneHead && c.column == g.pointer.at.column && !g.pointer.moved {
		g.p.sortBy(c.column, kit.Modifiers()&fyne.KeyModifierShift != 0)
	}
}

// TappedSecondary implements fyne.SecondaryTappable.
func (g *grid) TappedSecondary(e *fyne.PointEvent) {
	z, c := g.find(e.Position)
	switch z {
	case zoneCell, zoneIndex:
		g.p.cellMenu(c, e.AbsolutePosition)
	case zoneHead, zoneEdge:
		g.p.columnMenu(c.column, e.AbsolutePosition)
	default:
	}
}

// grab takes the thumb of a scroll bar. Beside the thumb, it moves that there first.
func (g *grid) grab(at fyne.Position) {
	b, v := g.barAt(at)
	if v >= b.at && v < b.at+b.long {
		g.pointer.grab = v - b.at
		return
	}
	g.pointer.grab = b.long / 2
	g.slide(at)
}

// barAt returns the bar that was pressed, and the position along it.
func (g *grid) barAt(at fyne.Position) (bar, float32) {
	if g.pointer.zone == zoneRows {
		return g.rowBar(), at.Y
	}
	return g.columnBar(), at.X
}

// slide scrolls to where the thumb was dragged.
func (g *grid) slide(at fyne.Position) {
	b, v := g.barAt(at)
	if b.long <= 0 {
		return
	}
	to := b.to(v - g.pointer.grab)
	if b.zone == zoneRows {
		g.scrollTo(to, g.t.left)
	} else {
		g.scrollTo(g.t.top, to)
	}
}

// Dragged implements fyne.Draggable.
func (g *grid) Dragged(e *fyne.DragEvent) {
	if g.t == nil || !g.t.known {
		return
	}
	g.pointer.moved = true
	switch g.pointer.zone {
	case zoneRows, zoneColumns:
		g.slide(e.Position)
	case zoneEdge:
		c := g.t.column(g.pointer.at.column)
		c.width = min(max(g.width(g.t, g.pointer.at.column)+e.Dragged.DX, narrowest), widest)
		c.dragged = true
		g.update()
		g.p.scrolled()
	case zoneCell, zoneIndex:
		_, c := g.find(e.Position)
		if e.Position.Y < headHigh {
			c.row = g.t.top - 1
		}
		if e.Position.X < g.indexW {
			c.column = g.t.left - 1
		}
		if g.pointer.zone == zoneIndex {
			c.column = 0
		}
		c.row, c.column = max(c.row, 0), max(c.column, 0)
		if c != g.t.current {
			g.t.current = c
			g.t.clamp()
			g.reveal()
			g.p.moved()
		}
	default:
	}
}

// DragEnd implements fyne.Draggable.
func (g *grid) DragEnd() { g.pointer.pressed = false }

// Scrolled implements fyne.Scrollable. A notch of the wheel scrolls by three rows.
func (g *grid) Scrolled(e *fyne.ScrollEvent) {
	if g.t == nil || !g.t.known {
		return
	}
	const notch, rows = 25, 3
	step := func(d float32, rest *float32, n float32) int {
		if float32(math.Abs(float64(d))) >= notch {
			*rest = 0
			return -int(math.Round(float64(d / notch * n)))
		}
		*rest -= d / 12 // a touchpad
		whole := int(*rest)
		*rest -= float32(whole)
		return whole
	}
	dx, dy := e.Scrolled.DX, e.Scrolled.DY
	if kit.Modifiers()&fyne.KeyModifierShift != 0 && dx == 0 {
		dx, dy = dy, 0
	}
	g.scrollTo(g.t.top+step(dy, &g.pointer.restRows, rows), g.t.left+step(dx, &g.pointer.restCols, 1))
}

// MouseIn implements desktop.Hoverable.
func (g *grid) MouseIn(e *desktop.MouseEvent) { g.MouseMoved(e) }

// MouseMoved implements desktop.Hoverable.
func (g *grid) MouseMoved(e *desktop.MouseEvent) {
	g.p.k.PointerAt(e)
	if g.pointer.pressed && e.Button != 0 {
		return
	}
	was := g.pointer.zone
	g.pointer.zone, g.pointer.at = g.find(e.Position)
	if bars := func(z zone) bool { return z == zoneRows || z == zoneColumns }; was != g.pointer.zone && (bars(was) || bars(g.pointer.zone)) {
		g.update()
	}
}

// MouseOut implements desktop.Hoverable.
func (g *grid) MouseOut() {
	if !g.pointer.pressed {
		g.pointer.zone = zoneNone
		g.update()
	}
}

// Cursor implements desktop.Cursorable.
func (g *grid) Cursor() desktop.Cursor {
	if g.pointer.zone == zoneEdge {
		return desktop.HResizeCursor
	}
	return desktop.DefaultCursor
}

package gallery

import (
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
)

// dragFrom is the distance from which a press on a cell is a drag and not a click, in Fyne
// units.
const dragFrom float32 = 8

// A grab is a press of the primary button on a cell, which a movement turns into a drag to
// another program.
type grab struct {
	g   *Grid
	id  string        // of the image
	at  fyne.Position // in the window
	ids []string      // what is dragged: the selection, if the image was in it
}

// newGrab returns the grab of a press on a cell; nil if it cannot become a drag. It must be called
// before the selection changes.
func newGrab(g *Grid, id string, e *desktop.MouseEvent) *grab {
	if g.act.Drag == nil || e.Button != desktop.MouseButtonPrimary || e.Modifier != 0 {
		return g.grab
	}
	ids := []string{id}
	if g.sel.selected[id] {
		ids = slices.Clone(g.sel.order)
	}
	return &grab{g: g, id: id, at: e.AbsolutePosition, ids: ids}
}

// pull begins the drag if the pointer has moved far enough with the button pressed.
func (b *grab) pull(e *desktop.MouseEvent) {
	if b == nil {
		return // no cell is pressed
	}
	if e.Button != desktop.MouseButtonPrimary {
		b.g.grab = nil
		return
	}
	if d := e.AbsolutePosition.Subtract(b.at); d.X*d.X+d.Y*d.Y >= dragFrom*dragFrom {
		b.drag()
	}
}

// drag begins the drag.
func (b *grab) drag() {
	b.g.grab = nil
	if len(b.ids) > 1 {
		b.g.pick(b.ids, b.id) // the press selected only this one
	}
	b.g.act.Drag(b.ids)
}

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
	id  string        // of the image; empty: no cell is pressed
	at  fyne.Position // in the window
	ids []string      // what is dragged: the selection, if the image was in it
}

// grabbed remembers that a cell is pressed. It must be called before the selection changes.
func (g *Grid) grabbed(id string, e *desktop.MouseEvent) {
	if g.act.Drag == nil || e.Button != desktop.MouseButtonPrimary || e.Modifier != 0 {
		return
	}
	g.grab = grab{id: id, at: e.AbsolutePosition, ids: []string{id}}
	if g.selected[id] {
		g.grab.ids = slices.Clone(g.order)
	}
}

// pulled begins a drag if the pointer has moved far enough with the button pressed.
func (g *Grid) pulled(e *desktop.MouseEvent) {
	from := g.grab
	if from.id == "" {
		return
	}
	if e.Button != desktop.MouseButtonPrimary {
		g.grab = grab{}
		return
	}
	if d := e.AbsolutePosition.Subtract(from.at); d.X*d.X+d.Y*d.Y >= dragFrom*dragFrom {
		g.drag()
	}
}

// drag begins the drag of what is pressed.
func (g *Grid) drag() {
	from := g.grab
	g.grab = grab{}
	if len(from.ids) > 1 {
		g.pick(from.ids, from.id) // the press selected only this one
	}
	g.act.Drag(from.ids)
}

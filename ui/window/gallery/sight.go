package gallery

import (
	"fyne.io/fyne/v2"

	"easel/ui/core/library"
	"easel/ui/window/kit"
)

// Sights returns the pictures that the grid currently shows; see [kit.Sight].
func (g *Grid) Sights() (seen []kit.Sight) {
	for id, c := range g.cells {
		if s, ok := c.picture.Sight(id, g.scroll); ok {
			seen = append(seen, s)
		}
	}
	return seen
}

// Query returns the query that the images in the grid match.
func (g *Grid) Query() library.Query { return g.query }

// Selection returns the selected images, in the order of selecting.
func (g *Grid) Selection() []string { return g.sel.order }

// Cursor returns the image that has the cursor.
func (g *Grid) Cursor() string { return g.sel.cursor }

// TopID returns the first visible image; empty if there is none.
func (g *Grid) TopID() string {
	id, _ := g.top()
	return id
}

// CellOf returns the object that shows an image, or nil if the image is not visible.
func (g *Grid) CellOf(id string) fyne.CanvasObject {
	if c := g.cells[id]; c != nil {
		return c
	}
	return nil
}

// Lists reports whether an image is in the grid, visible or not.
func (g *Grid) Lists(id string) bool { return g.list.has(id) }

// Known returns an image if the grid has read it.
func (g *Grid) Known(id string) (library.Image, bool) {
	im, ok := g.images[id]
	return im, ok
}

// Pictured reports whether an image is visible and has its picture.
func (g *Grid) Pictured(id string) bool {
	c, ok := g.cells[id]
	return ok && c.shown != nil
}

// Shows reports whether an image has a visible cell.
func (g *Grid) Shows(id string) bool {
	_, ok := g.cells[id]
	return ok
}

// Busy reports whether the grid is reading the list of images or some of the images.
func (g *Grid) Busy() bool { return g.feed.busy() }

// Settled reports whether everything visible has been read. It is for tests.
func (g *Grid) Settled() bool {
	if g.feed.busy() {
		return false
	}
	for _, c := range g.cells {
		if !c.known || c.shown == nil && c.failed.Text == "" {
			return false
		}
	}
	return true
}

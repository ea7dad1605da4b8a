package gallery

import (
	"fyne.io/fyne/v2"

	"easel/ui/core/library"
	"easel/ui/window/kit"
)

// Sights are the pictures that the grid claims to show now; see kit.Sight.
func (g *Grid) Sights() (seen []kit.Sight) {
	for id, c := range g.cells {
		if s, ok := c.picture.Sight(id, g.scroll); ok {
			seen = append(seen, s)
		}
	}
	return seen
}

// Query is what the images that the grid shows match.
func (g *Grid) Query() library.Query { return g.query }

// Cursor is the image that the keys are on.
func (g *Grid) Cursor() string { return g.cursor }

// TopID is the first image in sight.
func (g *Grid) TopID() string {
	id, _ := g.top()
	return id
}

// CellOf is what shows an image, nil if that is out of sight.
func (g *Grid) CellOf(id string) fyne.CanvasObject {
	if c := g.cells[id]; c != nil {
		return c
	}
	return nil
}

// Lists tells whether an image is among those that the grid shows, in sight or not.
func (g *Grid) Lists(id string) bool {
	_, ok := g.index[id]
	return ok
}

// Known is what is known of an image.
func (g *Grid) Known(id string) (library.Image, bool) {
	im, ok := g.images[id]
	return im, ok
}

// Pictured tells whether an image is in sight with its picture.
func (g *Grid) Pictured(id string) bool {
	c, ok := g.cells[id]
	return ok && c.shown != nil
}

// Shows tells whether an image has a cell in sight.
func (g *Grid) Shows(id string) bool {
	_, ok := g.cells[id]
	return ok
}

// Busy tells whether the list of images, or something of them, is being read.
func (g *Grid) Busy() bool { return g.feed.busy() }

// Settled tells whether everything in sight has been read: for tests.
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

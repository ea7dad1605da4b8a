package window

import (
	"fyne.io/fyne/v2"

	"easel/ui/core/collection"
)

// results selects the first result of a search when the list answers it, if the user is
// going there. Without a result, the user can correct the search.
func (c *galleryPage) results() {
	if !c.toFirst || !c.listed || !sameQuery(collection.Query(c.s.a.cfg.Store.Snapshot()), c.answered) {
		return
	}
	c.toFirst = false
	if len(c.ids) == 0 {
		c.s.a.win.Canvas().Focus(c.s.top.search)
		return
	}
	c.grid.Key(fyne.KeyHome, 0)
}

// leaveSearch removes the search if there is one. It reports whether it did.
func (a *App) leaveSearch() bool {
	if a.snap.Query.Text == "" {
		return false
	}
	a.shell.clearSearch()
	a.navigate.Search("")
	return true
}

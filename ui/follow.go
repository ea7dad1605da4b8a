package ui

import (
	"time"

	"easel/mcphost/catalog"
	"easel/ui/collection"
	"easel/ui/state"
)

// heldBack is how long at most a state is not rendered because the gallery is still
// reading what it brought.
const heldBack = 100 * time.Millisecond

// ahead has the gallery read what a state brought, at once and on its writer's
// goroutine: the UI's may be drawing. Rendered is when that has been read, so that a
// new plot stands in the first frame that tells of it and not in the second.
func (a *App) ahead(s *state.Snapshot, then func()) bool {
	if s.Window == state.WindowHidden {
		return false
	}
	grid := a.grid.Load()
	if s.Mode == state.Viewer { // the viewer reads on its own
		grid.AskOnce(collection.Query(s), s.Gallery, nil)
		return false
	}
	if !grid.AskOnce(collection.Query(s), s.Gallery, then) {
		return false
	}
	time.AfterFunc(heldBack, then)
	return true
}

// follow brings the newest plot to the eye, if the person wants that and looks at
// the newest end: it never takes away what they look at.
func (a *App) follow(was, n *state.Snapshot) {
	if was == nil || n.Newest == was.Newest || n.Newest == "" || n.Window == state.WindowHidden {
		return
	}
	c := a.shell.center
	if !n.FollowLatest {
		c.seenAll()
		return
	}
	switch {
	case n.Mode == state.Viewer:
		if !c.view.Zoomed() && (n.Current == was.Newest || was.Newest == "") {
			a.openViewer(n.Newest)
		}
	case c.atEnd && !filtered(n) && newestFirst(n) && len(n.Selection) <= 1:
		ask(a, catalog.SelectFile, catalog.SelectFileIn{Path: n.Newest}, nil)
		c.seenAll()
	}
}

package window

import (
	"time"

	"easel/ui/window/requests"

	"easel/mcphost/catalog"
	"easel/ui/core/collection"
	"easel/ui/core/state"
)

// heldBack is the maximum delay of rendering a state while the gallery reads what is new
// in it.
const heldBack = 100 * time.Millisecond

// ahead makes the gallery read what is new in a state immediately, on the goroutine that
// changed the state, because the UI goroutine may be drawing. The state is rendered when
// that has been read, so that a new plot appears in the first frame and not in the
// second.
func (a *App) ahead(s *state.Snapshot, then func()) bool {
	if s.Window == state.WindowHidden {
		return false
	}
	grid := a.grid.Load()
	if s.Mode == state.Viewer { // the viewer reads by itself
		grid.AskOnce(collection.Query(s), s.Gallery, nil)
		return false
	}
	if !grid.AskOnce(collection.Query(s), s.Gallery, then) {
		return false
	}
	time.AfterFunc(heldBack, then)
	return true
}

// A follower shows the newest plot, one at a time. It skips plots that arrive faster
// than they can be selected.
type follower struct {
	due   string    // the newest plot, to be shown once it is listed
	asked [2]string // the last two plots that were shown automatically, the last one first
	busy  bool      // one is being shown
}

// by reports whether an image is the current one because it was followed.
func (f *follower) by(id string) bool { return id != "" && (id == f.asked[0] || id == f.asked[1]) }

// follow shows the newest plot if the user wants that and is looking at the newest end.
// It never replaces anything else that the user is looking at.
func (a *App) follow(was, n *state.Snapshot) {
	c := a.shell.center
	f := &a.tail
	f.due, f.asked = n.Newer(f.due), [2]string{n.Newer(f.asked[0]), n.Newer(f.asked[1])}
	var current, newest string // of the previous state, with the ids of their newest versions
	if was != nil {
		current, newest = n.Newer(was.Current), n.Newer(was.Newest)
	}
	if !f.busy && !f.by(n.Current) {
		f.asked = [2]string{} // somebody has chosen another one
	}
	if was == nil || n.Window == state.WindowHidden || !n.FollowLatest || was.Folder != n.Folder ||
		current != n.Current && !f.by(n.Current) {
		f.due = ""
	}
	if was == nil || n.Newest == newest || n.Newest == "" || n.Window == state.WindowHidden {
		return
	}
	if !n.FollowLatest {
		c.seenAll()
		return
	}
	onNewest := n.Current == newest || newest == "" || f.by(n.Current)
	if n.Mode != state.Viewer || onNewest || f.busy || f.due != "" {
		f.due = n.Newest
	}
	a.catchUp(n)
}

// catchUp shows the plot that is due, if it is listed by now and nothing prevents it.
func (a *App) catchUp(n *state.Snapshot) {
	c := a.shell.center
	f := &a.tail
	if f.due == "" || f.busy || !c.grid.Lists(f.due) {
		return
	}
	id := f.due
	f.due = ""
	shown := func() {
		f.busy = false
		a.catchUp(a.cfg.Store.Snapshot())
	}
	switch {
	case n.Mode == state.Viewer && !c.view.Zoomed():
		f.busy, f.asked = true, [2]string{id, f.asked[0]}
		requests.AskFinally(a.requests, catalog.ShowImageViewer, catalog.ShowImageViewerIn{Path: id, Follow: true}, nil, shown)
	case n.Mode != state.Viewer && c.atEnd && !filtered(n) && newestFirst(n) && len(n.Selection) <= 1:
		f.busy, f.asked = true, [2]string{id, f.asked[0]}
		requests.AskFinally(a.requests, catalog.SelectFile, catalog.SelectFileIn{Path: id, Follow: true}, nil, shown)
		c.seenAll()
	}
}

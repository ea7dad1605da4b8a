package window

import (
	"easel/mcphost/catalog"
	"easel/ui/core/state"
	"easel/ui/window/requests"
)

// A follower shows the newest plot, one at a time. It skips plots that arrive faster
// than they can be selected.
type follower struct {
	port followerPort

	due   string    // the newest plot, to be shown once it is listed
	asked [2]string // the last two plots that were shown automatically, the last one first
	busy  bool      // a request to show one is pending
}

// A followerPort is what a follower may read and do.
type followerPort struct {
	snapshot func() *state.Snapshot
	requests *requests.Sender
	center   func() *center
}

// by reports whether an image was shown automatically.
func (f *follower) by(id string) bool { return id != "" && (id == f.asked[0] || id == f.asked[1]) }

// follow shows the newest plot if the user has turned that on and is looking at the
// newest plots. It never replaces anything else that the user is looking at.
func (f *follower) follow(was, n *state.Snapshot) {
	c := f.port.center()
	f.due, f.asked = n.Newer(f.due), [2]string{n.Newer(f.asked[0]), n.Newer(f.asked[1])}
	var current, newest string // of the previous state, with the ids of their newest versions
	if was != nil {
		current, newest = n.Newer(was.Current), n.Newer(was.Newest)
	}
	if !f.busy && !f.by(n.Current) {
		f.asked = [2]string{} // the user or an assistant has chosen another one
	}
	opened := was != nil && was.Mode != state.Viewer && n.Mode == state.Viewer // maybe the plot that was selected automatically
	chosen := opened || current != n.Current && !f.by(n.Current)
	if was == nil || n.Window == state.WindowHidden || !n.FollowLatest || was.Folder != n.Folder || chosen {
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
	if chosen && newest != "" && n.Mode == state.Viewer {
		onNewest = false // it may have been chosen after the newest plot arrived
	}
	if n.Mode != state.Viewer || onNewest || f.busy || f.due != "" {
		f.due = n.Newest
	}
	f.catchUp(n)
}

// catchUp shows the plot that is due, if it is listed already and nothing prevents it.
func (f *follower) catchUp(n *state.Snapshot) {
	c := f.port.center()
	if f.due == "" || f.busy || !c.grid.Lists(f.due) {
		return
	}
	id := f.due
	f.due = ""
	shown := func() {
		f.busy = false
		f.catchUp(f.port.snapshot())
	}
	switch {
	case n.Mode == state.Viewer && !c.view.Zoomed():
		f.busy, f.asked = true, [2]string{id, f.asked[0]}
		requests.AskFinally(f.port.requests, catalog.ShowImageViewer, catalog.ShowImageViewerIn{Path: id, Follow: true}, nil, shown)
	case n.Mode != state.Viewer && c.atEnd && !filtered(n) && newestFirst(n) && len(n.Selection) <= 1:
		f.busy, f.asked = true, [2]string{id, f.asked[0]}
		requests.AskFinally(f.port.requests, catalog.SelectFile, catalog.SelectFileIn{Path: id, Follow: true}, nil, shown)
		c.seenAll()
	}
}

package window

import (
	"slices"

	"easel/mcphost/catalog"
	"easel/ui/core/state"
	"easel/ui/window/kit"
	"easel/ui/window/requests"
)

// A follower shows the newest plot, one at a time. It skips plots that arrive faster
// than they can be selected. It never replaces a plot that the user or an assistant has
// chosen; see [state.Snapshot.Follows].
type follower struct {
	port followerPort

	due  string // the newest plot, to be shown once it is listed
	busy bool   // a request to show one is pending
	told bool   // the user knows that following is paused
}

// A followerPort is what a follower may read and do.
type followerPort struct {
	kit      func() *kit.Kit // in the current language
	snapshot func() *state.Snapshot
	update   func(edit func(*state.Snapshot)) // changes the state
	requests *requests.Sender
	gallery  func() *galleryPage
	offer    func(m kit.Mark, text, label string, do func(), holds func(*state.Snapshot) bool)
}

// follow shows the newest plot if the window follows. If following is paused, follow says
// so when the first plot arrives.
func (f *follower) follow(was, n *state.Snapshot) {
	c := f.port.gallery()
	f.due = n.Newer(f.due)
	if was == nil || n.Window == state.WindowHidden || !n.Follows() || was.Folder != n.Folder {
		f.due = ""
	}
	if !n.FollowPaused() {
		f.told = false
	}
	if was == nil || n.Arrivals == was.Arrivals || n.Newest == "" || n.Window == state.WindowHidden {
		return
	}
	if n.Follows() {
		f.due = n.Newest
		f.catchUp(n)
		return
	}
	c.seenAll()
	if staysSelected(n) && !f.told && !c.s.full { // over a plot that fills the window, the corner says it
		f.told = true
		k := f.port.kit()
		f.port.offer(kit.MarkNone, k.T("follow.paused"), k.T("follow.newest"), f.resume, staysSelected)
	}
}

// staysSelected reports whether following is paused because a plot is selected.
func staysSelected(n *state.Snapshot) bool { return n.FollowPaused() && len(n.Selection) > 0 }

// catchUp shows the plot that is due, if it is listed already and nothing prevents it.
func (f *follower) catchUp(n *state.Snapshot) {
	c := f.port.gallery()
	if f.due == "" || f.busy || !n.Follows() || !c.grid.Lists(f.due) {
		return
	}
	id := f.due
	f.due = ""
	shown := func() {
		f.busy = false
		c.seenAll()
		f.catchUp(f.port.snapshot())
	}
	switch {
	case n.Mode == state.Viewer && !c.view.Zoomed():
		f.busy = true
		requests.AskFinally(f.port.requests, catalog.ShowImageViewer, catalog.ShowImageViewerIn{Path: id, Follow: true}, nil, shown)
	case n.Mode != state.Viewer && c.atEnd && !filtered(n) && newestFirst(n):
		f.busy = true
		requests.AskFinally(f.port.requests, catalog.SelectFile, catalog.SelectFileIn{Path: id, Follow: true}, nil, shown)
		c.seenAll()
	}
}

// toggle turns following on or off. If it is paused, toggle resumes it.
func (f *follower) toggle() {
	if n := f.port.snapshot(); n.Follows() {
		f.port.update(func(s *state.Snapshot) { s.FollowLatest = false })
		return
	}
	f.resume()
}

// resume turns following on and gives up what was chosen: it shows the newest plot in
// view, after the user's earlier requests.
func (f *follower) resume() {
	f.port.requests.After(func() {
		c := f.port.gallery()
		newest := ""
		switch n := f.port.snapshot(); {
		case slices.Contains(c.ids, n.Newest):
			newest = n.Newest
		case len(c.ids) > 0 && newestFirst(n):
			newest = c.ids[0]
		}
		f.port.update(func(s *state.Snapshot) {
			s.FollowLatest = true
			switch {
			case newest != "":
				s.Current, s.Selection, s.SelectedBy = newest, []string{newest}, catalog.ByFollow
			case s.Mode != state.Viewer:
				s.Selection = nil
			default:
				s.SelectedBy = catalog.ByFollow // the next plot replaces it
			}
		})
		if f.port.snapshot().Mode != state.Viewer && newest != "" {
			c.grid.ScrollToTop()
			c.atNewest(true)
			c.grid.Reveal(newest) // the order may be another
		}
		c.seenAll()
	})
}

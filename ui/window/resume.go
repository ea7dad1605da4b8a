package window

import (
	"easel/ui/core/library"
	"easel/ui/core/state"
	"easel/ui/window/approvals"
	"easel/ui/window/inputs"
	"easel/ui/window/kit"
	"easel/ui/window/properties"
	"easel/ui/window/viewer"
)

// An occupation is what the user is doing in a shell, for the shell that replaces it.
type occupation struct {
	panel    *properties.Draft
	question *approvals.Draft
	input    inputs.Draft
	search   kit.Caret

	listed   []string // the images in the grid
	answered library.Query
	owed     []string // those that a later list is to deselect
	compared []string // the images that are compared; none if none are
	mode     viewer.Mode
	since    viewState
}

// occupation returns what the user is doing.
func (s *shell) occupation() occupation {
	focused := s.a.win.Canvas().Focused()
	o := occupation{
		panel: s.props.Draft(), question: s.asks.Draft(focused), input: s.inputs.Draft(focused), search: s.top.search.Caret(focused),
	}
	c := s.gallery
	o.listed, o.answered, o.owed = c.ids, c.answered, c.owed
	if c.comparing {
		o.compared, o.mode, o.since = c.versus.IDs(), c.versus.Mode(), c.since
	}
	return o
}

// resume continues what the user was doing in another shell, before the next key. The shell
// must be in the window.
func (s *shell) resume(o occupation, n *state.Snapshot) {
	c := s.gallery
	c.ids, c.answered, c.owed = o.listed, o.answered, o.owed
	if len(o.compared) > 0 {
		c.comparing, c.since = true, o.since
		c.versus.Open(o.compared)
		c.versus.SetMode(o.mode)
		c.showMode()
	}
	s.fit(n) // a field that is not shown takes no focus
	s.props.Resume(o.panel)
	s.asks.Resume(o.question)
	s.inputs.Resume(o.input)
	s.top.search.Resume(o.search, s.a.focus)
}

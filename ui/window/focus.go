package window

import (
	"easel/ui/core/state"
	"easel/ui/window/kit"
	"easel/ui/window/properties"
	"easel/ui/window/viewer"
)

// toggleFocus lets the plot fill the window, or ends that. In the grid, it opens the plot that has
// the cursor.
func (c *galleryPage) toggleFocus() {
	a := c.s.a
	switch n := a.cfg.Store.Snapshot(); {
	case c.comparing || n.Mode == state.Viewer:
		if n.Fullscreen { // it fills the screen already
			a.navigate.LeaveFullscreen(func() {})
			return
		}
		a.navigate.SetFocus(!n.Focus)
	case n.Current != "" && !a.discarded([]string{n.Current}):
		a.navigate.OpenInFocus(n.Current)
	}
}

// fill lets the plot fill the window, or not.
func (c *galleryPage) fill() {
	full, n := c.s.full, c.s.a.cfg.Store.Snapshot()
	c.view.SetFullscreen(full)
	c.versus.SetFullscreen(full)
	c.corner.render(n)
	if full && n.Focus && !c.told {
		c.told = true
		c.s.flash(kit.MarkNone, c.s.k.Keyed(c.s.k.T("viewer.focus_hint")))
	}
}

// setCovered says how much of the right of a plot that fills the window the properties cover.
func (c *galleryPage) setCovered(width float32) {
	if c.covered != width {
		c.covered = width
		c.corner.arrange()
	}
}

// habits returns how the user likes to look at pictures.
func habits(n *state.Snapshot) viewer.Habits {
	h := viewer.Habits{WheelZooms: n.Settings.Layout.Wheel == state.WheelZooms}
	switch n.Settings.Layout.Enlarge {
	case state.EnlargeAlways:
		h.Enlarge = viewer.EnlargeAlways
	case state.EnlargeNever:
		h.Enlarge = viewer.EnlargeNever
	case state.EnlargeFocused:
	}
	return h
}

// toggleEnlarge lets small plots be enlarged always, or never.
func (c *galleryPage) toggleEnlarge() {
	a := c.s.a
	to, text := state.EnlargeAlways, "viewer.enlarged"
	if c.view.Enlarges() {
		to, text = state.EnlargeNever, "viewer.not_enlarged"
	}
	a.settings(func(s *state.Settings) { s.Layout.Enlarge = to })
	c.s.flash(kit.MarkNone, c.s.k.T(text))
}

// escapeFocus goes back one step in a plot that fills the window, or in full screen: it hides the
// properties, leaves full screen, ends what the user does in the plot, or shows the rest of the window.
// It reports false if there is nothing of that kind to leave.
func (s *shell) escapeFocus() bool {
	c, a := s.gallery, s.a
	switch n := a.cfg.Store.Snapshot(); {
	case s.over:
		s.setOver(false)
	case n.Fullscreen:
		a.navigate.ToggleFullscreen()
	case !s.full:
		return false
	case !c.comparing && c.view.Cancel():
	default:
		a.navigate.SetFocus(false)
	}
	return true
}

// setOver shows or hides the properties over a plot that fills the window.
func (s *shell) setOver(on bool) {
	if s.over != on {
		s.over = on
		s.relayout()
	}
}

// inOver shows the properties over a plot that fills the window, and then calls do.
func (s *shell) inOver(do func(*properties.Panel)) {
	n := s.a.cfg.Store.Snapshot()
	ids := s.subject(n)
	if len(ids) == 0 {
		return
	}
	s.setOver(true)
	s.props.Select(ids, n.Revision) // the selection may not be rendered yet
	s.props.Then(func() { do(s.props) })
}

package window

import (
	"fyne.io/fyne/v2"

	"easel/ui/core/state"
	"easel/ui/window/kit"
)

// A panel is a region beside the gallery that gives way if the window is too small for all.
type panel int

const (
	noPanel panel = iota
	sidePanel
	propsPanel
	dockPanel
)

// regions are the sizes of the panels: two widths and a height. 0 means that one is not shown.
type regions struct{ side, props, dock float32 }

// The smallest panels, and the smallest gallery beside them: two cards.
const (
	leastSideW    float32 = 150
	leastPropsW   float32 = 240
	leastDockH    float32 = 90
	leastGalleryW float32 = 390
	leastGalleryH float32 = 230
	// mostDock is the largest part of the height that the dock takes, and mostProps that of the width
	// that the properties take.
	mostDock, mostProps float32 = 0.4, 0.6
	// narrow is the width of the window below which the sidebar is hidden, and low the height below
	// which the dock is, unless the user has asked for them.
	narrow, low float32 = 1060, 640
)

// wish returns the sizes that the panels would have if there were room for all.
func (s *shell) wish(window fyne.Size) (r regions) {
	l, plots := s.a.layout, s.page == pageGallery
	if plots && l.side.Or(window.Width >= narrow) {
		r.side = l.sideW
	}
	if plots && s.panel {
		r.props = l.propsW
	}
	if (plots || s.page == pageData) && l.dock.Or(window.Height >= low) {
		r.dock = l.dockH
	}
	return r
}

// regions returns the sizes that the panels have in a window.
func (s *shell) regions(window fyne.Size) regions {
	if s.full {
		r := regions{}
		if s.over {
			r.props = min(s.a.layout.propsW, mostProps*window.Width)
		}
		return r
	}
	room := window.SubtractWidthHeight(railW, topH+statusH)
	input, ask := s.questions(room)
	room.Height -= input + ask
	return s.wish(window).fit(room, s.a.layout.last)
}

// questions returns the heights of the regions with questions of running code and of approvals.
func (s *shell) questions(room fyne.Size) (input, ask float32) {
	input = s.inputs.Height(room)
	return input, s.asks.Height(room.SubtractWidthHeight(0, input))
}

// bring shows a panel that has given way to others, which give way instead. It returns false if the
// panel is shown, or not wanted.
func (s *shell) bring(p panel) bool {
	window := s.frame.Size()
	if s.full || s.wish(window).of(p) == 0 || s.regions(window).of(p) > 0 {
		return false
	}
	s.a.layout.last = p
	if s.relayout(); s.regions(window).of(p) == 0 {
		s.flash(kit.MarkIdle, s.k.T("layout.no_room"))
	}
	return true
}

// toggleSide shows or hides the sidebar.
func (s *shell) toggleSide() { s.toggle(sidePanel, &s.a.layout.side) }

// toggleDock shows or hides the dock.
func (s *shell) toggleDock() { s.toggle(dockPanel, &s.a.layout.dock) }

func (s *shell) toggle(p panel, chosen *state.Choice) {
	if s.bring(p) {
		return
	}
	show := s.regions(s.frame.Size()).of(p) == 0
	if *chosen = state.Chosen(show); show {
		s.a.layout.last = p
	}
	s.a.layout.keep()
	s.relayout()
}

// setPropsWidth changes the width of the properties, as far as the smallest sidebar and gallery allow.
func (s *shell) setPropsWidth(w float32) {
	window := s.frame.Size()
	most := mostProps * (window.Width - railW)
	if !s.full {
		rest := window.Width - railW - leastGalleryW
		most = min(most, rest-s.wish(window).side)
	}
	s.a.layout.propsW = max(min(w, most), leastPropsW)
	s.relayout()
}

// of returns the size of a panel.
func (r regions) of(p panel) float32 {
	switch p {
	case sidePanel:
		return r.side
	case propsPanel:
		return r.props
	case dockPanel:
		return r.dock
	default:
		return 0
	}
}

// fit returns the sizes that the panels have in a room, which also has the gallery. If they leave
// too little for it, the properties and then the sidebar become narrower, and then one of them
// gives way: the sidebar, unless the user asked for it last. The dock becomes lower, and then
// gives way, also if the user asked for it: there would be no plot beside it.
func (r regions) fit(room fyne.Size, last panel) regions {
	r.props = min(r.props, mostProps*room.Width)
	side, props := column{&r.side, r.side, leastSideW}, column{&r.props, r.props, leastPropsW}
	lack := func() float32 { return r.side + r.props + leastGalleryW - room.Width }
	props.shrink(lack())
	side.shrink(lack())
	early, late := side, props
	if last == sidePanel {
		early, late = late, early
	}
	if lack() > 0 && *early.size > 0 {
		*early.size, *late.size = 0, late.wish
		late.shrink(lack())
	}
	if lack() > 0 {
		*late.size = 0
	}
	r.dock = min(r.dock, mostDock*room.Height)
	dock := column{&r.dock, r.dock, leastDockH}
	if dock.shrink(r.dock + leastGalleryH - room.Height); r.dock+leastGalleryH > room.Height {
		r.dock = 0
	}
	return r
}

// A column is a panel that can become smaller.
type column struct {
	size        *float32
	wish, least float32
}

// shrink makes the panel smaller by what is lacking, as far as it can.
func (c column) shrink(by float32) {
	if by > 0 {
		*c.size = max(*c.size-by, min(*c.size, c.least))
	}
}

package window

import (
	"fyne.io/fyne/v2"

	"easel/ui/core/state"
	"easel/ui/window/inspect"
)

// claim returns what the window shows. It must be called on the UI goroutine.
func (s *shell) claim() inspect.Claim {
	a, c := s.a, s.gallery
	n := a.cfg.Store.Snapshot()
	x := inspect.Claim{Covered: a.win.Canvas().Overlays().Top() != nil || c.comparing, AtNewest: c.atEnd, Pictures: []inspect.ClaimedPicture{}}
	x.Input = s.inputs.Asks()
	if a.snap != nil {
		among, _ := a.snap.Stops()
		x.Stops = len(among)
	}
	if a.snap == nil || s.page != pageGallery {
		return x
	}
	x.Mode, x.Current, x.Gallery = string(c.mode), a.snap.Current, a.snap.Revision
	x.Settled = a.snap == n && a.requests.Pending() == 0 && c.acting == 0 && c.listed && !a.tail.busy && !c.grid.Busy()
	if c.mode == state.Viewer {
		x.Settled = x.Settled && c.view.Settled()
		large, strip := c.view.Sights()
		x.Highlighted = c.view.Highlighted()
		x.Add("viewer", large)
		x.Add("strip", strip)
	} else {
		x.Settled = x.Settled && c.grid.Settled()
		x.Add("grid", c.grid.Sights())
	}
	for _, o := range append(c.view.Over(), s.messages.Object(), c.pill, c.corner.root) {
		if o.Visible() {
			x.Over = append(x.Over, inspect.Pixels(o, fyne.Position{}, o.Size()))
		}
	}
	return x
}

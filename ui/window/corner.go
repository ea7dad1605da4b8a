package window

import (
	"slices"

	"fyne.io/fyne/v2"

	"easel/ui/core/library"
	"easel/ui/core/state"
	"easel/ui/window/kit"
)

// A corner has what stays in reach over a large picture, at its upper right: how many plots are
// newer and, if the picture fills the window, what interrupts the running code.
type corner struct {
	c     *galleryPage
	root  *fyne.Container
	newer *kit.Button
	stop  *kit.Button
	count int           // of plots that are newer
	of    library.Query // of the list in which seen is
	seen  string        // the newest plot that the user has seen
}

func newCorner(c *galleryPage) *corner {
	k, a := c.s.k, c.s.a
	o := &corner{c: c}
	o.newer = k.Button(kit.Primary, "up", "", k.T("viewer.fresh_tip"), o.toNewest)
	o.stop = k.Button(kit.Danger, "stop", k.T("top.interrupt"), "", a.sessions.InterruptRunning)
	o.root = &fyne.Container{Objects: []fyne.CanvasObject{o.newer, o.stop}, Layout: kit.Row{Gap: 6, Stretch: -1}}
	o.newer.Hide()
	o.stop.Hide()
	return o
}

// render shows what a state needs.
func (o *corner) render(n *state.Snapshot) {
	full := o.c.s.full
	among, sure := n.Stops()
	kit.SetVisible(o.stop, full && len(among) > 0)
	tip := o.c.s.k.T("top.interrupt_choose", state.Titles(among))
	if sure {
		tip = o.c.s.k.T("top.interrupt_one", among[0].Title())
	}
	o.stop.SetTip(tip)
	o.count = o.fresh(n)
	kit.SetVisible(o.newer, o.count > 0)
	o.newer.SetText(o.c.s.k.Tr.N("viewer.fresh", o.count))
	o.arrange()
}

// read notes where the newest plot is that the user has seen. It must be called when the list has
// changed.
func (o *corner) read(n *state.Snapshot) {
	c := o.c
	if n.Unseen > 0 && n.Mode == state.Viewer && sameQuery(o.of, c.answered) || len(c.ids) == 0 {
		return
	}
	if o.of, o.seen = c.answered, c.ids[0]; !newestFirst(n) {
		o.seen = c.ids[len(c.ids)-1]
	}
}

// fresh returns how many plots have arrived in view since the user last saw the newest one, and are
// newer than the one in the viewer.
func (o *corner) fresh(n *state.Snapshot) int {
	c := o.c
	o.read(n)
	if n.Mode != state.Viewer || c.comparing || n.Unseen == 0 {
		return 0
	}
	at, seen := slices.Index(c.ids, n.Current), slices.Index(c.ids, n.Newer(o.seen))
	switch {
	case at < 0 || seen < 0:
		return 0
	case newestFirst(n):
		return min(seen, at)
	case oldestFirst(n):
		return len(c.ids) - 1 - max(seen, at)
	default: // new ones may be anywhere
		return 0
	}
}

// oldestFirst reports whether new images appear at the end.
func oldestFirst(n *state.Snapshot) bool {
	return !n.ByCell() && (n.Query.SortBy == "" || n.Query.SortBy == "created") && n.Query.Asc
}

// toNewest shows the newest plot. If following was paused, the window follows again.
func (o *corner) toNewest() {
	a, n, ids := o.c.s.a, o.c.s.a.cfg.Store.Snapshot(), o.c.ids
	switch {
	case len(ids) == 0:
	case newestFirst(n) && n.FollowPaused():
		a.tail.resume()
	case newestFirst(n):
		a.navigate.Open(ids[0])
	default:
		a.navigate.Open(ids[len(ids)-1])
	}
}

// shown reports whether there is anything to show.
func (o *corner) shown() bool { return o.newer.Visible() || o.stop.Visible() }

// button returns the button that interrupts, if it is shown; else nil.
func (o *corner) button() fyne.CanvasObject {
	if o.root.Visible() && o.stop.Visible() {
		return o.stop
	}
	return nil
}

// Places in Fyne units.
const (
	cornerEdge float32 = 10
	barH       float32 = 42 // of the viewer and the comparison
)

// arrange places the corner, and tells the viewer what it covers.
func (o *corner) arrange() {
	c, large := o.c, o.c.comparing || o.c.mode == state.Viewer
	kit.SetVisible(o.root, large && o.shown())
	m, top, side := o.root.Layout.MinSize(o.root.Objects), barH+cornerEdge, float32(0)
	if c.s.full {
		top, side = 6, c.covered
	}
	if !o.root.Visible() {
		c.view.SetCovered(0, side)
		return
	}
	at := c.view.Position()
	o.root.Layout.Layout(o.root.Objects, m)
	kit.Place(o.root, at.X+c.view.Size().Width-side-m.Width-cornerEdge, at.Y+top, m.Width, m.Height)
	c.view.SetCovered(m.Width+2*cornerEdge, side)
}

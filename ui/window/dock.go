package window

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"

	"easel/ui/core/state"
	"easel/ui/window/kit"
	"easel/ui/window/theme"
)

// A tab is one of the dock's views.
type tab interface {
	object() fyne.CanvasObject
	tools() fyne.CanvasObject // stand at the right of the tabs
	render(n *state.Snapshot, shown bool)
}

// A dock has the views under the gallery: what was called, what the session holds,
// what it printed.
type dock struct {
	s     *shell
	root  fyne.CanvasObject
	heads []*kit.Button
	tabs  []tab
	at    int
	body  *fyne.Container
	// session is the one in the top bar, of which variables and console are.
	session string
}

const dockHead float32 = 36

func newDock(s *shell) *dock {
	k := s.k
	d := &dock{s: s}
	d.tabs = []tab{newActivityTab(s), newVariablesTab(s), newConsoleTab(s)}
	for i, name := range []string{k.T("dock.activity"), k.T("dock.variables"), k.T("dock.console")} {
		icon := []string{"activity", "variables", "console"}[i]
		d.heads = append(d.heads, k.Button(kit.Ghost, icon, name, "", func() { d.open(i) }).Small())
	}
	hide := k.Button(kit.Ghost, "close", "", k.T("dock.hide"), s.toggleDock).Small()
	line := canvas.NewRectangle(k.P.Line)
	d.body = &fyne.Container{Layout: kit.LayoutFunc{Arrange: func(_ []fyne.CanvasObject, size fyne.Size) {
		x := float32(8)
		for _, h := range d.heads {
			m := h.MinSize()
			kit.Place(h, x, (dockHead-m.Height)/2, m.Width, m.Height)
			x += m.Width + 4
		}
		kit.Place(hide, size.Width-32, (dockHead-24)/2, 24, 24)
		for i, t := range d.tabs {
			kit.SetVisible(t.object(), i == d.at)
			kit.Place(t.object(), 0, dockHead, size.Width, size.Height-dockHead)
			o := t.tools()
			m := o.MinSize()
			left := size.Width - 40 - x
			kit.SetVisible(o, i == d.at && left > 120)
			w := min(m.Width, max(left-8, 0))
			kit.Place(o, size.Width-40-w, (dockHead-m.Height)/2, w, m.Height)
		}
		kit.Place(line, 0, dockHead-1, size.Width, 1)
	}}}
	for _, h := range d.heads {
		d.body.Objects = append(d.body.Objects, h)
	}
	for _, t := range d.tabs {
		d.body.Objects = append(d.body.Objects, t.object(), t.tools())
	}
	d.body.Objects = append(d.body.Objects, hide, line)
	d.root = k.Panel(k.P.Panel, "t", d.body)
	if t := s.a.layout.tab; t < len(d.tabs) {
		d.at = t
	}
	d.mark()
	return d
}

func (d *dock) mark() {
	for i, h := range d.heads {
		h.SetOn(i == d.at)
	}
}

func (d *dock) open(i int) {
	d.at, d.s.a.layout.tab = i, i
	d.s.a.keepLayout()
	d.mark()
	d.body.Layout.Layout(nil, d.body.Size())
	d.render(d.s.a.cfg.Store.Snapshot())
	d.body.Refresh()
}

// follow shows another session: at once, and not with what is gathered.
func (d *dock) follow(session string, n *state.Snapshot) {
	if d.session != session {
		d.session = session
		d.render(n)
	}
}

func (d *dock) render(n *state.Snapshot) {
	for i, t := range d.tabs {
		t.render(n, i == d.at && d.root.Visible())
	}
}

// note is a line where a tab has nothing to show.
func note(k *kit.Kit) *kit.Para {
	return kit.NewPara("", theme.TextBody, k.P.Muted, fyne.TextStyle{}).Align(fyne.TextAlignCenter)
}

// over lays a note over a list that is empty.
func over(list fyne.CanvasObject, empty *kit.Para) *fyne.Container {
	return &fyne.Container{Objects: []fyne.CanvasObject{list, empty}, Layout: kit.LayoutFunc{
		Arrange: func(_ []fyne.CanvasObject, s fyne.Size) {
			kit.Place(list, 0, 0, s.Width, s.Height)
			w := min(s.Width-24, 460)
			h := empty.HeightFor(w)
			kit.Place(empty, (s.Width-w)/2, max((s.Height-h)/2-6, 4), w, h)
		},
	}}
}

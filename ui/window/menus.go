package window

import (
	"cmp"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"

	"easel/ui/core/library"
	"easel/ui/core/state"
	"easel/ui/window/i18n"
	"easel/ui/window/kit"
	"easel/ui/window/properties"
	"easel/ui/window/sidebar"
	"easel/ui/window/viewer"
)

// popUnder shows a menu under an object.
func (s *shell) popUnder(o fyne.CanvasObject, items ...*fyne.MenuItem) {
	at := fyne.CurrentApp().Driver().AbsolutePositionForObject(o)
	s.pop(at.AddXY(0, o.Size().Height+3), items...)
}

func (s *shell) pop(at fyne.Position, items ...*fyne.MenuItem) {
	s.k.Tips.Hide()
	widget.ShowPopUpMenuAtPosition(fyne.NewMenu("", items...), s.a.win.Canvas(), at)
}

// imageMenu shows the menu of a plot. If the plot is selected, the menu applies to the
// whole selection.
func (s *shell) imageMenu(id string, at fyne.Position) {
	k, a := s.k, s.a
	n := a.cfg.Store.Snapshot()
	ids := []string{id}
	if slices.Contains(n.Selection, id) {
		ids = n.Selection
	}
	item := func(key string, f func()) *fyne.MenuItem { return fyne.NewMenuItem(k.T(key), f) }
	compare := item("menu.compare", func() { a.compare(ids) })
	compare.Disabled = len(ids) < viewer.Few || len(ids) > viewer.Many
	im, _ := s.center.known(id)
	former := item("menu.former", func() { a.compareFormer(im) })
	former.Disabled = im.Replaces == ""
	rate := item("menu.rate", nil)
	rate.ChildMenu = fyne.NewMenu("")
	for i := 5; i >= 0; i-- {
		rate.ChildMenu.Items = append(rate.ChildMenu.Items, fyne.NewMenuItem(k.Tr.N("menu.stars", i), func() { a.rate(ids, i) }))
	}
	items := []*fyne.MenuItem{
		item("menu.open", func() { a.openViewer(id) }),
		compare, former,
		item("present.tip", a.togglePresenter),
		fyne.NewMenuItemSeparator(),
		item("menu.copy_image", func() { a.copyImage(id) }),
		item("menu.copy_code", func() { a.copyCode(id) }),
		item("menu.copy_path", func() { a.copyPath(id) }),
		fyne.NewMenuItemSeparator(),
		rate,
		fyne.NewMenuItemSeparator(),
		item("menu.save_as", func() { s.saveAs(ids) }),
	}
	if n.Folder.Kind == state.Trash {
		items = append(items, item("trash.restore", func() { a.restore(ids) }), item("trash.delete_yes", func() { a.deleteForGood(ids) }))
	} else if n.Folder.Kind != state.Directory {
		items = append(items, item("menu.trash", func() { a.trash(ids) }))
	}
	if n.Undoable > 0 {
		items = append(items, item("menu.undo_assistant", a.undoAssistant))
	}
	s.pop(at, items...)
}

// sessionMenu shows the menu of a live session.
func (s *shell) sessionMenu(id string, at fyne.Position) { s.pop(at, s.sessionItems(id)...) }

func (s *shell) sessionItems(id string) []*fyne.MenuItem {
	k, a := s.k, s.a
	item := func(key string, f func()) *fyne.MenuItem { return fyne.NewMenuItem(k.T(key), f) }
	n := a.cfg.Store.Snapshot()
	interrupt := item("top.interrupt", func() { a.interrupt(id) })
	x, _ := n.Session(id)
	interrupt.Disabled = !x.Runs()
	items := []*fyne.MenuItem{
		item("menu.show_session", func() { a.openSession(id) }),
		interrupt,
		item("top.restart", func() { s.confirmRestart(id) }),
	}
	if a.cfg.JupyterLab != nil {
		items = append(items, item("menu.jupyterlab", func() { a.jupyterLab(id) }))
	}
	items = append(items, item("menu.save_notebook", func() { s.saveNotebook(id) }))
	if slices.ContainsFunc(n.Trusted, func(t state.Trust) bool { return t.SessionID == id }) {
		items = append(items, item("menu.distrust", func() { a.distrust(id) }))
	}
	if i := slices.IndexFunc(n.Sessions, func(x state.Session) bool { return x.SessionID == id && canBeEnded(x) }); i >= 0 {
		pinned := n.Sessions[i].Pinned
		pin := item("menu.pin", func() { a.pinSession(id, !pinned) })
		pin.Checked = pinned
		items = append(items, pin)
	}
	return append(items, fyne.NewMenuItemSeparator(), item("menu.end_session", func() { s.confirmEnd(id) }))
}

// canBeEnded reports whether Easel ends the session when it is unused, unless it is
// pinned.
func canBeEnded(x state.Session) bool {
	return x.Owner == "easel" && x.NotebookPath == ""
}

// idleMenu lets the user end one of the idle sessions. The largest is first.
func (s *shell) idleMenu(under fyne.CanvasObject) {
	n, k := s.a.cfg.Store.Snapshot(), s.k
	if n.Pressure == nil {
		return
	}
	var items []*fyne.MenuItem
	for _, x := range n.Pressure.Idle {
		label := s.sessionName(x.SessionID) + "  ·  " + i18n.Bytes(x.Bytes) + "  ·  " + k.T("banner.idle_since", k.Tr.When(x.Used, s.a.cfg.Now()))
		items = append(items, fyne.NewMenuItem(label, func() { s.confirmEnd(x.SessionID) }))
	}
	s.popUnder(under, items...)
}

// pick lets the user choose the session to which the buttons apply.
func (t *topBar) pick() {
	s, k := t.s, t.s.k
	n := s.a.cfg.Store.Snapshot()
	var items []*fyne.MenuItem
	for _, x := range n.Sessions {
		label := sidebar.Name(x) + "  ·  " + sidebar.Status(k, x)
		if x.Pinned {
			label += "  ·  " + k.T("session.pinned")
		}
		item := fyne.NewMenuItem(label, func() {
			s.a.pick(x.SessionID)
			t.render(s.a.cfg.Store.Snapshot()) // immediately, so that nothing of another session remains visible
		})
		item.Checked = x.SessionID == t.chosen
		items = append(items, item)
	}
	if t.chosen != "" {
		items = append(items, fyne.NewMenuItemSeparator())
		items = append(items, s.sessionItems(t.chosen)...)
	}
	if len(items) > 0 {
		items = append(items, fyne.NewMenuItemSeparator())
	}
	items = append(items, fyne.NewMenuItem(k.T("menu.new_session"), s.a.newSession))
	s.popUnder(t.chip, items...)
}

func (s *shell) confirmRestart(id string) {
	s.confirm(s.k.T("confirm.restart"), s.k.T("confirm.restart_text", s.sessionName(id)), s.k.T("top.restart"), func() { s.a.restart(id) })
}

func (s *shell) confirmEnd(id string) {
	s.confirm(s.k.T("confirm.end"), s.k.T("confirm.end_text", s.sessionName(id)), s.k.T("menu.end_session"), func() { s.a.endSession(id) })
}

// sessionName returns the name of a session, even after its end. id may be the id of its
// kernel.
func (s *shell) sessionName(id string) string {
	n := s.a.cfg.Store.Snapshot()
	i := slices.IndexFunc(n.Sessions, func(x state.Session) bool { return x.SessionID == id || x.KernelID == id })
	if i >= 0 {
		return sidebar.Name(n.Sessions[i])
	}
	return cmp.Or(s.names[id], id)
}

// know stores the library's names of sessions, live and ended.
func (s *shell) know(all []library.Session) {
	for _, x := range all {
		name := properties.SessionName(x)
		s.names[x.ID] = name
		if x.KernelID != "" {
			s.names[x.KernelID] = name
		}
	}
	s.center.setColours(all)
	s.a.redraw() // the activity list shows the names
}

// A choice is a button of a dialog and its action.
type choice struct {
	text string
	do   func()
}

// confirm asks for confirmation before something is lost.
func (s *shell) confirm(title, text, yes string, do func()) { s.choose(title, text, choice{yes, do}) }

// choose shows a dialog with buttons. The last choice is the one that loses something.
// There is always a Cancel button. If there is one choice, Enter makes it.
func (s *shell) choose(title, text string, choices ...choice) *widget.PopUp {
	s.k.Tips.Hide()
	k := s.k
	var pop *widget.PopUp
	head := kit.NewPara(title, 16, k.P.Text, fyne.TextStyle{Bold: true})
	body := kit.NewPara(text, 13, k.P.Muted, fyne.TextStyle{})
	buttons := kit.NewRow(8, -1, k.Button(kit.Quiet, "", k.T("confirm.cancel"), "", func() { pop.Hide() }))
	for i, c := range choices {
		kind := kit.Quiet
		if i == len(choices)-1 {
			kind = kit.Danger
		}
		buttons.Add(k.Button(kind, "", c.text, "", func() { pop.Hide(); c.do() }))
	}
	const w = 380
	hh, bh := head.HeightFor(w), body.HeightFor(w)
	pop = widget.NewModalPopUp(&fyne.Container{Objects: []fyne.CanvasObject{head, body, buttons}, Layout: kit.LayoutFunc{
		Arrange: func(_ []fyne.CanvasObject, size fyne.Size) {
			kit.Place(head, 18, 16, w, hh)
			kit.Place(body, 18, 16+hh+6, w, bh)
			m := buttons.MinSize()
			kit.Place(buttons, size.Width-18-m.Width, 16+hh+6+bh+18, m.Width, m.Height)
		},
		Min: func([]fyne.CanvasObject) fyne.Size {
			return fyne.NewSize(w+36, 16+hh+6+bh+18+buttons.MinSize().Height+16)
		},
	}}, s.a.win.Canvas())
	s.popup, s.enter = pop, nil
	if len(choices) == 1 {
		s.enter = func() { pop.Hide(); choices[0].do() }
	}
	pop.Show()
	return pop
}

// showKeys shows the list of keys.
func (s *shell) showKeys() {
	k := s.k
	const pad, headH = 18, 44
	var pop *widget.PopUp
	head := kit.PadRow(pad, 8, 0, kit.NewLine(k.T("rail.keys"), 16, k.P.Text, fyne.TextStyle{Bold: true}, 60),
		k.Button(kit.Ghost, "close", "", "", func() { pop.Hide() }).Small())
	var wide float32 // the width of the longest keys, which must not be cut off
	table := shownKeys()
	for _, x := range table {
		wide = max(wide, kit.NewLine(x.label(k.Tr), 12, k.P.Muted, fyne.TextStyle{}, 20).PreferredWidth())
	}
	window := s.a.win.Canvas().Size()
	size := fyne.NewSize(min(wide+340, window.Width-60), headH+pad)
	rows := make([]fyne.CanvasObject, len(table))
	for i, x := range table {
		row := k.Fact(x.label(k.Tr), k.T(x.what), nil).NameWidth(wide + 16)
		rows[i] = row
		size.Height += row.HeightFor(size.Width - 2*pad)
	}
	size.Height = min(size.Height, window.Height-60)
	s.keyList = k.Column(pad, 0, rows...)
	pop = widget.NewModalPopUp(&fyne.Container{Objects: []fyne.CanvasObject{head, s.keyList}, Layout: kit.LayoutFunc{
		Arrange: func(_ []fyne.CanvasObject, size fyne.Size) {
			kit.Place(head, 0, 6, size.Width, headH-10)
			kit.Place(s.keyList, 0, headH-pad/2, size.Width, size.Height-headH+pad/2)
		},
		Min: func([]fyne.CanvasObject) fyne.Size { return size },
	}}, s.a.win.Canvas())
	s.popup, s.keySheet, s.enter = pop, pop, nil
	pop.Show()
}

// trashMenu shows the menu of the trash.
func (s *shell) trashMenu(at fyne.Position) {
	s.pop(at, fyne.NewMenuItem(s.k.T("sidebar.trash_open"), s.a.openTrash), fyne.NewMenuItem(s.k.T("trash.empty"), s.a.emptyTrash))
}

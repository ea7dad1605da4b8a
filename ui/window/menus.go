package window

import (
	"cmp"
	"slices"

	"fyne.io/fyne/v2"

	"easel/ui/core/library"
	"easel/ui/core/state"
	"easel/ui/window/i18n"
	"easel/ui/window/properties"
	"easel/ui/window/sidebar"
	"easel/ui/window/viewer"
)

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
		rate.ChildMenu.Items = append(rate.ChildMenu.Items, fyne.NewMenuItem(k.Tr.N("menu.stars", i), func() { a.edits.Rate(ids, i) }))
	}
	items := []*fyne.MenuItem{
		item("menu.open", func() { a.openViewer(id) }),
		compare, former,
		item("present.tip", a.togglePresenter),
		fyne.NewMenuItemSeparator(),
		item("menu.copy_image", func() { a.export.CopyImage(id) }),
		item("menu.copy_code", func() { a.export.CopyCode(id) }),
		item("menu.copy_path", func() { a.export.CopyPath(id) }),
		fyne.NewMenuItemSeparator(),
		rate,
		fyne.NewMenuItemSeparator(),
		item("menu.save_as", func() { a.export.SaveAs(ids) }),
	}
	if n.Folder.Kind == state.Trash {
		items = append(items, item("trash.restore", func() { a.edits.Restore(ids) }), item("trash.delete_yes", func() { a.edits.DeletePermanently(ids) }))
	} else if n.Folder.Kind != state.Directory {
		items = append(items, item("menu.trash", func() { a.edits.Trash(ids) }))
	}
	if n.Undoable > 0 {
		items = append(items, item("menu.undo_assistant", a.edits.UndoAssistant))
	}
	s.dialogs.Menu(at, items...)
}

// sessionMenu shows the menu of a live session.
func (s *shell) sessionMenu(id string, at fyne.Position) { s.dialogs.Menu(at, s.sessionItems(id)...) }

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
	if a.external.HasJupyterLab() {
		items = append(items, item("menu.jupyterlab", func() { a.external.JupyterLab(id) }))
	}
	items = append(items, item("menu.save_notebook", func() { a.export.SaveNotebook(id, s.sessionName(id)) }))
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
	s.dialogs.MenuUnder(under, items...)
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
	s.dialogs.MenuUnder(t.chip, items...)
}

func (s *shell) confirmRestart(id string) {
	s.dialogs.Confirm(s.k.T("confirm.restart"), s.k.T("confirm.restart_text", s.sessionName(id)), s.k.T("top.restart"), func() { s.a.restart(id) })
}

func (s *shell) confirmEnd(id string) {
	s.dialogs.Confirm(s.k.T("confirm.end"), s.k.T("confirm.end_text", s.sessionName(id)), s.k.T("menu.end_session"), func() { s.a.endSession(id) })
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

// trashMenu shows the menu of the trash.
func (s *shell) trashMenu(at fyne.Position) {
	s.dialogs.Menu(at, fyne.NewMenuItem(s.k.T("sidebar.trash_open"), s.a.openTrash), fyne.NewMenuItem(s.k.T("trash.empty"), s.a.edits.EmptyTrash))
}

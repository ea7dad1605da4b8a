package window

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"

	"fyne.io/fyne/v2"

	"easel/ui/core/interactive"
	"easel/ui/core/language"
	"easel/ui/core/library"
	"easel/ui/core/plotdata"
	"easel/ui/core/state"
	"easel/ui/window/edits"
	"easel/ui/window/gallery"
	"easel/ui/window/kit"
	"easel/ui/window/searchhints"
	"easel/ui/window/sidebar"
	"easel/ui/window/viewer"
)

// imageMenu shows the menu of a plot. If the plot is selected, the menu applies to the
// whole selection.
func (s *shell) imageMenu(id string, at fyne.Position) {
	k, a := s.k, s.a
	n := a.cfg.Store.Snapshot()
	ids := []string{id}
	if all := a.picks.selected(); slices.Contains(all, id) {
		ids = all
	}
	item := func(key string, f func()) *fyne.MenuItem { return fyne.NewMenuItem(k.T(key), f) }
	keyed := func(action, key string, f func()) *fyne.MenuItem { return s.keyed(action, k.T(key), f) }
	compare := keyed("compare", "menu.compare", func() {
		if !a.discarded(ids) {
			a.shell.gallery.compare(ids)
		}
	})
	compare.Disabled = len(ids) < viewer.Few || len(ids) > viewer.Many
	im, _ := s.gallery.known(id)
	former := item("menu.former", func() { a.shell.gallery.compareFormer(im) })
	former.Disabled = im.Replaces == ""
	items := append(s.openItems(im, id),
		compare, former,
		keyed("second_screen", "do.second_screen", a.present.toggle),
	)
	if c := s.gallery; c.mode == state.Viewer && !c.comparing {
		lay := keyed("lay_out", "menu.layout", c.view.ToggleLayout)
		lay.Checked = c.view.LaysOut()
		items = append(items, lay)
	}
	items = append(items,
		keyed("slides", "menu.slides", func() { a.slides.start(id) }),
		fyne.NewMenuItemSeparator(),
		keyed("copy_image", "menu.copy_image", func() { a.export.CopyImage(id) }),
	)
	if c := s.gallery; c.mode == state.Viewer && !c.comparing && len(c.view.Notes()) > 0 {
		items = append(items, keyed("copy_marked", "menu.copy_marked", func() { a.export.CopyMarked(id) }))
	}
	items = append(items,
		keyed("copy_code", "menu.copy_code", func() { a.export.CopyCode(id) }),
		keyed("copy_path", "menu.copy_path", func() { a.export.CopyPath(id) }),
		fyne.NewMenuItemSeparator(),
		s.rateItem(ids),
		fyne.NewMenuItemSeparator(),
		keyed("save", "menu.save_as", func() { a.export.SaveAs(ids) }),
		keyed("export", "menu.export", func() { a.export.Redraw(id) }),
		s.dataItem(im),
		keyed("export_plots", "menu.export_plots", func() { a.export.Plots(ids, s.reportTitle(ids)) }),
	)
	if n.Folder.Kind != state.Directory {
		items = append(items, keyed("check", "menu.check", func() { a.checks.Start(ids) }))
		if im.Checked != "" {
			items = append(items, item("menu.checked", func() { a.checks.Show(id) }))
		}
	}
	if n.Folder.Kind == state.Trash {
		items = append(items, keyed("restore", "trash.restore", func() { a.edits.Restore(ids) }),
			keyed("delete", "trash.delete_yes", func() { a.edits.DeletePermanently(ids) }))
	} else if n.Folder.Kind != state.Directory {
		items = append(items, keyed("trash", "menu.trash", func() { a.edits.Trash(ids) }))
	}
	s.dialogs.Menu(at, append(items, s.undoItems(n)...)...)
}

// openItems returns what opens an image, here and in other programs.
func (s *shell) openItems(im library.Image, id string) []*fyne.MenuItem {
	k, a := s.k, s.a
	items := []*fyne.MenuItem{fyne.NewMenuItem(k.T("menu.open"), func() { a.open(id) })}
	if interactive.Has(im) {
		items = append(items, s.keyed("open_interactive", k.T("menu.interactive"), func() { a.external.Figure(id) }))
	}
	if a.external.OpensWith() {
		items = append(items, s.keyed("open_with", k.T("menu.open_with"), func() { a.external.With(id) }))
	}
	if im.Cell != nil && im.Cell.Index != nil && a.external.HasJupyterLab() {
		items = append(items, s.keyed("show_cell", k.T("menu.show_cell"), func() { a.external.ShowCell(id, im.SessionID) }))
	}
	return items
}

// rateItem returns the menu of the stars that images can get.
func (s *shell) rateItem(ids []string) *fyne.MenuItem {
	rate := fyne.NewMenuItem(s.k.T("menu.rate"), nil)
	rate.ChildMenu = fyne.NewMenu("")
	for i := 5; i >= 0; i-- {
		stars := s.keyed(fmt.Sprint("rate_", i), s.k.Tr.N("menu.stars", i), func() { s.a.edits.Rate(ids, i) })
		rate.ChildMenu.Items = append(rate.ChildMenu.Items, stars)
	}
	return rate
}

// keyed returns a menu's item with the key of an action.
func (s *shell) keyed(action, text string, f func()) *fyne.MenuItem {
	item := fyne.NewMenuItem(text, f)
	if key := s.a.keyboard.keys.Key(action); key != "" {
		item.Shortcut = kit.Hint(key)
	}
	return item
}

// menuOfPlot opens the menu of the plot that the keyboard is on.
func (s *shell) menuOfPlot() {
	c := s.gallery
	if s.page != pageGallery {
		return
	}
	at := fyne.CurrentApp().Driver().AbsolutePositionForObject(c.root).AddXY(24, filterH+24)
	switch {
	case c.comparing:
		if ids := c.versus.IDs(); len(ids) > 0 {
			s.imageMenu(ids[0], at)
		}
	case c.mode == state.Viewer:
		if shown := s.a.picks.shown(); len(shown) > 0 {
			s.imageMenu(shown[0], at)
		}
	default:
		id := c.grid.Cursor()
		if id == "" || !c.grid.Lists(id) {
			return
		}
		c.grid.Reveal(id)
		if cell := c.grid.CellOf(id); cell != nil {
			at = fyne.CurrentApp().Driver().AbsolutePositionForObject(cell).AddXY(cell.Size().Width/3, cell.Size().Height/3)
		}
		s.imageMenu(id, at)
	}
}

// dataItem returns the menu's item that saves the values of a plot. It says why there are none.
func (s *shell) dataItem(im library.Image) *fyne.MenuItem {
	if !plotdata.Knows(im) {
		none := fyne.NewMenuItem(s.k.T("menu.no_data"), nil)
		none.Disabled = true
		return none
	}
	return s.keyed("save_data", s.k.T("menu.save_data"), func() { s.a.export.SaveData(im) })
}

// undoItems returns the menu's items to undo and redo, with what they would take.
func (s *shell) undoItems(n *state.Snapshot) (items []*fyne.MenuItem) {
	k, e := s.k, s.a.edits
	if n.Undo.Seq != 0 {
		items = append(items, s.keyed("undo", k.T("menu.undo", edits.EditText(k, n.Undo)), e.Undo))
	}
	if n.Redo.Seq != 0 {
		items = append(items, s.keyed("redo", k.T("menu.redo", edits.EditText(k, n.Redo)), e.Redo))
	}
	if n.Undoable > 0 && n.Undo.Client == "" {
		items = append(items, s.keyed("undo_assistant", k.T("menu.undo_assistant"), e.UndoAssistant))
	}
	if len(items) > 0 {
		items = append([]*fyne.MenuItem{fyne.NewMenuItemSeparator()}, items...)
	}
	return items
}

// reportTitle suggests the title of a report of plots: the title of a single plot, or the
// name of the session or folder that is open.
func (s *shell) reportTitle(ids []string) string {
	if im, ok := s.gallery.known(ids[0]); ok && len(ids) == 1 {
		return gallery.Title(s.k, im)
	}
	switch f := s.a.cfg.Store.Snapshot().Folder; f.Kind {
	case state.OneSession:
		return s.sessionName(f.ID)
	case state.Directory:
		return filepath.Base(f.ID)
	default:
		return s.k.T("export.untitled")
	}
}

// pick lets the user choose the session to which the buttons apply.
func (t *topBar) pick() {
	s, k := t.s, t.s.k
	n := s.a.cfg.Store.Snapshot()
	var items []*fyne.MenuItem
	for _, x := range n.Sessions {
		label := x.Title() + "  ·  " + sidebar.Status(k, x)
		if python := sidebar.Python(k, x); python != "" {
			label += "  ·  " + python
		}
		if x.Pinned {
			label += "  ·  " + k.T("session.pinned")
		}
		item := fyne.NewMenuItem(label, func() {
			s.a.sessions.Pick(x.SessionID)
			t.render(s.a.cfg.Store.Snapshot()) // immediately, so that nothing of another session remains visible
		})
		item.Checked = x.SessionID == t.chosen
		items = append(items, item)
	}
	if t.chosen != "" {
		items = append(items, fyne.NewMenuItemSeparator())
		items = append(items, s.a.sessions.Items(t.chosen)...)
	}
	if len(items) > 0 {
		items = append(items, fyne.NewMenuItemSeparator())
	}
	items = append(items, s.keyed("new_session", k.T("menu.new_session"), s.a.sessions.Start),
		s.keyed("open_project", k.T("projects.open"), s.a.projects.Ask), s.keyed("open_folder", k.T("folders.open"), s.a.folders.Ask))
	s.dialogs.MenuUnder(t.chip, items...)
}

// sessionName returns the name of a session, even after its end. id may be the id of its
// kernel.
func (s *shell) sessionName(id string) string { return cmp.Or(s.knownName(id), id) }

// knownName returns the name of a session; empty if the sidebar has not read it yet.
func (s *shell) knownName(id string) string {
	n := s.a.cfg.Store.Snapshot()
	i := slices.IndexFunc(n.Sessions, func(x state.Session) bool { return x.SessionID == id || x.KernelID == id })
	if i >= 0 {
		return n.Sessions[i].Title()
	}
	return s.names[id]
}

// languageIn returns the language of a session, live or ended: Python, if the name of its kernel does not say it.
func languageIn(s *shell, session string) string {
	kernel := ""
	if x, ok := s.a.cfg.Store.Snapshot().Session(session); ok {
		kernel = x.KernelName
	} else if i := slices.IndexFunc(s.listed, func(x library.Session) bool { return x.ID == session }); i >= 0 {
		kernel = s.listed[i].KernelName
	}
	return cmp.Or(language.Guess(kernel), "python")
}

// know stores the library's names of sessions, live and ended.
func (s *shell) know(all []library.Session) {
	s.listed = all
	names := sidebar.Names(s.a.cfg.Store.Snapshot().Sessions, all)
	for _, x := range all {
		s.names[x.ID] = names[x.ID]
		if x.KernelID != "" {
			s.names[x.KernelID] = names[x.ID]
		}
	}
	s.top.searcher.clients = searchhints.Clients(all)
	s.gallery.setColours(all)
	s.gallery.bar.retitle()
	if s.gallery.grid.Query().SortBy == "session" { // the headings show the names
		s.gallery.grid.Divide()
	}
	s.a.frames.redraw() // the activity list shows the names
}

// trashMenu shows the menu of the trash.
func (s *shell) trashMenu(at fyne.Position) {
	s.dialogs.Menu(at, s.keyed("show_trash", s.k.T("sidebar.trash_open"), s.a.navigate.OpenTrash),
		s.keyed("empty_trash", s.k.T("trash.empty"), s.a.edits.EmptyTrash))
}

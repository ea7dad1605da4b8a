package window

import (
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"

	"easel/ui/core/state"
	"easel/ui/window/export"
	"easel/ui/window/i18n"
)

// A keyRow is a row of the list that F1 shows: keys and what they do.
type keyRow struct {
	what string // message ID; "" for keys that are not in the list
	keys []key
}

// A key is one key, with or without Ctrl. There is also a button or a menu for what it
// does. Exactly one of shortcut, name and char is set, or none if do is nil.
type key struct {
	label    string        // as in the list, or the message ID of that; "" for another key that does the same
	shortcut fyne.Shortcut // works even while a field has the focus
	name     fyne.KeyName  // works on every page while no field has the focus
	char     rune          // in lower case; works in the gallery while no field has the focus
	do       func(*App)    // nil if the gallery, the viewer or the pointer handles the key
}

// label returns the row's keys as in the list.
func (r keyRow) label(tr *i18n.Catalog) string {
	var labels []string
	for _, k := range r.keys {
		if k.label != "" {
			labels = append(labels, tr.T(k.label)) // T returns text that is not a message ID unchanged
		}
	}
	return strings.Join(labels, "  ")
}

func withCtrl(name fyne.KeyName) fyne.Shortcut {
	return &desktop.CustomShortcut{KeyName: name, Modifier: fyne.KeyModifierShortcutDefault}
}

func withCtrlShift(name fyne.KeyName) fyne.Shortcut {
	return &desktop.CustomShortcut{KeyName: name, Modifier: fyne.KeyModifierShortcutDefault | fyne.KeyModifierShift}
}

// same reports whether two shortcuts are the same key. A field passes on Ctrl, while the
// desktop's own modifier may be another, so only Shift is compared.
func same(a, b fyne.Shortcut) bool {
	x, custom := a.(*desktop.CustomShortcut)
	y, other := b.(*desktop.CustomShortcut)
	switch {
	case a == nil || custom != other:
		return false
	case custom:
		return x.KeyName == y.KeyName && x.Modifier&fyne.KeyModifierShift == y.Modifier&fyne.KeyModifierShift
	default:
		return a.ShortcutName() == b.ShortcutName() && shiftDelete(a) == shiftDelete(b)
	}
}

// shiftDelete reports whether a shortcut is Shift+Delete, which has the name of Ctrl+X.
func shiftDelete(s fyne.Shortcut) bool {
	c, ok := s.(*fyne.ShortcutCut)
	return ok && c.Secondary
}

// action returns what the first matching key does, or nil.
func action(matches func(key) bool) func(*App) {
	for _, row := range keyTable() {
		for _, k := range row.keys {
			if k.do != nil && matches(k) {
				return k.do
			}
		}
	}
	return nil
}

// keyTable returns every key of the window, in the order of the list. It is a function
// because one of the keys shows the list.
func keyTable() []keyRow {
	return append(pictureKeys(), windowKeys()...)
}

// pictureKeys returns the keys for pictures and views.
func pictureKeys() []keyRow {
	return []keyRow{
		{"keys.move", []key{{label: "← → ↑ ↓"}}},
		{"keys.ends", []key{
			{label: "Home End"},
			{label: "Ctrl+Home Ctrl+End", shortcut: withCtrl(fyne.KeyHome), do: func(a *App) { a.toEnd(fyne.KeyHome) }},
			{shortcut: withCtrl(fyne.KeyEnd), do: func(a *App) { a.toEnd(fyne.KeyEnd) }},
		}},
		{"keys.range", []key{{label: "Shift"}}},
		{"keys.band", []key{{label: "keys.drag"}}},
		{"keys.space", []key{{label: "Space"}}},
		{"keys.enter", []key{{label: "Enter"}}},
		{"keys.esc", []key{{label: "Esc"}}},
		{"keys.rate", ratingKeys()},
		{"keys.zoom", []key{
			{label: "keys.wheel"},
			{label: "+ −", char: '+', do: zoomed(zoomable.Larger)},
			{char: '=', do: zoomed(zoomable.Larger)},
			{char: '-', do: zoomed(zoomable.Smaller)},
		}},
		{"keys.fit", []key{
			{label: "Z", char: 'z', do: zoomed(zoomable.Toggle)},
			{shortcut: withCtrl(fyne.Key0), do: func(a *App) { a.shell.gallery.zooms().Fit() }},
			{shortcut: withCtrl(fyne.Key1), do: func(a *App) { a.shell.gallery.zooms().Actual() }},
		}},
		{"keys.layout", []key{{label: "D", char: 'd', do: onOnePicture(func(c *galleryPage) { c.view.ToggleLayout() })}}},
		{"keys.strip", []key{{label: "G", char: 'g', do: inViewer((*galleryPage).toggleStrip)}}},
		{"keys.compare", []key{{label: "C", char: 'c', do: func(a *App) { a.shell.gallery.compareKey() }}}},
		{"keys.versions", []key{
			{label: "V", char: 'v', do: onOnePicture(func(c *galleryPage) { c.view.Play() })},
			{label: "[ ]", char: '[', do: onOnePicture(func(c *galleryPage) { c.view.Step(-1) })},
			{char: ']', do: onOnePicture(func(c *galleryPage) { c.view.Step(1) })},
		}},
		{"keys.frames", []key{
			{label: "A", char: 'a', do: onOnePicture(func(c *galleryPage) { c.view.Animate() })},
			{label: ", .", char: ',', do: onOnePicture(func(c *galleryPage) { c.view.StepFrame(-1) })},
			{char: '.', do: onOnePicture(func(c *galleryPage) { c.view.StepFrame(1) })},
		}},
		{"keys.region", []key{
			{label: "keys.shift_drag"},
			{label: "R", char: 'r', do: onOnePicture(func(c *galleryPage) { c.view.SelectRegion() })},
		}},
		{"keys.ask", []key{{label: "Q", char: 'q', do: onOnePicture(func(c *galleryPage) { c.view.AskRegion() })}}},
		{"keys.flicker", []key{{label: "B", char: 'b', do: func(a *App) {
			if c := a.shell.gallery; c.comparing {
				c.versus.Blink()
			}
		}}}},
		{"keys.present", []key{{label: "W", char: 'w', do: func(a *App) { a.present.toggle() }}}},
		{"keys.slides", []key{{label: "F5", name: fyne.KeyF5, do: func(a *App) { a.slides.start(a.cfg.Store.Snapshot().Current) }}}},
		{"keys.lock", []key{{label: "K", char: 'k', do: inViewer(func(c *galleryPage) { c.view.ToggleLock() })}}},
		{"keys.panel", []key{
			{label: "P", char: 'p', do: func(a *App) { a.navigate.TogglePanel() }},
			{char: 'i', do: func(a *App) { a.navigate.TogglePanel() }},
		}},
		{"keys.edit_marks", []key{{label: "T", char: 't', do: func(a *App) { a.shell.editTags() }}, {label: "F2", name: fyne.KeyF2, do: func(a *App) { a.shell.rename() }}}},
		{"keys.trash", []key{
			{label: "Del", name: fyne.KeyDelete, do: deleteKey},
			{label: "Shift+Del", shortcut: &fyne.ShortcutCut{Secondary: true}, do: deleteForGoodKey},
		}},
		{"keys.fullscreen", []key{
			{label: "F11", name: fyne.KeyF11, do: func(a *App) { a.navigate.ToggleFullscreen() }},
			{char: 'f', do: func(a *App) { a.navigate.ToggleFullscreen() }},
		}},
		{"keys.follow", []key{{label: "L", char: 'l', do: func(a *App) { a.tail.toggle() }}}},
		{"keys.copy", []key{{label: "Ctrl+C", shortcut: &fyne.ShortcutCopy{}, do: onLast((*export.Exporter).CopyImage)}}},
		{"keys.copy_code", []key{{label: "Ctrl+Shift+C", shortcut: withCtrlShift(fyne.KeyC), do: onLast((*export.Exporter).CopyCode)}}},
		{"keys.all", []key{{label: "Ctrl+A", shortcut: &fyne.ShortcutSelectAll{}, do: selectAll}}},
		{"keys.save", []key{
			{label: "Ctrl+S", shortcut: withCtrl(fyne.KeyS), do: func(a *App) { a.export.SaveAs(a.picks.shown()) }},
			{label: "Ctrl+Shift+S", shortcut: withCtrlShift(fyne.KeyS), do: saveAll},
		}},
		{"keys.open_with", []key{{label: "O", char: 'o', do: openWithKey}}},
		{"keys.by_cell", []key{{label: "N", char: 'n', do: byCellKey}}},
		{"keys.show_cell", []key{{label: "J", char: 'j', do: showCellKey}}},
		{"keys.check", []key{{label: "Ctrl+R", shortcut: withCtrl(fyne.KeyR), do: func(a *App) { a.checks.Start(a.picks.shown()) }}}},
		{"keys.export", []key{{label: "Ctrl+Shift+E", shortcut: withCtrlShift(fyne.KeyE), do: onLast((*export.Exporter).Redraw)}}},
		{"keys.export_plots", []key{{label: "Ctrl+Shift+R", shortcut: withCtrlShift(fyne.KeyR), do: exportPlots}}},
	}
}

// windowKeys returns all other keys.
func windowKeys() []keyRow {
	return []keyRow{
		{"keys.undo", []key{{label: "Ctrl+Z", shortcut: &fyne.ShortcutUndo{}, do: func(a *App) { a.edits.Undo() }}}},
		{"keys.redo", []key{
			{label: "Ctrl+Shift+Z", shortcut: withCtrlShift(fyne.KeyZ), do: func(a *App) { a.edits.Redo() }},
			{label: "Ctrl+Y", shortcut: &fyne.ShortcutRedo{}, do: func(a *App) { a.edits.Redo() }},
		}},
		{"keys.search", []key{{label: "Ctrl+F", shortcut: withCtrl(fyne.KeyF), do: func(a *App) {
			a.shell.open(pageGallery)
			a.windowed(func() { a.win.Canvas().Focus(a.shell.top.search) })
		}}}},
		{"keys.open_project", []key{{label: "Ctrl+O", shortcut: withCtrl(fyne.KeyO), do: func(a *App) { a.windowed(a.projects.Ask) }}}},
		{"keys.regions", []key{
			{label: "Ctrl+B", shortcut: withCtrl(fyne.KeyB), do: func(a *App) { a.shell.toggleSide() }},
			{label: "Ctrl+J", shortcut: withCtrl(fyne.KeyJ), do: func(a *App) { a.shell.toggleDock() }},
		}},
		{"keys.interrupt", []key{{label: "Ctrl+.", shortcut: withCtrl(fyne.KeyPeriod), do: func(a *App) { a.sessions.InterruptRunning() }}}},
		{"keys.approve", []key{
			{label: "Ctrl+Enter", shortcut: withCtrl(fyne.KeyReturn), do: func(a *App) { a.shell.asks.Answer(true, false) }},
			{shortcut: withCtrl(fyne.KeyEnter), do: func(a *App) { a.shell.asks.Answer(true, false) }},
		}},
		{"keys.approve_edit", []key{{label: "Ctrl+E", shortcut: withCtrl(fyne.KeyE), do: func(a *App) { a.shell.asks.ToggleEdit() }}}},
		{"keys.deny", []key{{label: "Ctrl+D", shortcut: withCtrl(fyne.KeyD), do: func(a *App) { a.shell.asks.Answer(false, false) }}}},
		{"keys.settings", []key{{label: "Ctrl+,", shortcut: withCtrl(fyne.KeyComma), do: func(a *App) { a.shell.open(pageSettings) }}}},
		{"keys.hide", []key{{label: "Ctrl+W", shortcut: withCtrl(fyne.KeyW), do: (*App).CloseRequested}}},
		{"keys.quit", []key{{label: "Ctrl+Q", shortcut: withCtrl(fyne.KeyQ), do: (*App).quitRequested}}},
		{"", []key{
			{name: fyne.KeyF1, do: func(a *App) { a.shell.showKeys() }},
			{char: '?', do: func(a *App) { a.shell.showKeys() }},
		}},
	}
}

// ratingKeys returns the keys that set stars; X removes them.
func ratingKeys() []key {
	rate := func(stars int) func(*App) {
		return func(a *App) { a.picks.onSelected(func(ids []string) { a.edits.Rate(ids, stars) }) }
	}
	keys := []key{{char: 'x', do: rate(0)}}
	for stars := range 6 {
		k := key{char: rune('0' + stars), do: rate(stars)}
		if stars == 0 {
			k.label = "0 – 5"
		}
		keys = append(keys, k)
	}
	return keys
}

// inViewer acts while the viewer is open, also during a comparison.
func inViewer(do func(*galleryPage)) func(*App) {
	return func(a *App) {
		if c := a.shell.gallery; c.mode == state.Viewer {
			do(c)
		}
	}
}

// onOnePicture acts while the viewer shows one picture.
func onOnePicture(do func(*galleryPage)) func(*App) {
	return func(a *App) {
		if c := a.shell.gallery; c.mode == state.Viewer && !c.comparing {
			do(c)
		}
	}
}

// zoomed acts on the viewer or the comparison.
func zoomed(do func(zoomable)) func(*App) {
	return func(a *App) {
		if c := a.shell.gallery; c.comparing || c.mode == state.Viewer {
			do(c.zooms())
		}
	}
}

// onLast copies the last of the pictures to which a key applies.
func onLast(do func(e *export.Exporter, id string)) func(*App) {
	return func(a *App) {
		if shown := a.picks.shown(); len(shown) > 0 {
			do(a.export, shown[len(shown)-1])
		}
	}
}

// openWithKey opens the last of the pictures to which a key applies with another program.
func openWithKey(a *App) {
	if shown := a.picks.shown(); len(shown) > 0 && a.external.OpensWith() {
		a.external.With(shown[len(shown)-1])
	}
}

// deleteKey moves the shown pictures to the trash.
func deleteKey(a *App) {
	if a.shell.page == pageGallery {
		a.picks.onSelected(a.edits.Trash)
	}
}

// deleteForGoodKey deletes the shown pictures permanently, after a question. Fyne reports
// Shift+Delete as the secondary Cut, never as a key; a field that has the focus cuts.
func deleteForGoodKey(a *App) {
	if a.shell.page == pageGallery {
		a.picks.onSelected(a.edits.DeletePermanently)
	}
}

// saveAll saves the selected plots. If at most one is selected, it saves all plots in
// view.
func saveAll(a *App) {
	ids := a.picks.shown()
	if len(ids) < 2 {
		ids = a.shell.gallery.ids
	}
	a.export.SaveAs(ids)
}

// exportPlots exports the selected plots together. If none is selected, it exports all in
// view.
func exportPlots(a *App) {
	ids := a.picks.shown()
	if len(ids) == 0 {
		ids = a.shell.gallery.ids
	}
	if len(ids) > 0 {
		a.export.Plots(ids, a.shell.reportTitle(ids))
	}
}

func selectAll(a *App) {
	if a.shell.page == pageGallery && a.shell.gallery.mode != state.Viewer {
		a.shell.gallery.grid.SelectAll()
	}
}

// shownKeys returns the rows of the list.
func shownKeys() []keyRow {
	return slices.DeleteFunc(keyTable(), func(r keyRow) bool { return r.what == "" })
}

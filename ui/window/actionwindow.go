package window

import (
	"easel/mcphost/catalog"
	"easel/ui/core/oversight"
	"easel/ui/core/state"
	"easel/ui/window/folders"
	"easel/ui/window/requests"
)

// galleryActions returns what the gallery shows.
func galleryActions() []action {
	all := []action{
		{id: "all_plots", name: "do.all_plots", do: func(a *App) { a.navigate.OpenAll("", 0) }},
		{id: "best_plots", name: "do.best_plots", do: func(a *App) { a.navigate.OpenAll(">=", 4) }},
		{id: "unrated_plots", name: "do.unrated_plots", do: func(a *App) { a.navigate.OpenAll("=", 0) }},
		{id: "plots_with_findings", name: "do.plots_with_findings", do: func(a *App) { a.navigate.OpenFindings() }},
		{id: "show_trash", name: "sidebar.trash_open", do: func(a *App) { a.navigate.OpenTrash() }},
		{id: "empty_trash", name: "do.empty_trash", do: func(a *App) { a.edits.EmptyTrash() }},
		{id: "newest_plot", name: "do.newest_plot", do: func(a *App) { a.navigate.Open(catalog.Latest) }},
		{id: "clear_filters", name: "filter.clear", can: isFiltered, do: func(a *App) { a.navigate.ClearFilters() }},
		{
			id: "reverse_order", name: "filter.order_tip", can: inGallery,
			do: func(a *App) { a.navigate.Sort("", !a.cfg.Store.Snapshot().Query.Asc) },
		},
	}
	for _, by := range sortings {
		all = append(all, action{
			id: "sort_" + by, name: "do." + "sort_" + by, can: inGallery,
			do: func(a *App) { a.navigate.Sort(by, ascending(by)) },
		})
	}
	return all
}

// sortings are the orders of the gallery.
var sortings = []string{"created", "name", "rating", "session", "size", "modified"}

// ascending reports whether an order begins with the smallest.
func ascending(by string) bool { return by == "name" || by == "session" }

func isFiltered(a *App) string {
	if !filtered(a.cfg.Store.Snapshot()) {
		return "why.no_filter"
	}
	return ""
}

// windowActions returns what concerns the window.
func windowActions() []action {
	all := []action{
		{
			row: "keys.undo", id: "undo", name: "keys.undo", keys: "Ctrl+Z", tells: true, do: func(a *App) { a.edits.Undo() },
			can: func(a *App) string { return unless(a.cfg.Store.Snapshot().Undo.Seq != 0, "undo.none") },
		},
		{
			row: "keys.redo", id: "redo", name: "keys.redo", keys: "Ctrl+Shift+Z Ctrl+Y", tells: true, do: func(a *App) { a.edits.Redo() },
			can: func(a *App) string { return unless(a.cfg.Store.Snapshot().Redo.Seq != 0, "undo.none_redo") },
		},
		{
			id: "undo_assistant", name: "menu.undo_assistant", do: func(a *App) { a.edits.UndoAssistant() },
			can: func(a *App) string { return unless(a.cfg.Store.Snapshot().Undoable > 0, "undo.none") },
		},
		{row: "keys.search", id: "search", name: "do.search", keys: "Ctrl+F", do: func(a *App) {
			a.shell.open(pageGallery)
			a.windowed(func() { a.win.Canvas().Focus(a.shell.top.search) })
		}},
		{
			row: "keys.open_folder", id: "open_folder", name: "folders.open", keys: "Ctrl+O",
			do: func(a *App) { a.windowed(a.folders.Ask) },
		},
		{
			row: "keys.parent", id: "parent_folder", name: "folders.parent", keys: "Alt+Up Backspace", can: inSubfolder,
			do: func(a *App) { a.folders.Parent() },
		},
		{id: "subfolders", name: "folders.deep", can: inFolder, do: func(a *App) { a.folders.ToggleDeep() }},
		{id: "save_sidecars", name: "folders.sidecars", can: inFolder, do: func(a *App) { a.folders.SaveSidecars() }},
		{row: "keys.back", id: "back", name: "do.back", keys: "Alt+Left", do: func(a *App) { a.folders.Back() }},
		{row: "keys.back", id: "forward", name: "do.forward", keys: "Alt+Right", do: func(a *App) { a.folders.Forward() }},
		{
			row: "keys.open_project", id: "open_project", name: "projects.open", keys: "Ctrl+Shift+O",
			do: func(a *App) { a.windowed(a.projects.Ask) },
		},
		{row: "keys.regions", id: "sidebar", name: "do.sidebar", keys: "Ctrl+B", can: inGallery, do: func(a *App) { a.shell.toggleSide() }},
		{row: "keys.regions", id: "dock", name: "do.dock", keys: "Ctrl+J", can: besideDock, do: func(a *App) { a.shell.toggleDock() }},
		{id: "activity", name: "do.activity", do: openTab(0)},
		{id: "variables", name: "do.variables", do: openTab(1)},
		{id: "console", name: "do.console", do: openTab(2)},
		{id: "gallery", name: "rail.gallery", do: openPage(pageGallery)},
		{
			id: "tables", name: "rail.data", do: openPage(pageData),
			can: func(a *App) string { return unless(!a.tables.Empty(), "data.empty_text") },
		},
		{id: "connect", name: "rail.connect", do: openPage(pageConnect)},
		{row: "keys.settings", id: "settings", name: "keys.settings", keys: "Ctrl+,", do: openPage(pageSettings)},
		{id: "read_keys", name: "do.read_keys", do: func(a *App) { a.keyboard.read() }},
		{id: "keys", name: "do.keys", keys: "F1 ?", do: func(a *App) { a.shell.showKeys() }},
	}
	for _, name := range []string{"light", "dark", "system"} {
		all = append(all, action{id: "theme_" + name, name: "do." + "theme_" + name, do: func(a *App) {
			requests.Ask(a.requests, catalog.SetTheme, catalog.SetThemeIn{Theme: name}, nil)
		}})
	}
	return append(all,
		action{row: "keys.hide", id: "hide", name: "keys.hide", keys: "Ctrl+W", do: (*App).CloseRequested},
		action{row: "keys.quit", id: "quit", name: "do.quit", keys: "Ctrl+Q", do: (*App).quitRequested})
}

// inSubfolder says that there is no parent folder, or that the gallery does not show it: Backspace does not
// close the viewer.
func inSubfolder(a *App) string {
	if c := a.shell.gallery; a.shell.page != pageGallery || c.mode == state.Viewer || c.comparing {
		return "why.gallery"
	}
	return unless(folders.Parent(a.cfg.Store.Snapshot()) != "", "why.no_parent")
}

func inFolder(a *App) string {
	return unless(folders.InFolder(a.cfg.Store.Snapshot()), "why.no_parent")
}

// unless returns why unless something is possible.
func unless(possible bool, why string) string {
	if possible {
		return ""
	}
	return why
}

func openPage(p page) func(*App) { return func(a *App) { a.shell.open(p) } }

// openTab shows a tab of the dock.
func openTab(tab int) func(*App) {
	return func(a *App) {
		a.windowed(func() {
			if besideDock(a) != "" {
				a.shell.open(pageGallery)
			}
			if !a.shell.docked {
				a.shell.toggleDock()
			}
			a.shell.dock.Open(tab)
		})
	}
}

// sessionActions returns what concerns assistants and the sessions in which they work.
func sessionActions() []action {
	chosen := func(do func(a *App, id string)) func(*App) { return func(a *App) { do(a, a.shell.top.chosen) } }
	all := []action{
		{
			row: "keys.interrupt", id: "interrupt", name: "do.interrupt", keys: "Ctrl+.", tells: true,
			do:  func(a *App) { a.sessions.InterruptRunning() },
			can: func(a *App) string { return unless(len(a.cfg.Store.Snapshot().Busy()) > 0, "flash.nothing_runs") },
		},
		{
			row: "keys.approve", id: "approve", name: "keys.approve", keys: "Ctrl+Enter", can: asked,
			do: func(a *App) { a.shell.asks.Answer(true, false) },
		},
		{
			row: "keys.approve_edit", id: "approve_edit", name: "keys.approve_edit", keys: "Ctrl+E", can: asked,
			do: func(a *App) { a.shell.asks.ToggleEdit() },
		},
		{
			row: "keys.deny", id: "deny", name: "keys.deny", keys: "Ctrl+D", can: asked,
			do: func(a *App) { a.shell.asks.Answer(false, false) },
		},
		{
			row: "keys.answer", id: "answer", name: "keys.answer", keys: "Ctrl+I",
			do:  func(a *App) { a.windowed(func() { a.shell.inputs.Go("") }) },
			can: func(a *App) string { return unless(a.shell.inputs.Open(), "why.no_input") },
		},
		{id: "pause", name: "do.pause", do: func(a *App) { a.access.TogglePause() }},
		{id: "new_session", name: "menu.new_session", do: func(a *App) { a.sessions.Start() }},
		{
			id: "restart_session", name: "do.restart_session", can: pickedSession,
			do: chosen(func(a *App, id string) { a.sessions.ConfirmRestart(id) }),
		},
		{id: "end_session", name: "do.end_session", can: pickedSession, do: chosen(func(a *App, id string) { a.sessions.ConfirmEnd(id) })},
		{
			id: "rename_session", name: "do.rename_session", can: pickedSession,
			do: chosen(func(a *App, id string) { a.sessions.Rename(id) }),
		},
		{
			id: "session_lab", name: "do.session_lab", can: withLab(pickedSession),
			do: chosen(func(a *App, id string) { a.external.JupyterLab(id) }),
		},
		{id: "session_notebook", name: "do.session_notebook", can: pickedSession, do: chosen(func(a *App, id string) {
			a.export.SaveNotebook(id, a.shell.sessionName(id))
		})},
		{id: "session_menu", name: "do.session_menu", do: func(a *App) { a.shell.top.pick() }},
	}
	for _, m := range oversight.AccessModes {
		all = append(all, action{id: "access_" + m, name: "do." + "access_" + m, do: func(a *App) { a.access.Set(m) }})
	}
	return all
}

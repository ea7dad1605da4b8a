package window

import (
	"fmt"

	"fyne.io/fyne/v2"

	"easel/ui/core/state"
	"easel/ui/window/export"
)

// moveActions returns what moves, selects and rates.
func moveActions() []action {
	all := []action{
		{row: "keys.palette", id: "palette", keys: "Ctrl+K", do: func(a *App) { a.palette.Open() }},
		{row: "keys.menu", hand: "keys.menu_key"},
		{row: "keys.move", hand: "← → ↑ ↓"},
		{row: "keys.ends", hand: "Home End"},
		{row: "keys.ends", id: "first", name: "do.first", keys: "Ctrl+Home", do: func(a *App) { a.toEnd(fyne.KeyHome) }},
		{row: "keys.ends", id: "last", name: "do.last", keys: "Ctrl+End", do: func(a *App) { a.toEnd(fyne.KeyEnd) }},
		{row: "keys.range", hand: "Shift"},
		{row: "keys.band", hand: "keys.drag"},
		{row: "keys.space", hand: "Space"},
		{row: "keys.enter", hand: "Enter"},
		{row: "keys.esc", hand: "Esc"},
	}
	for stars := range 6 {
		x := action{
			row: "keys.rate", id: fmt.Sprint("rate_", stars), name: fmt.Sprint("do.", "rate_", stars), keys: fmt.Sprint(stars), can: somePlot,
			do: func(a *App) { a.picks.onSelected(func(ids []string) { a.edits.Rate(ids, stars) }) },
		}
		if stars == 0 {
			x.keys += " X"
		}
		all = append(all, x)
	}
	return all
}

// inView returns an action of the viewer or the comparison.
func inView(do func(zoomable)) func(*App) { return func(a *App) { do(a.shell.gallery.zooms()) } }

// onPage returns an action of the gallery's page.
func onPage(do func(*galleryPage)) func(*App) { return func(a *App) { do(a.shell.gallery) } }

// viewActions returns what the viewer and the comparison do.
func viewActions() []action {
	return []action{
		{row: "keys.zoom", hand: "keys.wheel"},
		{row: "keys.zoom", id: "zoom_in", name: "do.zoom_in", keys: "+ =", can: zooms, do: inView(zoomable.Larger)},
		{row: "keys.zoom", id: "zoom_out", name: "do.zoom_out", keys: "-", can: zooms, do: inView(zoomable.Smaller)},
		{row: "keys.fit", id: "fit_or_actual", name: "keys.fit", keys: "Z", can: zooms, do: inView(zoomable.Toggle)},
		{id: "fit", name: "do.fit", keys: "Ctrl+0", can: zooms, do: inView(zoomable.Fit)},
		{id: "actual_size", name: "do.actual_size", keys: "Ctrl+1", can: zooms, do: inView(zoomable.Actual)},
		{row: "keys.enlarge", id: "enlarge", name: "keys.enlarge", keys: "E", can: inViewer, do: onPage((*galleryPage).toggleEnlarge)},
		{
			row: "keys.layout", id: "lay_out", name: "do.lay_out", keys: "D", can: onOnePicture,
			do: onPage(func(c *galleryPage) { c.view.ToggleLayout() }),
		},
		{row: "keys.strip", id: "filmstrip", name: "keys.strip", keys: "G", can: inViewer, do: onPage((*galleryPage).toggleStrip)},
		{
			row: "keys.compare", id: "compare", name: "do.compare", keys: "C", can: comparable, tells: true,
			do: onPage((*galleryPage).compareKey),
		},
		{row: "keys.side", hand: "keys.sides"},
		{row: "keys.rate_all", hand: "Shift+0 – 5"},
		{
			row: "keys.versions", id: "play_versions", name: "do.play_versions", keys: "V", can: onOnePicture,
			do: onPage(func(c *galleryPage) { c.view.Play() }),
		},
		{
			row: "keys.versions", id: "older_version", name: "do.older_version", keys: "[", can: zooms,
			do: onPage(func(c *galleryPage) { c.step(-1) }),
		},
		{
			row: "keys.versions", id: "newer_version", name: "do.newer_version", keys: "]", can: zooms,
			do: onPage(func(c *galleryPage) { c.step(1) }),
		},
		{
			row: "keys.frames", id: "play_animation", name: "do.play_animation", keys: "A", can: onOnePicture,
			do: onPage(func(c *galleryPage) { c.view.Animate() }),
		},
		{
			row: "keys.frames", id: "previous_frame", name: "do.previous_frame", keys: ",", can: onOnePicture,
			do: onPage(func(c *galleryPage) { c.view.StepFrame(-1) }),
		},
		{
			row: "keys.frames", id: "next_frame", name: "do.next_frame", keys: ".", can: onOnePicture,
			do: onPage(func(c *galleryPage) { c.view.StepFrame(1) }),
		},
	}
}

// partActions returns what selects a part of a plot, and what shows plots elsewhere.
func partActions() []action {
	return []action{
		{row: "keys.region", hand: "keys.shift_drag"},
		{
			row: "keys.region", id: "select_part", name: "keys.region", keys: "R", can: onOnePicture,
			do: onPage(func(c *galleryPage) { c.view.SelectRegion() }),
		},
		{
			row: "keys.notes", id: "marks", name: "keys.notes", keys: "M", can: onOnePicture,
			do: onPage(func(c *galleryPage) { c.view.ToggleNotes() }),
		},
		{
			row: "keys.ask", id: "ask_part", name: "keys.ask", keys: "Q", can: askable,
			do: func(a *App) {
				if a.shell.page == pageData {
					a.shell.data.Ask()
					return
				}
				a.shell.gallery.view.AskRegion()
			},
		},
		{
			row: "keys.flicker", id: "alternate", name: "keys.flicker", keys: "B", can: comparing,
			do: onPage(func(c *galleryPage) { c.versus.Blink() }),
		},
		{row: "keys.present", id: "second_screen", name: "do.second_screen", keys: "W", do: func(a *App) { a.present.toggle() }},
		{
			row: "keys.slides", id: "slides", name: "do.slides", keys: "F5", can: anyPlot, tells: true,
			do: func(a *App) { a.slides.start(a.cfg.Store.Snapshot().Current) },
		},
		{
			row: "keys.lock", id: "lock_zoom", name: "keys.lock", keys: "K", can: inViewer,
			do: onPage(func(c *galleryPage) { c.view.ToggleLock() }),
		},
		{
			row: "keys.panel", id: "properties", name: "keys.panel", keys: "P I", can: inGallery,
			do: (*App).togglePanel,
		},
	}
}

// pictureActions returns what changes plots.
func pictureActions() []action {
	return []action{
		{row: "keys.edit_marks", id: "tag", name: "do.tag", keys: "T", can: somePlot, do: func(a *App) { a.shell.editTags() }},
		{row: "keys.edit_marks", id: "rename", name: "do.rename", keys: "F2", do: func(a *App) { a.shell.rename() }},
		{
			row: "keys.trash", id: "trash", name: "menu.trash", keys: "Del", can: somePlot,
			do: func(a *App) { a.picks.onSelected(a.edits.Trash) },
		},
		{
			row: "keys.trash", id: "delete", name: "trash.delete_yes", keys: "Shift+Del", can: somePlot,
			do: func(a *App) { a.picks.onSelected(a.edits.DeletePermanently) },
		},
		{id: "restore", name: "do.restore", can: plotIn(true), do: func(a *App) { a.picks.onSelected(a.edits.Restore) }},
		{
			row: "keys.fullscreen", id: "fullscreen", name: "keys.fullscreen", keys: "F11 F", can: inGallery,
			do: func(a *App) { a.navigate.ToggleFullscreen() },
		},
		{row: "keys.focus", id: "focus", name: "keys.focus", keys: "H", can: inGallery, do: onPage((*galleryPage).toggleFocus)},
		{row: "keys.follow", id: "follow", name: "keys.follow", keys: "L", can: inGallery, do: func(a *App) { a.tail.toggle() }},
		{
			row: "keys.copy", id: "copy_image", name: "menu.copy_image", keys: "Ctrl+C", can: somePlot,
			do: onLast((*export.Exporter).CopyImage),
		},
		{
			row: "keys.copy_code", id: "copy_code", name: "menu.copy_code", keys: "Ctrl+Shift+C", can: somePlot,
			do: onLast((*export.Exporter).CopyCode),
		},
		{id: "copy_marked", name: "menu.copy_marked", can: somePlot, do: onLast((*export.Exporter).CopyMarked)},
		{id: "copy_path", name: "menu.copy_path", can: somePlot, do: onLast((*export.Exporter).CopyPath)},
		{row: "keys.all", id: "select_all", name: "keys.all", keys: "Ctrl+A", can: anyPlot, do: selectAll},
	}
}

// fileActions returns what saves plots, opens them in other programs, and checks them.
func fileActions() []action {
	return []action{
		{
			row: "keys.save", id: "save", name: "menu.save_as", keys: "Ctrl+S", can: somePlot,
			do: func(a *App) { a.export.SaveAs(a.picks.shown()) },
		},
		{row: "keys.save", id: "save_all", name: "do.save_all", keys: "Ctrl+Shift+S", can: anyPlot, do: saveAll},
		{id: "save_data", name: "menu.save_data", can: somePlot, do: saveData},
		{
			row: "keys.open_with", id: "open_with", name: "menu.open_with", keys: "O", can: opensWith,
			do: onLastPlot(func(a *App, id string) { a.external.With(id) }),
		},
		{
			id: "open_interactive", name: "menu.interactive", can: somePlot,
			do: onLastPlot(func(a *App, id string) { a.external.Figure(id) }),
		},
		{row: "keys.by_cell", id: "by_cell", name: "keys.by_cell", keys: "N", can: ofNotebook, do: byCellKey},
		{row: "keys.show_cell", id: "show_cell", name: "menu.show_cell", keys: "J", can: withLab(somePlot), do: showCellKey},
		{
			row: "keys.check", id: "check", name: "menu.check", keys: "Ctrl+R", can: ofLibrary,
			do: func(a *App) { a.checks.Start(a.picks.shown()) },
		},
		{row: "keys.export", id: "export", name: "do.export", keys: "Ctrl+Shift+E", can: somePlot, do: onLast((*export.Exporter).Redraw)},
		{row: "keys.export_plots", id: "export_plots", name: "menu.export_plots", keys: "Ctrl+Shift+R", can: anyPlot, do: exportPlots},
	}
}

// onLast copies or exports the last of the pictures to which a key applies.
func onLast(do func(e *export.Exporter, id string)) func(*App) {
	return onLastPlot(func(a *App, id string) { do(a.export, id) })
}

// onLastPlot acts on the last of the pictures to which a key applies.
func onLastPlot(do func(a *App, id string)) func(*App) {
	return func(a *App) {
		if shown := a.picks.shown(); len(shown) > 0 {
			do(a, shown[len(shown)-1])
		}
	}
}

func opensWith(a *App) string {
	if !a.external.OpensWith() {
		return "why.no_open_with"
	}
	return somePlot(a)
}

func ofNotebook(a *App) string {
	if n := a.cfg.Store.Snapshot(); n.Folder.Kind != state.OneSession || n.Notebook.SessionID != n.Folder.ID {
		return "why.no_notebook"
	}
	return inGallery(a)
}

// withLab adds that JupyterLab is needed to what else is.
func withLab(can func(*App) string) func(*App) string {
	return func(a *App) string {
		if !a.external.HasJupyterLab() {
			return "why.no_lab"
		}
		return can(a)
	}
}

// tableActions returns what the page for tables does with its keys.
func tableActions() []action {
	return []action{
		{row: "keys.table_ends", hand: "keys.table_ends_keys"},
		{row: "keys.table_find", hand: "Ctrl+F  F3  Shift+F3"},
		{row: "keys.table_column", hand: "Ctrl+G"},
		{row: "keys.table_copy", hand: "Ctrl+C"},
		{row: "keys.table_value", hand: "Enter"},
	}
}

// saveData saves the values of the last of the plots to which a key applies.
func saveData(a *App) {
	onLastPlot(func(a *App, id string) {
		if im, ok := a.shell.gallery.known(id); ok {
			a.export.SaveData(im)
		}
	})(a)
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
	if a.shell.gallery.mode != state.Viewer {
		a.shell.gallery.grid.SelectAll()
	}
}

package window

import (
	"context"

	"easel/ui/window/requests"

	"fyne.io/fyne/v2"

	"easel/eventbus"
	"easel/mcphost/catalog"
	"easel/ui/core/state"
	"easel/ui/window/kit"
)

// The user's notes on plots, and the trash.

func (a *App) setTitle(id, title string) {
	a.setText(catalog.SetTitle, id, title, "annotation.renamed")
}
func (a *App) setNote(id, note string) { a.setText(catalog.SetNote, id, note, "annotation.noted") }

// setText sets a text of a plot, and remembers the previous one for undo.
func (a *App) setText(topic *eventbus.Topic[catalog.SetTextIn, catalog.SetTextOut], id, text, said string) {
	requests.Topic(a.requests, "set_text", topic, catalog.SetTextIn{ID: id, Text: text}, func(out catalog.SetTextOut) {
		k := a.shell.k
		a.undoable(k.T(said), undo{k.T("undo.undone"), func(ctx context.Context) error {
			_, err := topic.Ask(ctx, a.cfg.Bus, catalog.SetTextIn{ID: id, Text: out.Before})
			return err
		}})
	})
}

// focus gives the keyboard focus to a field, or back to the window.
func (a *App) focus(f fyne.Focusable) {
	if f == nil {
		a.win.Canvas().Unfocus()
		return
	}
	a.win.Canvas().Focus(f)
}

// rename lets the user type a title for the plot that is shown.
func (a *App) rename() { a.inPanel(func() { a.shell.props.Rename() }) }

// editTags gives the keyboard focus to the field for tags.
func (a *App) editTags() { a.inPanel(func() { a.shell.props.FocusTags() }) }

// inPanel shows the properties and then calls do.
func (a *App) inPanel(do func()) {
	n := a.cfg.Store.Snapshot()
	ids := shownIn(n)
	if len(ids) == 0 {
		return
	}
	if n.PropertiesPanel {
		a.shell.props.Select(ids, n.Gallery) // the selection may not be rendered yet
		a.shell.props.Then(do)
		return
	}
	requests.Ask(a.requests, catalog.TogglePropertiesPanel, catalog.TogglePropertiesPanelIn{}, func(out catalog.ViewOut) {
		a.keepPanel(out.View.PropertiesPanel)
		a.shell.render(a.cfg.Store.Snapshot())
		a.shell.props.Then(do)
	})
}

// inTrash reports whether the gallery shows the trash.
func (a *App) inTrash() bool { return a.cfg.Store.Snapshot().Folder.Kind == state.Trash }

// trash moves plots to the trash. Plots in the trash are deleted, after a confirmation.
func (a *App) trash(ids []string) {
	if len(ids) == 0 {
		return
	}
	if a.inTrash() {
		a.deleteForGood(ids)
		return
	}
	k := a.shell.k
	a.dispose(catalog.FateTrash, ids, func(n int) {
		a.undoable(k.Tr.N("trash.moved", n), undo{k.T("undo.undone"), func(ctx context.Context) error {
			_, err := catalog.Dispose.Ask(ctx, a.cfg.Bus, catalog.DisposeIn{Fate: catalog.FateRestore, IDs: ids})
			return err
		}})
	})
}

func (a *App) restore(ids []string) {
	a.dispose(catalog.FateRestore, ids, func(n int) { a.shell.flash(kit.MarkCheck, a.shell.k.Tr.N("trash.restored", n)) })
}

func (a *App) deleteForGood(ids []string) {
	if len(ids) == 0 {
		return
	}
	k := a.shell.k
	a.shell.dialogs.Confirm(k.Tr.N("trash.delete", len(ids)), k.T("trash.delete_text"), k.T("trash.delete_yes"), func() {
		a.dispose(catalog.FateDelete, ids, func(n int) { a.shell.flash(kit.MarkCheck, a.shell.k.Tr.N("trash.deleted", n)) })
	})
}

func (a *App) emptyTrash() {
	k := a.shell.k
	a.shell.dialogs.Confirm(k.T("trash.empty_ask"), k.T("trash.delete_text"), k.T("trash.empty"), func() {
		a.dispose(catalog.FateEmpty, nil, func(n int) { a.shell.flash(kit.MarkCheck, a.shell.k.Tr.N("trash.deleted", n)) })
	})
}

func (a *App) dispose(fate catalog.Fate, ids []string, done func(n int)) {
	requests.Topic(a.requests, "dispose", catalog.Dispose, catalog.DisposeIn{Fate: fate, IDs: ids}, func(out catalog.DisposeOut) { done(out.Images) })
}

func (a *App) openTrash() {
	a.shell.open(pageGallery)
	requests.Topic(a.requests, "open_trash", catalog.OpenTrash, struct{}{}, nil)
}

package edits

import (
	"easel/mcphost/catalog"
	"easel/ui/core/state"
	"easel/ui/window/kit"
	"easel/ui/window/requests"
)

// inTrash reports whether the gallery shows the trash.
func (e *Edits) inTrash() bool { return e.port.Snapshot().Folder.Kind == state.Trash }

// Trash moves plots to the trash. Plots in the trash are deleted, after a confirmation.
func (e *Edits) Trash(ids []string) {
	if len(ids) == 0 {
		return
	}
	if e.inTrash() {
		e.DeletePermanently(ids)
		return
	}
	k := e.port.Kit()
	e.dispose(catalog.FateTrash, ids, func(n int) {
		e.undoable(k.Tr.N("trash.moved", n), undo{k.T("undo.undone"), func(done func()) {
			requests.Topic(e.port.Requests, "undo", catalog.Dispose, catalog.DisposeIn{Fate: catalog.FateRestore, IDs: ids}, func(catalog.DisposeOut) { done() })
		}})
	})
}

// Restore moves plots from the trash back to the library.
func (e *Edits) Restore(ids []string) {
	e.dispose(catalog.FateRestore, ids, func(n int) { e.port.Say(kit.MarkCheck, e.port.Kit().Tr.N("trash.restored", n)) })
}

// DeletePermanently deletes plots, after a confirmation.
func (e *Edits) DeletePermanently(ids []string) {
	if len(ids) == 0 {
		return
	}
	k := e.port.Kit()
	e.port.Confirm(k.Tr.N("trash.delete", len(ids)), k.T("trash.delete_text"), k.T("trash.delete_yes"), func() {
		e.dispose(catalog.FateDelete, ids, func(n int) { e.port.Say(kit.MarkCheck, e.port.Kit().Tr.N("trash.deleted", n)) })
	})
}

// EmptyTrash deletes all plots in the trash, after a confirmation.
func (e *Edits) EmptyTrash() {
	k := e.port.Kit()
	e.port.Confirm(k.T("trash.empty_ask"), k.T("trash.delete_text"), k.T("trash.empty"), func() {
		e.dispose(catalog.FateEmpty, nil, func(n int) { e.port.Say(kit.MarkCheck, e.port.Kit().Tr.N("trash.deleted", n)) })
	})
}

func (e *Edits) dispose(fate catalog.Fate, ids []string, done func(n int)) {
	requests.Topic(e.port.Requests, "dispose", catalog.Dispose, catalog.DisposeIn{Fate: fate, IDs: ids}, func(out catalog.DisposeOut) { done(out.Images) })
}

package edits

import (
	"easel/mcphost/catalog"
	"easel/ui/core/state"
	"easel/ui/window/kit"
	"easel/ui/window/requests"
)

// inTrash reports whether the gallery shows the trash.
func (e *Edits) inTrash() bool { return e.port.Snapshot().Folder.Kind == state.Trash }

// Trash moves plots to the trash; TellChange says so. Plots in the trash are deleted, after a confirmation.
func (e *Edits) Trash(ids []string) {
	if len(ids) == 0 {
		return
	}
	if e.inTrash() {
		e.DeletePermanently(ids)
		return
	}
	e.wait("trash.moving", len(ids))
	e.dispose(catalog.FateTrash, ids, nil)
}

// Restore moves plots from the trash back to the library; TellChange says so.
func (e *Edits) Restore(ids []string) {
	e.wait("trash.restoring", len(ids))
	e.dispose(catalog.FateRestore, ids, nil)
}

// takesTime is the number of plots from which on a change is visibly not immediate.
const takesTime = 100

// wait says what is being done with many plots, until the message of the result.
func (e *Edits) wait(key string, n int) {
	if n >= takesTime {
		e.port.Say(kit.MarkBusy, e.port.Kit().T(key, n))
	}
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

// dispose sends a request. done may be nil.
func (e *Edits) dispose(fate catalog.Fate, ids []string, done func(n int)) {
	requests.AskTopic(e.port.Requests, "dispose", catalog.Dispose, catalog.DisposeIn{Fate: fate, IDs: ids}, func(out catalog.DisposeOut) {
		if done != nil {
			done(out.Images)
		}
	})
}

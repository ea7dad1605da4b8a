package edits

import (
	"easel/ui/core/command"
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
	e.dispose(command.FateTrash, ids, nil, e.working(len(ids), "trash.moving"))
}

// Restore moves plots from the trash back to the library; TellChange says so.
func (e *Edits) Restore(ids []string) {
	e.dispose(command.FateRestore, ids, nil, e.working(len(ids), "trash.restoring"))
}

// takesTime is the number of plots from which on a change is visibly not immediate.
const takesTime = 100

// working says that many plots are being changed, until end is called. key is the message's ID.
func (e *Edits) working(n int, key string) (end func()) {
	if n < takesTime {
		return nil
	}
	return e.port.Work(func(k *kit.Kit) string { return k.T(key, n) })
}

// DeletePermanently deletes plots, after a confirmation.
func (e *Edits) DeletePermanently(ids []string) {
	if len(ids) == 0 {
		return
	}
	k := e.port.Kit()
	e.port.Confirm(k.Tr.N("trash.delete", len(ids)), k.T("trash.delete_text"), k.T("trash.delete_yes"), func() {
		e.dispose(command.FateDelete, ids, e.deleted, e.working(len(ids), "trash.deleting"))
	})
}

// EmptyTrash deletes all plots in the trash, after a confirmation.
func (e *Edits) EmptyTrash() {
	k := e.port.Kit()
	e.port.Confirm(k.T("trash.empty_ask"), k.T("trash.delete_text"), k.T("trash.empty"), func() {
		n := 0
		if s := e.port.Snapshot(); s.Folder.Kind == state.Trash {
			n = s.Total
		}
		e.dispose(command.FateEmpty, nil, e.deleted, e.working(n, "trash.deleting"))
	})
}

func (e *Edits) deleted(n int) { e.port.Say(kit.MarkCheck, e.port.Kit().Tr.N("trash.deleted", n)) }

// dispose sends a request. done and end may be nil; end is called also after an error.
func (e *Edits) dispose(fate command.Fate, ids []string, done func(n int), end func()) {
	requests.AskAtLength(e.port.Requests, "dispose", command.Dispose, command.DisposeIn{Fate: fate, IDs: ids}, func(out command.DisposeOut) {
		if done != nil {
			done(out.Images)
		}
	}, end)
}

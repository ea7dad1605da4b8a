package edits

import (
	"sync/atomic"

	"easel/ui/core/command"
	"easel/ui/core/state"
	"easel/ui/window/kit"
	"easel/ui/window/messages"
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
	e.move(command.FateTrash, ids, "trash.moving")
}

// Restore moves plots from the trash back to the library; TellChange says so.
func (e *Edits) Restore(ids []string) {
	e.move(command.FateRestore, ids, "trash.restoring")
}

func (e *Edits) move(fate command.Fate, ids []string, key string) {
	send(e, change{"dispose", key, len(ids)}, command.Dispose, command.DisposeIn{Fate: fate, IDs: ids}, nil)
}

// DeletePermanently deletes plots, after a confirmation.
func (e *Edits) DeletePermanently(ids []string) {
	if len(ids) == 0 {
		return
	}
	k := e.port.Kit()
	e.port.Confirm(k.Tr.N("trash.delete", len(ids)), k.T("trash.delete_text"), k.T("trash.delete_yes"), func() {
		e.destroy(command.DisposeIn{Fate: command.FateDelete, IDs: ids}, len(ids))
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
		e.destroy(command.DisposeIn{Fate: command.FateEmpty}, n)
	})
}

// destroy deletes n plots. Of many, a message says how far it is, and the user can stop it: what was deleted by then
// stays so.
func (e *Edits) destroy(in command.DisposeIn, n int) {
	var stop atomic.Bool
	in.Stopped = stop.Load
	course := requests.Course[command.DisposeOut]{Done: func(out command.DisposeOut) {
		if stop.Load() && out.Images < n {
			e.port.Say(kit.MarkIdle, e.port.Kit().Tr.N("trash.delete_stopped", out.Images, n-out.Images))
			return
		}
		e.port.Say(kit.MarkCheck, e.port.Kit().Tr.N("trash.deleted", out.Images))
	}}
	if n >= takesTime {
		percent := 0
		var work *messages.Work
		work = e.port.Work(func(k *kit.Kit) string {
			if percent == 0 {
				return k.T("trash.deleting", n)
			}
			return k.T("edits.percent", k.T("trash.deleting", n), percent)
		}, func() {
			stop.Store(true)
			work.End()
		})
		course.Progress = func(done, total int) {
			percent = done * 100 / max(total, 1)
			work.Say()
		}
		course.Finally = work.End
	}
	requests.AskAtLength(e.port.Requests, "dispose", command.Dispose, in, course)
}

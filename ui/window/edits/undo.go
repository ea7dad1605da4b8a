package edits

import (
	"fmt"

	"easel/ui/core/command"
	"easel/ui/core/state"
	"easel/ui/window/kit"
	"easel/ui/window/messages"
	"easel/ui/window/requests"
)

// Undo undoes the last change.
func (e *Edits) Undo() { e.undo(0) }

// Redo makes the change again that was undone last.
func (e *Edits) Redo() {
	revise(e, "redo", "undo.redoing", e.port.Snapshot().Redo, command.Redo, command.UndoIn{}, func(out command.UndoOut) {
		e.told(out, "undo.redid", "undo.none_redo", "undo.overtaken_redo")
	})
}

// undo undoes a change, or the last one if seq is 0.
func (e *Edits) undo(seq int64) {
	last := e.port.Snapshot().Undo
	if seq != 0 && seq != last.Seq {
		last = command.Edit{}
	}
	revise(e, "undo", "undo.undoing", last, command.Undo, command.UndoIn{Seq: seq}, func(out command.UndoOut) {
		e.told(out, "undo.undid", "undo.none", "undo.overtaken")
	})
}

// revise undoes or redoes d; if earlier requests are pending, it may be another change, and no
// message says which.
func revise[In, Out any](e *Edits, what, key string, d command.Edit, t requests.Asker[In, Out], in In, done func(Out)) {
	says := d.Images >= takesTime && e.port.Requests.Pending() == 0
	sendSaying(e, what, says, func(k *kit.Kit) string { return k.T(key, EditText(k, d)) }, t, in, done)
}

// told says what was undone or redone, and what stays because it was changed since.
func (e *Edits) told(out command.UndoOut, did, none, overtaken string) {
	k := e.port.Kit()
	m := messages.Message{Mark: kit.MarkIdle, About: aboutEdit(out.Edit.Seq)}
	switch what := EditText(k, out.Edit); {
	case out.Edit.Seq == 0:
		m.Text = k.T(none)
	case out.Edit.Images == 0 && out.Skipped > 0:
		out.Edit.Images = out.Skipped
		m.Text = k.T(overtaken, EditText(k, out.Edit))
	case out.Skipped > 0:
		m.Mark, m.Text = kit.MarkCheck, k.T(did, what)+k.T("undo.sentence")+k.Tr.N("undo.skipped", out.Skipped)
	default:
		m.Mark, m.Text = kit.MarkCheck, k.T(did, what)
	}
	e.port.Show(m)
}

// aboutEdit names a change for the messages about it.
func aboutEdit(seq int64) string { return fmt.Sprintf("edit %d", seq) }

// UndoAssistant undoes the last change by an assistant.
func (e *Edits) UndoAssistant() {
	requests.AskTopic(e.port.Requests, "undo_assistant", command.UndoAssistant, command.UndoAssistantIn{}, func(out command.UndoAssistantOut) {
		k := e.port.Kit()
		text := k.T("undo.none")
		if len(out.Undone) > 0 {
			text = k.T("undo.undid", k.Tr.Action(out.Undone[0]))
		}
		if out.Remaining > 0 {
			e.port.Offer(kit.MarkCheck, text, k.Tr.N("undo.more", out.Remaining), e.UndoAssistant)
			return
		}
		e.port.Say(kit.MarkCheck, text)
	})
}

// offerUndo says what has been done, and offers to undo just that.
func (e *Edits) offerUndo(m kit.Mark, text string, seq int64) {
	e.port.Show(messages.Message{
		Mark: m, Text: text, Label: e.port.Kit().T("undo.undo"), Do: func() { e.undo(seq) }, About: aboutEdit(seq),
	})
}

// TellChange says what an assistant has changed, or the user at many plots at once, and
// offers to undo it. If the assistant only showed or selected something, no message is
// needed.
func (e *Edits) TellChange(was, n *state.Snapshot) {
	if was == nil {
		return
	}
	if n.Edited.Seq > was.Edited.Seq {
		if text := DoneText(e.port.Kit(), n.Edited); text != "" {
			e.offerUndo(kit.MarkCheck, text, n.Edited.Seq)
		}
	}
	if n.Change.Seq == 0 || n.Change.Seq == was.Change.Seq {
		return
	}
	if text := ChangeText(e.port.Kit(), n.Change); text != "" {
		e.offerUndo(kit.MarkIdle, text, n.Change.Seq)
	}
}

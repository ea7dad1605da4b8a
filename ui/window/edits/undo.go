package edits

import (
	"strings"

	"easel/mcphost/catalog"
	"easel/ui/core/state"
	"easel/ui/window/kit"
	"easel/ui/window/requests"
)

// mostUndos is the maximum number of the user's changes that can be undone.
const mostUndos = 50

// An undo reverts a change by the user. Stars and tags need none, because the same key
// removes them.
type undo struct {
	text string // the message that says what was undone
	do   func(done func())
}

// undoable records how to undo what the user has just done, and offers to do so.
func (e *Edits) undoable(text string, u undo) {
	e.undos = append(e.undos, u)
	e.undos = e.undos[max(len(e.undos)-mostUndos, 0):]
	e.port.Offer(kit.MarkCheck, text, e.port.Kit().T("undo.undo"), e.Undo)
}

// Undo undoes the last change: the assistant's, unless the user has changed something
// since.
func (e *Edits) Undo() {
	n := e.port.Snapshot()
	switch {
	case n.Undoable > 0 && (n.ByAssistant != "" || len(e.undos) == 0):
		e.UndoAssistant()
	case len(e.undos) > 0:
		u := e.undos[len(e.undos)-1]
		e.undos = e.undos[:len(e.undos)-1]
		u.do(func() { e.port.Say(kit.MarkCheck, u.text) })
	default:
		e.port.Say(kit.MarkIdle, e.port.Kit().T("undo.none"))
	}
}

// UndoAssistant undoes the last change by an assistant.
func (e *Edits) UndoAssistant() {
	requests.Topic(e.port.Requests, "undo_assistant", catalog.UndoAssistant, catalog.UndoAssistantIn{}, func(out catalog.UndoAssistantOut) {
		k := e.port.Kit()
		text := k.T("undo.undone")
		if len(out.Undone) > 0 {
			text = k.T("undo.undone_of", out.Undone[0])
		}
		if out.Remaining > 0 {
			e.port.Offer(kit.MarkCheck, text, k.Tr.N("undo.more", out.Remaining), e.UndoAssistant)
			return
		}
		e.port.Say(kit.MarkCheck, text)
	})
}

// TellChange says what an assistant has changed, and offers to undo it. If the assistant
// only showed or selected something, no message is needed.
func (e *Edits) TellChange(was, n *state.Snapshot) {
	if was == nil || n.Change.Tool == was.Change.Tool && n.Undoable == was.Undoable || !n.Change.Changed {
		return
	}
	if text := ChangeText(e.port.Kit(), n.Change); text != "" {
		e.port.Offer(kit.MarkIdle, text, e.port.Kit().T("undo.undo"), e.UndoAssistant)
	}
}

// ChangeText describes a change; "" if no message is needed.
func ChangeText(k *kit.Kit, d state.Change) string {
	client := d.Client
	if client == "" {
		client = k.T("change.somebody")
	}
	plots := k.Tr.N("gallery.count", d.Images)
	switch d.Tool {
	case "set_rating":
		return k.T("change.set_rating", client, k.Tr.N("menu.stars", d.Rating), plots)
	case "set_tags":
		if len(d.Added) == 0 {
			return k.T("change.untagged", client, plots, strings.Join(d.Removed, ", "))
		}
		return k.T("change.tagged", client, plots, strings.Join(d.Added, ", "))
	case "select_file", "show_image_viewer", "navigate_image", "close_image_viewer":
		return ""
	}
	if key := "change." + d.Tool; k.Tr.Has(key) {
		return k.T(key, client)
	}
	return k.T("change.other", client)
}

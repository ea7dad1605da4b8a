package window

import (
	"context"
	"strings"
	"time"

	"easel/ui/window/requests"

	"easel/mcphost/catalog"
	"easel/ui/core/state"
	"easel/ui/window/kit"
)

// offerTime is how long a message with an undo button is shown.
const offerTime = 12 * time.Second

// mostUndos is how many of the user's changes can be undone.
const mostUndos = 50

// An undo reverts a change by the user. Stars and tags need none, because the same key
// removes them.
type undo struct {
	text string // what was undone, as a message
	do   func(ctx context.Context) error
}

// undoable stores how to undo what the user has just done, and offers it.
func (a *App) undoable(text string, u undo) {
	a.undos = append(a.undos, u)
	a.undos = a.undos[max(len(a.undos)-mostUndos, 0):]
	a.shell.offer(kit.MarkCheck, text, a.shell.k.T("undo.undo"), a.undo)
}

// undo undoes the last change: the assistant's, unless the user has changed something
// since.
func (a *App) undo() {
	n := a.cfg.Store.Snapshot()
	switch {
	case n.Undoable > 0 && (n.ByAssistant != "" || len(a.undos) == 0):
		a.undoAssistant()
	case len(a.undos) > 0:
		u := a.undos[len(a.undos)-1]
		a.undos = a.undos[:len(a.undos)-1]
		a.requests.Background("undo", u.do, func() { a.shell.flash(kit.MarkCheck, u.text) })
	default:
		a.shell.flash(kit.MarkIdle, a.shell.k.T("undo.none"))
	}
}

func (a *App) undoAssistant() {
	requests.Topic(a.requests, "undo_assistant", catalog.UndoAssistant, catalog.UndoAssistantIn{}, func(out catalog.UndoAssistantOut) {
		k := a.shell.k
		text := k.T("undo.undone")
		if len(out.Undone) > 0 {
			text = k.T("undo.undone_of", out.Undone[0])
		}
		if out.Remaining > 0 {
			a.shell.offer(kit.MarkCheck, text, k.Tr.N("undo.more", out.Remaining), a.undoAssistant)
			return
		}
		a.shell.flash(kit.MarkCheck, text)
	})
}

// tellChange says what an assistant has changed, and offers to undo it. If the assistant
// only showed or selected something, no message is needed.
func (a *App) tellChange(was, n *state.Snapshot) {
	if was == nil || n.Change.Tool == was.Change.Tool && n.Undoable == was.Undoable || !n.Change.Changed {
		return
	}
	if text := changeText(a.shell.k, n.Change); text != "" {
		a.shell.offer(kit.MarkIdle, text, a.shell.k.T("undo.undo"), a.undoAssistant)
	}
}

// changeText describes a change; "" if no message is needed.
func changeText(k *kit.Kit, d state.Change) string {
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

// Package edits makes the user's changes to plots: stars, tags, titles, notes, the
// trash, and undo.
//
// # Goroutines
//
// Edits belong to the UI goroutine. Their requests run in the Sender's goroutines.
package edits

import (
	"easel/eventbus"
	"easel/mcphost/catalog"
	"easel/ui/core/state"
	"easel/ui/window/kit"
	"easel/ui/window/requests"
)

// A Port is what Edits may read and do in the window.
type Port struct {
	Kit      func() *kit.Kit // in the current language
	Snapshot func() *state.Snapshot
	Requests *requests.Sender

	Say     func(m kit.Mark, text string)
	Offer   func(m kit.Mark, text, label string, do func()) // Say with a button
	Confirm func(title, text, yes string, do func())        // asks before something is lost
}

// Edits makes the user's changes in one window.
type Edits struct{ port Port }

// New returns Edits.
func New(p Port) *Edits { return &Edits{port: p} }

// Rate sets the rating of plots, 0 to 5 stars.
func (e *Edits) Rate(ids []string, rating int) {
	if len(ids) > 0 {
		requests.Ask(e.port.Requests, catalog.SetRating, catalog.SetRatingIn{Rating: rating, Paths: ids}, nil)
	}
}

// Tag adds tags to plots and removes others.
func (e *Edits) Tag(ids, add, remove []string) {
	requests.Ask(e.port.Requests, catalog.SetTags, catalog.SetTagsIn{Add: add, Remove: remove, Paths: ids}, nil)
}

// SetTitle renames a plot.
func (e *Edits) SetTitle(id, title string) {
	e.setText(catalog.SetTitle, catalog.SetTextIn{ID: id, Text: title}, "annotation.renamed")
}

// SetNote replaces a plot's note.
func (e *Edits) SetNote(id, note string) {
	e.setText(catalog.SetNote, catalog.SetTextIn{ID: id, Text: note}, "annotation.noted")
}

// setText sets a text of a plot, and offers to undo that.
func (e *Edits) setText(topic *eventbus.Topic[catalog.SetTextIn, catalog.SetTextOut], in catalog.SetTextIn, said string) {
	requests.AskTopic(e.port.Requests, topic.Name(), topic, in, func(out catalog.SetTextOut) {
		if out.Edit.Seq != 0 {
			e.offerUndo(kit.MarkCheck, e.port.Kit().T(said), out.Edit.Seq)
		}
	})
}

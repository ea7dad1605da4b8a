// Package edits makes the user's changes to plots: stars, tags, titles, notes, the
// trash, and undo.
//
// # Goroutines
//
// Edits belong to the UI goroutine, except for Save. Their requests run in the Sender's
// goroutines.
package edits

import (
	"easel/eventbus"
	"easel/mcphost/catalog"
	"easel/ui/core/state"
	"easel/ui/window/kit"
	"easel/ui/window/messages"
	"easel/ui/window/requests"
)

// A Port is what Edits may read and do in the window.
type Port struct {
	Kit      func() *kit.Kit // in the current language
	Snapshot func() *state.Snapshot
	Requests *requests.Sender
	Bus      *eventbus.Bus

	Say     func(m kit.Mark, text string)
	Offer   func(m kit.Mark, text, label string, do func()) // Say with a button
	Confirm func(title, text, yes string, do func())        // asks before something is lost
	Show    func(messages.Message)
	// Work says what is being done, until it ends. cancel may be nil.
	Work func(text func(*kit.Kit) string, cancel func()) *messages.Work
}

// Edits makes the user's changes in one window.
type Edits struct {
	port Port
	desk *desk
}

// New returns Edits.
func New(p Port) *Edits {
	return &Edits{port: p, desk: &desk{bus: p.Bus, texts: make(map[string]*draft)}}
}

// Rate sets the rating of plots, 0 to 5 stars.
func (e *Edits) Rate(ids []string, rating int) {
	if len(ids) > 0 {
		send(e, change{"set_rating", "edits.rating", len(ids)}, catalog.SetRating, catalog.SetRatingIn{Rating: rating, Paths: ids}, nil)
	}
}

// Tag adds tags to plots and removes others.
func (e *Edits) Tag(ids, add, remove []string) {
	send(e, change{"set_tags", "edits.tagging", len(ids)}, catalog.SetTags, catalog.SetTagsIn{Add: add, Remove: remove, Paths: ids}, nil)
}

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
	Work    func(text func(*kit.Kit) string) (end func())   // says what is being done, until end is called
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
		requests.Ask(e.port.Requests, catalog.SetRating, catalog.SetRatingIn{Rating: rating, Paths: ids}, nil)
	}
}

// Tag adds tags to plots and removes others.
func (e *Edits) Tag(ids, add, remove []string) {
	requests.Ask(e.port.Requests, catalog.SetTags, catalog.SetTagsIn{Add: add, Remove: remove, Paths: ids}, nil)
}

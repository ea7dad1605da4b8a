// Package feed is the ordered list of what has changed in a collection of images. The library
// adds its changes when they are committed, a directory when it has seen them. Everything that
// shows or announces images is derived from it. The package does no I/O.
//
// # Goroutines
//
// The package starts none. A Feed is safe for concurrent use. Append never waits for a reader: a
// reader that is more than a few thousand changes behind is told that everything may have changed.
package feed

import (
	"sync"

	"easel/mcphost/catalog"
)

// What says what has changed of an image, as a set of bits.
type What uint32

// What can change.
const (
	Added    What = 1 << iota // it is new
	Replaced                  // it is the new version of the figure whose newest version was Change.Former
	Restored                  // it is back from the trash
	Removed                   // it is no longer listed: it is in the trash, or was deleted
	Purged                    // it was deleted from the trash
	Rating
	Tags
	Text     // title or note
	Picture  // its bytes
	Versions // their number
	Check    // the result of its last check
	Cell     // the cell of a notebook that drew it
	Detail   // what is shown beside it: the outcome of its execution, questions, why it was not drawn
	Findings // how many are open, or which are judged
	Leaving  // lists no longer have it, or have it again, while it is moved to or from the trash, or deleted
	Folders  // not an image: the subfolders of the open directory, or how many pictures they have
	More     // not an image: more of the files that were in a directory when it was opened are listed

	// Listed is what changes a list without filters that is sorted by the time of creation.
	Listed = Added | Replaced | Restored | Removed | Purged | Leaving
)

// A Change is a change of an image.
type Change struct {
	Revision uint64 // of the collection, after this change
	ID       string // of the image; of a figure, the newest version
	What     What
	Former   string         // if What is Replaced
	Was      *catalog.Image // if it was removed and can no longer be read
}

// depth is the number of changes that are kept. It is also the number of events that may wait for
// a client.
const depth = 4096

// A Feed is an ordered list of changes. The zero value is an empty feed.
type Feed struct {
	mu      sync.Mutex
	changes []Change // the newest ones; that with revision r is at r % depth
	last    uint64
	lost    uint64        // changes up to this one are not kept
	more    chan struct{} // closed by the next change; nil if nobody waits for it
}

// Append adds changes and sets their revisions.
func (f *Feed) Append(changes ...Change) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range changes {
		f.put(c)
	}
	f.lost = max(f.lost, f.last-min(f.last, depth))
}

// Lose makes every reader believe that everything may have changed.
func (f *Feed) Lose() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.put(Change{})
	f.lost = f.last
}

func (f *Feed) put(c Change) {
	f.last++
	c.Revision = f.last
	if at := int(f.last-1) % depth; at < len(f.changes) {
		f.changes[at] = c
	} else {
		f.changes = append(f.changes, c)
	}
	if f.more != nil {
		close(f.more)
		f.more = nil
	}
}

// Last returns the revision of the newest change.
func (f *Feed) Last() uint64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.last
}

// Since returns the changes after one revision, up to another. If some of them are no longer
// known, lost is true: everything may have changed.
func (f *Feed) Since(after, upTo uint64) (changes []Change, lost bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if after < f.lost && after < upTo {
		return nil, true
	}
	for r := after + 1; r <= min(upTo, f.last); r++ {
		changes = append(changes, f.changes[int(r-1)%depth])
	}
	return changes, false
}

// More returns a channel that is closed when there are changes after a revision.
func (f *Feed) More(after uint64) <-chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.last > after {
		now := make(chan struct{})
		close(now)
		return now
	}
	if f.more == nil {
		f.more = make(chan struct{})
	}
	return f.more
}

// A Summary says what has changed between two revisions.
type Summary struct {
	What What            // of any image; all bits if that is not known
	of   map[string]What // by image; nil if that is not known
}

// Summary returns what has changed after one revision, up to another.
func (f *Feed) Summary(after, upTo uint64) Summary {
	changes, lost := f.Since(after, upTo)
	if lost {
		return Summary{What: ^What(0)}
	}
	s := Summary{of: make(map[string]What, len(changes))}
	for _, c := range changes {
		s.What |= c.What
		s.of[c.ID] |= c.What
		if c.Former != "" {
			s.of[c.Former] |= c.What
		}
	}
	return s
}

// Of returns what has changed of images. A version that was replaced has changed, too.
func (s Summary) Of(ids ...string) (what What) {
	if s.of == nil && len(ids) > 0 {
		return s.What
	}
	for _, id := range ids {
		what |= s.of[id]
	}
	return what
}

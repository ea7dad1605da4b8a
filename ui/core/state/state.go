// Package state holds the current state: the sessions and what they run, the open folder,
// the query, the selection, the mode and the user's settings. Permanent data (images,
// executions, ratings, tags) is in ui/core/library; a snapshot has ids and counts of
// images, never the images themselves.
//
// # Goroutines
//
// Any goroutine may write. A mutex, held for microseconds, serialises the writers. Readers
// load an atomic pointer to an immutable snapshot. Observers run on the goroutine of the
// writer.
package state

import (
	"sync"
	"sync/atomic"
)

// A Store owns the state.
type Store struct {
	current atomic.Pointer[Snapshot]

	mu        sync.Mutex // orders writers; guards observers
	observers map[int]func()
	next      int
}

// NewStore returns a store with first as its snapshot.
func NewStore(first Snapshot) *Store {
	s := &Store{observers: make(map[int]func())}
	first.title()
	s.current.Store(&first)
	return s
}

// Snapshot returns the newest snapshot. It is immutable: the caller may keep it, but must
// not change it or the elements of its slices and maps.
func (s *Store) Snapshot() *Snapshot { return s.current.Load() }

// Update calls edit with a shallow copy of the snapshot and publishes the copy. edit must
// replace slices and maps, not write to them. It must not block or use the store.
func (s *Store) Update(edit func(*Snapshot)) {
	s.mu.Lock()
	next := *s.current.Load()
	edit(&next)
	next.title()
	s.current.Store(&next)
	observers := make([]func(), 0, len(s.observers))
	for _, f := range s.observers {
		observers = append(observers, f)
	}
	s.mu.Unlock()
	for _, f := range observers {
		f()
	}
}

// OnChange calls f after every Update, on the goroutine of Update's caller, until stop is
// called. f must not block. Several goroutines may call it at the same time.
func (s *Store) OnChange(f func()) (stop func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := s.next
	s.next++
	s.observers[id] = f
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.observers, id)
	}
}

// Package state holds what is open now: the sessions and what runs in them, the
// folder, the query, the selection, the mode, the user's settings of the window.
// What is kept for ever (images, executions, ratings, tags) is in ui/core/library; the
// snapshot holds counts of it, never the images themselves.
//
// # Goroutines
//
// Writers may be on any goroutine; a mutex, held for microseconds, puts them in
// order. Readers load an atomic pointer and share an immutable snapshot. OnChange
// calls back on the writer's goroutine.
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

// NewStore makes a store that holds first.
func NewStore(first Snapshot) *Store {
	s := &Store{observers: make(map[int]func())}
	s.current.Store(&first)
	return s
}

// Snapshot is the newest state. It is immutable: keep it, never change it, nor
// what its slices and maps hold.
func (s *Store) Snapshot() *Snapshot { return s.current.Load() }

// Update edits a shallow copy and publishes it. edit replaces slices and maps, it
// does not write into them; it must not block, call out, or use the store.
func (s *Store) Update(edit func(*Snapshot)) {
	s.mu.Lock()
	next := *s.current.Load()
	edit(&next)
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

// OnChange calls f after every Update, on the updater's goroutine. f must not
// block; it may be called by several goroutines at once.
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

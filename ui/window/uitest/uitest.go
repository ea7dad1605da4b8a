// Package uitest provides what tests of views share: golden files and a Dispatcher that
// the test drains. It also re-exports the in-memory library of
// [easel/ui/core/coretest].
//
// Golden files are written and compared on linux/amd64; go test -update writes them.
// The fonts are those that the program bundles, so the files do not depend on the
// machine.
//
// # Goroutines
//
// A Queue may be filled from any goroutine. The goroutine of the test drains it, so
// that is the UI goroutine.
package uitest

import (
	"sync"
	"testing"
	"time"

	"easel/internal/wake"
)

// A Queue is a Dispatcher for tests.
type Queue struct {
	mu    sync.Mutex
	todo  []func()
	added wake.Signal // one slot: something was added

	// After is called after each function: on a slow machine, several are drained at once. It may be nil.
	After func()
}

// NewQueue returns an empty queue.
func NewQueue() *Queue { return &Queue{added: wake.New()} }

// Do queues f.
func (q *Queue) Do(f func()) {
	q.mu.Lock()
	q.todo = append(q.todo, f)
	q.mu.Unlock()
	q.added.Notify()
}

// Drain runs the queued functions, and those that they queue.
func (q *Queue) Drain() {
	for {
		q.mu.Lock()
		fs := q.todo
		q.todo = nil
		q.mu.Unlock()
		if len(fs) == 0 {
			return
		}
		for _, f := range fs {
			f()
			if q.After != nil {
				q.After()
			}
		}
	}
}

// patience is how long a test waits for something that happens on another goroutine.
const patience = 2 * time.Minute

// Until drains the queue until ok returns true, and fails the test after patience. It
// calls ok on the goroutine of the test, each time it has drained the queue.
func (q *Queue) Until(tb testing.TB, what string, ok func() bool) {
	tb.Helper()
	late := time.NewTimer(patience)
	defer late.Stop()
	for {
		q.Drain()
		if ok() {
			return
		}
		select {
		case <-q.added:
		case <-late.C:
			tb.Fatalf("waited %v in vain: %s", patience, what)
		}
	}
}

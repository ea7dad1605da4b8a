// Package uitest provides what tests of views share: golden files and a Dispatcher that
// the test drains. It also passes on the library in memory of [easel/ui/core/coretest].
//
// Golden files are made and compared on linux/amd64, with go test -update. The
// fonts are those that the program bundles, so they do not depend on the machine.
//
// # Goroutines
//
// A Queue may be filled from any goroutine; the test's goroutine drains it and is
// thereby the UI goroutine.
package uitest

import (
	"sync"
	"testing"
	"time"
)

// A Queue is a Dispatcher for tests.
type Queue struct {
	mu    sync.Mutex
	todo  []func()
	added chan struct{} // one slot: something was added
}

// NewQueue makes an empty queue.
func NewQueue() *Queue { return &Queue{added: make(chan struct{}, 1)} }

// Do queues f.
func (q *Queue) Do(f func()) {
	q.mu.Lock()
	q.todo = append(q.todo, f)
	q.mu.Unlock()
	select {
	case q.added <- struct{}{}:
	default:
	}
}

// Drain runs what is queued, and what that queues.
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
		}
	}
}

// patience is how long a test waits for something that happens beside it.
const patience = 2 * time.Minute

// Until drains the queue until ok, and fails the test if that takes too long. ok
// is asked after each thing that was queued, on the test's goroutine.
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

package record

import (
	"iter"

	"easel/ui/core/library"
)

// keepRequests is the number of requests that are remembered for late output.
const keepRequests = 256

// A ledger has the runs that messages from the kernel may be about.
type ledger struct {
	byID        map[string]*queuedExecution  // by msg_id: own and others', including ended ones (for late output)
	endedBefore map[string]library.Execution // by msg_id: executions that ended before the kernel was joined
	order       []string                     // keys of byID, oldest first
	cells       int                          // number of runs in byID that belong to a notebook cell
}

func newLedger() *ledger { return &ledger{byID: make(map[string]*queuedExecution)} }

// all returns the runs, oldest first.
func (l *ledger) all() iter.Seq[*queuedExecution] {
	return func(yield func(*queuedExecution) bool) {
		for _, id := range l.order {
			if u := l.byID[id]; u != nil && !yield(u) {
				return
			}
		}
	}
}

// track adds u. It removes old requests beyond keepRequests, up to the first
// that has not ended.
func (l *ledger) track(u *queuedExecution) {
	l.byID[u.request] = u
	l.order = append(l.order, u.request)
	if u.cell {
		l.cells++
	}
	for len(l.order) > keepRequests {
		old := l.byID[l.order[0]]
		if old != nil && !old.phase.ended() {
			return // more messages will follow
		}
		if old != nil && old.cell {
			l.cells--
		}
		delete(l.byID, l.order[0])
		l.order = l.order[1:]
	}
}

// unended reports whether a run has not ended. Its end may have been sent before the kernel was
// joined.
func (l *ledger) unended() bool {
	for _, u := range l.byID {
		if !u.phase.ended() {
			return true
		}
	}
	return false
}

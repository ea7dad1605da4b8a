package record

import (
	"fmt"
	"slices"
	"time"

	"easel/ui/core/kernels/execution"
	"easel/ui/core/oversight"
)

// MaxWaiting is how many executions may wait in one session: for the kernel, for approval or
// until the user resumes the AI. A client that sends more has lost track of them.
const MaxWaiting = 200

// A TooManyError reports that too many executions wait in a session.
type TooManyError struct{ Waiting int }

// Error returns how many wait.
func (e *TooManyError) Error() string {
	return fmt.Sprintf("%d executions wait in this session", e.Waiting)
}

// A queue has a session's own requests that have not been sent.
type queue struct {
	gate     *oversight.Gate    // decides what may be sent; may be nil
	waiting  []*queuedExecution // for the kernel, in order
	awaiting []*queuedExecution // for the user's approval
}

// len returns how many wait.
func (q *queue) len() int { return len(q.waiting) + len(q.awaiting) }

// full returns an error if too many wait.
func (q *queue) full() error {
	if n := q.len(); n >= MaxWaiting {
		return &TooManyError{n}
	}
	return nil
}

// add lets u wait for the kernel, after the others.
func (q *queue) add(u *queuedExecution) {
	q.waiting = append(q.waiting, u)
	q.number()
}

// putBack lets u wait for the kernel, before the others.
func (q *queue) putBack(u *queuedExecution) {
	q.waiting = slices.Insert(q.waiting, 0, u)
	q.number()
}

// await lets u wait for approval.
func (q *queue) await(u *queuedExecution) { q.awaiting = append(q.awaiting, u) }

// remove removes u, and reports whether it waited.
func (q *queue) remove(u *queuedExecution) bool {
	n := q.len()
	same := func(o *queuedExecution) bool { return o == u }
	q.waiting, q.awaiting = slices.DeleteFunc(q.waiting, same), slices.DeleteFunc(q.awaiting, same)
	q.number()
	return q.len() < n
}

// number updates the position of each execution that waits for the kernel.
func (q *queue) number() {
	for i, u := range q.waiting {
		u.x.Place(i + 1)
	}
}

// find returns the run of an execution that waits, or nil.
func (q *queue) find(x *execution.Execution) *queuedExecution {
	for _, u := range slices.Concat(q.awaiting, q.waiting) {
		if u.x == x {
			return u
		}
	}
	return nil
}

// take removes all, and returns them.
func (q *queue) take() []*queuedExecution {
	all := slices.Concat(q.awaiting, q.waiting)
	q.waiting, q.awaiting = nil, nil
	return all
}

// takeWaiting removes those that have waited for the kernel for some time, and returns them.
func (q *queue) takeWaiting(since time.Duration) (late []*queuedExecution) {
	for _, u := range q.waiting {
		if time.Since(u.queued) >= since {
			late = append(late, u)
		}
	}
	for _, u := range late {
		q.remove(u)
	}
	return late
}

// A removal is a run that may no longer wait, and what the gate says of it.
type removal struct {
	run     *queuedExecution
	verdict oversight.Verdict
}

// sift returns the first run that may be sent now, or nil. It removes those that the user no longer
// allows, and those that need approval now.
func (q *queue) sift() (next *queuedExecution, removed []removal) {
	for _, u := range slices.Concat(q.waiting, q.awaiting) {
		v, asked := u.verdict(q.gate), u.phase == runAwaiting
		switch {
		case v.Decision == oversight.Refuse, v.Decision == oversight.Ask && !asked:
			q.remove(u)
			removed = append(removed, removal{u, v})
		case v.Decision == oversight.Send && !asked && next == nil:
			next = u
		}
	}
	return next, removed
}

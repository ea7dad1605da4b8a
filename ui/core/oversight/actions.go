package oversight

import (
	"context"
	"errors"
	"sync"

	"easel/mcphost/catalog"
)

// An ActionError means that the user was asked about the call of a tool that is no code, and that it was not made.
type ActionError struct{ Why error }

// Error returns the reason.
func (e *ActionError) Error() string { return e.Why.Error() }

// Unwrap returns the reason.
func (e *ActionError) Unwrap() error { return e.Why }

// Actions asks the user about calls of tools that are no code. A call waits up to PermitPatience; if the user approves it later,
// the same call may be made once without another question.
type Actions struct {
	approvals *Approvals
	group     Group
	open      Permissions

	mu       sync.Mutex
	approved map[string]bool // calls that were approved and not made yet, by what they are
}

// NewActions returns an Actions that asks by approvals, on goroutines of g.
func NewActions(approvals *Approvals, g Group) *Actions {
	return &Actions{approvals: approvals, group: g, approved: make(map[string]bool)}
}

// mostApproved is how many approved calls may be pending. An approval that nobody uses is forgotten with all others.
const mostApproved = 100

// Ask asks whether a call may be made. what tells calls apart: who calls what with which parameters. The error is an *ActionError.
func (x *Actions) Ask(ctx context.Context, q catalog.Approval, what string) error {
	if x.take(what) {
		return nil
	}
	p := x.open.Question(ctx, x.group, what, func(ctx context.Context) error {
		_, err := x.approvals.Ask(ctx, q)
		if err == nil {
			x.mu.Lock()
			defer x.mu.Unlock()
			if len(x.approved) >= mostApproved {
				clear(x.approved)
			}
			x.approved[what] = true
		}
		return err
	})
	if p == nil {
		return &ActionError{context.Canceled}
	}
	err := x.open.Answer(ctx, p)
	if err == nil && !x.take(what) { // another call has used it
		err = ErrNotYetPermitted
	}
	if err != nil && !errors.Is(err, context.Canceled) {
		return &ActionError{err}
	}
	return err
}

// take uses an approval that was not used.
func (x *Actions) take(what string) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	ok := x.approved[what]
	delete(x.approved, what)
	return ok
}

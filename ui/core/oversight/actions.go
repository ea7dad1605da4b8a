package oversight

import (
	"context"
	"errors"
	"sync"
	"time"

	"easel/mcphost/catalog"
)

// An ActionError means that the user was asked about the call of a tool that is no code, and that it was not made.
type ActionError struct{ Why error }

// Error returns the reason.
func (e *ActionError) Error() string { return e.Why.Error() }

// Unwrap returns the reason.
func (e *ActionError) Unwrap() error { return e.Why }

// ErrUsed means that the user has approved a call, and that another call like it was made since.
var ErrUsed = errors.New("the user has approved this once, and another call has used it")

// Actions asks the user about calls of tools that are no code. A call waits up to PermitPatience; if the user answers later,
// the answer counts once for the next call that is the same, for some time.
type Actions struct {
	approvals *Approvals
	group     Group
	open      Permissions

	mu   sync.Mutex
	late map[string]actionAnswer // by what the call is
}

// An actionAnswer is an answer that no call has used.
type actionAnswer struct {
	at  time.Time
	err error // *DeniedError; nil for an approval
}

// lateFor is how long an answer counts that no call has used: what it is about may be different later.
const lateFor = 10 * time.Minute

// mostLate is how many such answers are kept. With more, all are forgotten.
const mostLate = 100

// NewActions returns an Actions that asks by approvals, on goroutines of g.
func NewActions(approvals *Approvals, g Group) *Actions {
	return &Actions{approvals: approvals, group: g, late: make(map[string]actionAnswer)}
}

// Ask asks whether a call may be made. what tells calls apart: who calls what with which parameters. The error is an *ActionError.
func (x *Actions) Ask(ctx context.Context, q catalog.Approval, what string) error {
	if a, ok := x.take(what); ok {
		if denied, is := errors.AsType[*DeniedError](a.err); is {
			return &ActionError{&DeniedError{Words: denied.Words, Earlier: a.at}}
		}
		return nil
	}
	if !x.approvals.visible(ctx, q) {
		return &ActionError{ErrUnasked}
	}
	p := x.open.Question(ctx, x.group, what, func(ctx context.Context) error {
		_, err := x.approvals.Ask(ctx, q)
		if _, denied := errors.AsType[*DeniedError](err); denied || err == nil {
			x.mu.Lock()
			defer x.mu.Unlock()
			if len(x.late) >= mostLate {
				clear(x.late)
			}
			x.late[what] = actionAnswer{time.Now(), err}
		}
		return err
	})
	if p == nil {
		return &ActionError{context.Canceled}
	}
	err := x.open.Answer(ctx, p)
	switch _, denied := errors.AsType[*DeniedError](err); {
	case denied:
		x.take(what)
	case err == nil:
		if _, ok := x.take(what); !ok {
			err = ErrUsed
		}
	}
	if err != nil && !errors.Is(err, context.Canceled) {
		return &ActionError{err}
	}
	return err
}

// take uses an answer that no call has used.
func (x *Actions) take(what string) (a actionAnswer, ok bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	a, ok = x.late[what]
	delete(x.late, what)
	return a, ok && time.Since(a.at) < lateFor
}

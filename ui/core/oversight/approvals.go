package oversight

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"easel/mcphost/catalog"
	"easel/ui/core/state"
)

// What an assistant may do, as the settings say.
const (
	AccessAllow    = "allow"     // everything
	AccessAsk      = "ask"       // code runs once the user approves it
	AccessReadOnly = "read_only" // nothing that changes anything
)

// AccessModes lists all of them, from the most access to the least.
var AccessModes = []string{AccessAllow, AccessAsk, AccessReadOnly}

// ErrUnanswered tells that the user was asked and did not answer.
var ErrUnanswered error = unansweredError{}

type unansweredError struct{}

// Error tells that.
func (unansweredError) Error() string { return "the user did not answer in time" }

// ExecutionCode is the code of the execution that was asked about.
func (unansweredError) ExecutionCode() string { return catalog.CodeApprovalTimeout }

// ErrUnknownApproval tells that a question is no longer open.
var ErrUnknownApproval = errors.New("this question is no longer open")

// A DeniedError tells that the user said no.
type DeniedError struct{ Words string } // theirs; may be empty

// Error tells that, with their words.
func (e *DeniedError) Error() string {
	if e.Words == "" {
		return "the user said no"
	}
	return "the user said no: " + e.Words
}

// ExecutionCode is the code of the execution that was asked about.
func (e *DeniedError) ExecutionCode() string { return catalog.CodeDenied }

// Approvals are the questions that the user has not yet answered.
type Approvals struct {
	store  *state.Store
	notify func(catalog.ChangeName, catalog.Approval)

	mu   sync.Mutex
	open map[string]question // by id
}

type question struct {
	of      catalog.Approval
	answers chan catalog.ApprovalAnswer // one slot
}

// NewApprovals shows questions in store and tells of them through notify, which
// must not block.
func NewApprovals(store *state.Store, notify func(catalog.ChangeName, catalog.Approval)) *Approvals {
	return &Approvals{store: store, notify: notify, open: make(map[string]question)}
}

// Ask puts a question to the user and waits for the answer: the
// code to run, which they may have edited. Else the error is *DeniedError,
// ErrUnanswered after patience, or ctx's.
func (a *Approvals) Ask(ctx context.Context, q catalog.Approval, patience time.Duration) (code string, err error) {
	if trusts(a.store.Snapshot(), q) {
		return q.Code, nil
	}
	answers := make(chan catalog.ApprovalAnswer, 1)
	now := time.Now()
	q.AskedAt, q.Deadline = now.UTC(), now.Add(patience).UTC()
	a.mu.Lock()
	a.open[q.ApprovalID] = question{q, answers}
	a.mu.Unlock()
	a.store.Update(func(s *state.Snapshot) { s.Approvals = append(slices.Clone(s.Approvals), q) })
	a.notify(catalog.ApprovalRequested, q)
	defer func() {
		a.mu.Lock()
		delete(a.open, q.ApprovalID)
		a.mu.Unlock()
		a.store.Update(func(s *state.Snapshot) {
			s.Approvals = slices.DeleteFunc(slices.Clone(s.Approvals), func(o catalog.Approval) bool { return o.ApprovalID == q.ApprovalID })
		})
		a.notify(catalog.ApprovalAnswered, q)
	}()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case answer := <-answers:
		if !answer.Approve {
			q.Outcome = "denied"
			return "", &DeniedError{answer.Words}
		}
		q.Outcome = "approved"
		if answer.Code != "" {
			return answer.Code, nil
		}
		return q.Code, nil
	case <-timer.C:
		q.Outcome = "unanswered"
		return "", ErrUnanswered
	case <-ctx.Done():
		q.Outcome = "withdrawn"
		return "", context.Cause(ctx)
	}
}

// Answer answers an open question, once. A yes for the session answers what else
// the same client asked for it, and is remembered.
func (a *Approvals) Answer(answer catalog.ApprovalAnswer) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	q, ok := a.open[answer.ApprovalID]
	if !ok {
		return fmt.Errorf("%w: %q", ErrUnknownApproval, answer.ApprovalID)
	}
	delete(a.open, answer.ApprovalID)
	q.answers <- answer // its slot is free: only the first answer gets here
	if !answer.Approve || !answer.Session {
		return nil
	}
	a.store.Update(func(s *state.Snapshot) {
		if !trusts(s, q.of) {
			s.Trusted = append(slices.Clone(s.Trusted), state.Trust{SessionID: q.of.SessionID, Client: q.of.Client})
		}
	})
	for id, o := range a.open {
		if o.of.SessionID == q.of.SessionID && o.of.Client == q.of.Client {
			delete(a.open, id)
			o.answers <- catalog.ApprovalAnswer{ApprovalID: id, Approve: true}
		}
	}
	return nil
}

// Distrust asks again about what runs in a session; "" is all of them.
func (a *Approvals) Distrust(session string) {
	a.store.Update(func(s *state.Snapshot) {
		s.Trusted = slices.DeleteFunc(slices.Clone(s.Trusted), func(t state.Trust) bool { return session == "" || t.SessionID == session })
	})
}

// trusts tells whether a question needs not be asked: the user allowed it for the
// session.
func trusts(s *state.Snapshot, q catalog.Approval) bool {
	return slices.Contains(s.Trusted, state.Trust{SessionID: q.SessionID, Client: q.Client})
}

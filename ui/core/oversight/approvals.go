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

// Access modes: what the settings allow an assistant to do.
const (
	AccessAllow    = "allow"     // everything
	AccessAsk      = "ask"       // run code after the user has approved it
	AccessReadOnly = "read_only" // nothing that changes anything
)

// AccessModes lists the access modes, from most to least access.
var AccessModes = []string{AccessAllow, AccessAsk, AccessReadOnly}

// ErrUnanswered means that the user did not answer a question in time.
var ErrUnanswered error = unansweredError{}

type unansweredError struct{}

// Error returns a message.
func (unansweredError) Error() string { return "the user did not answer in time" }

// ExecutionCode returns the error code of the execution that was not approved.
func (unansweredError) ExecutionCode() string { return catalog.CodeApprovalTimeout }

// ErrUnknownApproval means that there is no open question with an id.
var ErrUnknownApproval = errors.New("this question is no longer open")

// A DeniedError means that the user denied an approval.
type DeniedError struct{ Words string } // the user's; may be empty

// Error returns a message with the user's words.
func (e *DeniedError) Error() string {
	if e.Words == "" {
		return "the user said no"
	}
	return "the user said no: " + e.Words
}

// ExecutionCode returns the error code of the execution that was denied.
func (e *DeniedError) ExecutionCode() string { return catalog.CodeDenied }

// Approvals holds the questions that the user has not yet answered.
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

// NewApprovals returns an Approvals that adds open questions to the snapshots of store, and
// calls notify, which must not block, when a question is asked and when it is closed.
func NewApprovals(store *state.Store, notify func(catalog.ChangeName, catalog.Approval)) *Approvals {
	return &Approvals{store: store, notify: notify, open: make(map[string]question)}
}

// Ask asks the user to approve code, and waits for the answer. It returns the code to run,
// which the user may have edited. If the user trusts the client in this session, Ask returns
// immediately. The error is a *DeniedError, ErrUnanswered after patience, or the cause of
// ctx.
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

// Answer answers an open question, or returns ErrUnknownApproval. If the user approves for
// the whole session, Answer also approves the client's other questions in that session, and
// Ask no longer asks for them.
func (a *Approvals) Answer(answer catalog.ApprovalAnswer) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	q, ok := a.open[answer.ApprovalID]
	if !ok {
		return fmt.Errorf("%w: %q", ErrUnknownApproval, answer.ApprovalID)
	}
	delete(a.open, answer.ApprovalID)
	q.answers <- answer // never blocks: each question is answered only once
	if !answer.Approve || !answer.Session || q.of.Kernel != nil {
		return nil
	}
	a.store.Update(func(s *state.Snapshot) {
		if !trusts(s, q.of) {
			s.Trusted = append(slices.Clone(s.Trusted), state.Trust{SessionID: q.of.SessionID, Client: q.of.Client})
		}
	})
	for id, o := range a.open {
		if o.of.SessionID == q.of.SessionID && o.of.Client == q.of.Client && o.of.Kernel == nil {
			delete(a.open, id)
			o.answers <- catalog.ApprovalAnswer{ApprovalID: id, Approve: true}
		}
	}
	return nil
}

// Distrust makes Ask ask again in a session that the user approved as a whole. "" means all
// sessions.
func (a *Approvals) Distrust(session string) {
	a.store.Update(func(s *state.Snapshot) {
		s.Trusted = slices.DeleteFunc(slices.Clone(s.Trusted), func(t state.Trust) bool { return session == "" || t.SessionID == session })
	})
}

// trusts reports whether the user has approved all code from the client in the session. That
// does not let it connect to the kernel again.
func trusts(s *state.Snapshot, q catalog.Approval) bool {
	return q.Kernel == nil && slices.Contains(s.Trusted, state.Trust{SessionID: q.SessionID, Client: q.Client})
}

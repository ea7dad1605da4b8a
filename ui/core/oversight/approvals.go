package oversight

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/command"
	"easel/ui/core/rights"
	"easel/ui/core/state"
)

// Access modes: what the settings allow an assistant to do.
const (
	AccessAllow    = "allow"     // everything
	AccessAskRisky = "ask_risky" // run code, but what may affect more than its kernel's memory only after the user has approved it
	AccessAsk      = "ask"       // run code after the user has approved it
	AccessReadOnly = "read_only" // nothing that changes anything
)

// AccessModes lists the access modes, from most to least access.
var AccessModes = []string{AccessAllow, AccessAskRisky, AccessAsk, AccessReadOnly}

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
type DeniedError struct {
	Words string // the user's; may be empty
	// Earlier is when the user denied the same request, after its call had returned. It is
	// zero if the user was asked now.
	Earlier time.Time
}

// Error returns a message with the user's words.
func (e *DeniedError) Error() string {
	said := "the user said no"
	if !e.Earlier.IsZero() {
		said += " to the same request, at " + e.Earlier.UTC().Format(time.RFC3339) + ", when the call no longer waited"
	}
	if e.Words == "" {
		return said
	}
	return said + ": " + e.Words
}

// ExecutionCode returns the error code of the execution that was denied.
func (e *DeniedError) ExecutionCode() string { return catalog.CodeDenied }

// Approvals holds the questions that the user has not yet answered, and the answers that
// their callers do not know yet.
type Approvals struct {
	store  *state.Store
	notify func(catalog.ChangeName, catalog.Approval)
	form   Former // nil: no question is shown outside of the window

	mu      sync.Mutex
	open    map[string]question // by id
	answers []lateAnswer        // that the caller does not know yet, oldest first
	early   []string            // ids of questions whose call returned before they were asked
}

type question struct {
	of       catalog.Approval
	answers  chan reply // one slot
	audience *audience  // nil if only one call waits
}

// A reply is the answer to a question.
type reply struct {
	command.ApprovalAnswer
	trusted bool // the user answered another question, for the whole session
}

// NewApprovals returns an Approvals that adds open questions to the snapshots of store, and
// calls notify, which must not block, when a question is asked and when it is closed. form may be nil.
func NewApprovals(store *state.Store, form Former, notify func(catalog.ChangeName, catalog.Approval)) *Approvals {
	return &Approvals{store: store, form: form, notify: notify, open: make(map[string]question)}
}

// A Consent is the user's approval.
type Consent struct {
	Code string // to run; the user may have edited it
	// Trusted means that the user has not approved this code but everything from the client in
	// the session. That no longer counts once the user has taken it back.
	Trusted bool
}

// Ask asks the user to approve code, and waits for the answer. If the user trusts the client
// in this session, or has answered the same question too late, Ask returns immediately. The
// error is a *DeniedError, ErrUnanswered after Settings.AskFor, or the cause of ctx. The user can
// still answer an unanswered question; the answer counts for the next one that is the same.
func (a *Approvals) Ask(ctx context.Context, q catalog.Approval) (Consent, error) {
	var none Consent
	if allowed(a.store.Snapshot(), q) {
		return Consent{q.Code, true}, nil
	}
	if earlier, ok := a.take(q); ok {
		if !earlier.answer.Approve {
			return none, &DeniedError{Words: earlier.answer.Words, Earlier: earlier.at}
		}
		return Consent{Code: cmp.Or(earlier.answer.Code, q.Code)}, nil
	}
	patience := time.Duration(a.store.Snapshot().Settings.AskFor * float64(time.Second))
	answers := make(chan reply, 1)
	now := time.Now()
	q.AskedAt, q.Deadline = now.UTC(), now.Add(patience).UTC()
	a.offer(ctx, &q)
	a.mu.Lock()
	q.Returned = slices.Contains(a.early, q.ApprovalID)
	who := audienceOf(ctx)
	a.open[q.ApprovalID] = question{q, answers, who}
	a.store.Update(func(s *state.Snapshot) {
		s.Approvals = append(slices.Clone(s.Approvals), q)
		s.Expired = without(s.Expired, func(o catalog.Approval) bool { return same(o, q) })
	})
	a.mu.Unlock()
	if who != nil {
		who.watch(func(waited, gone bool) { a.attend(q.ApprovalID, !waited, gone) })
	}
	a.notify(catalog.ApprovalRequested, q)
	defer func() {
		a.mu.Lock()
		delete(a.open, q.ApprovalID)
		a.mu.Unlock()
		a.store.Update(func(s *state.Snapshot) {
			s.Approvals = without(s.Approvals, func(o catalog.Approval) bool { return o.ApprovalID == q.ApprovalID })
			if q.Outcome == unanswered && !asksAgain(q) {
				s.Expired = append(slices.Clone(s.Expired[max(0, len(s.Expired)+1-mostExpired):]), q)
			}
		})
		a.notify(catalog.ApprovalAnswered, q)
	}()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case answer := <-answers:
		if !answer.Approve {
			q.Outcome = "denied"
			return none, &DeniedError{Words: answer.Words}
		}
		q.Outcome = "approved"
		return Consent{cmp.Or(answer.Code, q.Code), answer.trusted}, nil
	case <-timer.C:
		q.Outcome = unanswered
		return none, ErrUnanswered
	case <-ctx.Done():
		q.Outcome = "withdrawn"
		return none, context.Cause(ctx)
	}
}

// AskToRun asks the user to approve the code of an execution, as Ask does. risks are all that are in it, and because are those
// because of which the user is asked; none if it is because it is code.
func (a *Approvals) AskToRun(ctx context.Context, x catalog.Execution, by Sender, risks, because []catalog.Risk) (Consent, error) {
	return a.Ask(ctx, catalog.Approval{
		ApprovalID: x.ExecutionID, ExecutionID: x.ExecutionID, SessionID: x.SessionID,
		Client: by.Trust.Client, Holder: by.Trust.Holder, Assistant: by.Assistant, Root: by.Project,
		Code: x.Code, Risks: risks, Because: because, Call: by.Call, Forms: by.Forms,
	})
}

// Answer answers an open question, or one that has expired, or returns ErrUnknownApproval. If
// the user approves for the whole session, Answer also approves the client's other questions
// in that session, and Ask no longer asks for them.
func (a *Approvals) Answer(answer command.ApprovalAnswer) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	q, ok := a.open[answer.ApprovalID]
	switch {
	case !ok && answer.Where != "": // what has expired is in the window only
		return fmt.Errorf("%w: %q", ErrUnknownApproval, answer.ApprovalID)
	case !ok:
		return a.answerExpired(answer)
	}
	a.close(q, reply{ApprovalAnswer: answer})
	if !a.trust(q.of, answer) {
		return nil
	}
	s := a.store.Snapshot()
	for id, o := range a.open {
		if allowed(s, o.of) {
			a.close(o, reply{command.ApprovalAnswer{ApprovalID: id, Approve: true}, true})
		}
	}
	return nil
}

// close answers an open question. The caller holds a.mu.
func (a *Approvals) close(q question, answer reply) {
	delete(a.open, q.of.ApprovalID)
	q.answers <- answer // never blocks: each question is answered only once
	a.keep(q.of, answer.ApprovalAnswer)
}

// trust keeps what an answer allows beyond its question. ok reports whether it allows any of that.
func (a *Approvals) trust(q catalog.Approval, answer command.ApprovalAnswer) (ok bool) {
	if !answer.Approve {
		return false
	}
	var given []state.Trust
	switch {
	case answer.Session && q.Trustable():
		given = []state.Trust{trustOf(q)}
	case answer.Kinds == command.KindsInSession && q.Recognisable():
		for _, k := range q.Kinds() {
			t := trustOf(q)
			t.Kind = rights.Kind(k)
			given = append(given, t)
		}
	case answer.Kinds == command.KindsInProject && Lasting(q):
		a.store.Update(func(s *state.Snapshot) {
			s.EditAssistant(q.Assistant, func(x *state.Assistant) {
				x.Allowed = slices.Clone(x.Allowed)
				for _, k := range q.Kinds() {
					if p := (state.ProjectKind{Project: q.Root, Kind: rights.Kind(k)}); !slices.Contains(x.Allowed, p) {
						x.Allowed = append(x.Allowed, p)
					}
				}
			})
		})
		return true
	}
	if len(given) == 0 {
		return false
	}
	a.store.Update(func(s *state.Snapshot) {
		s.Trusted = slices.Clone(s.Trusted)
		for _, t := range given {
			if !slices.Contains(s.Trusted, t) {
				s.Trusted = append(s.Trusted, t)
			}
		}
	})
	return true
}

// Lasting reports whether the user can allow the kinds of what a question is about once and for all: its assistant has a token of
// its own, and its session works in a project.
func Lasting(q catalog.Approval) bool {
	return q.Root != "" && q.Assistant != "" && q.Assistant != tool.Others && len(q.Kinds()) > 0
}

// allowed reports whether what the user has allowed beyond other questions answers this one.
func allowed(s *state.Snapshot, q catalog.Approval) bool {
	if q.Trustable() && trusts(s, trustOf(q)) {
		return true
	}
	kinds, by := q.Kinds(), Sender{Assistant: q.Assistant, Project: q.Root, Trust: trustOf(q)}
	return len(kinds) > 0 && !slices.ContainsFunc(kinds, func(k string) bool { return !grants(s, by, rights.Kind(k)) })
}

// Distrust makes Ask ask again in a session that the user approved as a whole, or where an
// approval came too late. "" means all sessions.
func (a *Approvals) Distrust(session string) {
	a.mu.Lock()
	a.answers = slices.DeleteFunc(a.answers, func(k lateAnswer) bool {
		return k.answer.Approve && k.expired && (session == "" || k.of.SessionID == session)
	})
	a.mu.Unlock()
	a.store.Update(func(s *state.Snapshot) {
		s.Trusted = slices.DeleteFunc(slices.Clone(s.Trusted), func(t state.Trust) bool { return session == "" || t.SessionID == session })
	})
}

// Ended revokes the trust in a client's process or MCP session, which has ended. Its questions are
// withdrawn, except those about code, which the user may still want to see run.
func (a *Approvals) Ended(holder string) {
	a.mu.Lock()
	open := slices.Collect(maps.Values(a.open))
	a.mu.Unlock()
	for _, q := range open {
		switch {
		case q.audience != nil:
			q.audience.end(holder)
		case q.of.Holder == holder && holder != "":
			a.attend(q.of.ApprovalID, true, true)
		}
	}
	if !slices.ContainsFunc(a.store.Snapshot().Trusted, func(t state.Trust) bool { return t.Holder == holder }) {
		return
	}
	a.store.Update(func(s *state.Snapshot) {
		s.Trusted = slices.DeleteFunc(slices.Clone(s.Trusted), func(t state.Trust) bool { return t.Holder == holder })
	})
}

// trustOf returns what the user allows with an approval of q for the session.
func trustOf(q catalog.Approval) state.Trust {
	return state.Trust{SessionID: q.SessionID, Client: q.Client, Holder: q.Holder, Assistant: q.Assistant}
}

// trusts reports whether the user has approved all code from a client in a session. Nobody is trusted who cannot be
// recognised; see catalog.Approval.Recognisable.
func trusts(s *state.Snapshot, t state.Trust) bool {
	return catalog.Approval{Holder: t.Holder, Assistant: t.Assistant}.Recognisable() && slices.Contains(s.Trusted, t)
}

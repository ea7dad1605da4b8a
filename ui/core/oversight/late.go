package oversight

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"easel/mcphost/catalog"
	"easel/ui/core/command"
	"easel/ui/core/state"
)

const (
	mostExpired = 5   // unanswered questions that the user can still answer: the newest
	mostAnswers = 100 // answers that are kept for their callers: the newest
	mostEarly   = 20  // calls that returned before their question was asked

	unanswered = "unanswered" // the outcome of a question that has expired
)

// A lateAnswer is a question with the user's answer, until the caller knows it.
type lateAnswer struct {
	of      catalog.Approval
	answer  command.ApprovalAnswer
	at      time.Time
	expired bool // the question had expired; an approval counts for the next one
	told    bool // Late has returned it
}

// asksAgain reports whether the caller of a question calls again for the result, and gets the answer then.
func asksAgain(q catalog.Approval) bool { return q.Check || q.Tool != "" }

// keep keeps an answer until Told. The caller holds a.mu.
func (a *Approvals) keep(q catalog.Approval, answer command.ApprovalAnswer) {
	if asksAgain(q) {
		return
	}
	k := lateAnswer{of: q, answer: answer, at: time.Now(), expired: q.Outcome == unanswered}
	a.answers = append(slices.Clone(a.answers[max(0, len(a.answers)+1-mostAnswers):]), k)
}

// answerExpired answers or closes a question that has expired. The caller holds a.mu.
func (a *Approvals) answerExpired(answer command.ApprovalAnswer) error {
	expired := a.store.Snapshot().Expired
	i := slices.IndexFunc(expired, func(q catalog.Approval) bool { return q.ApprovalID == answer.ApprovalID })
	if i < 0 {
		return fmt.Errorf("%w: %q", ErrUnknownApproval, answer.ApprovalID)
	}
	q := expired[i]
	a.store.Update(func(s *state.Snapshot) {
		s.Expired = without(s.Expired, func(o catalog.Approval) bool { return o.ApprovalID == q.ApprovalID })
	})
	if answer.Dismiss {
		return nil
	}
	a.keep(q, answer)
	a.trust(q, answer)
	q.Outcome = "denied"
	if answer.Approve {
		q.Outcome = "approved"
	}
	a.notify(catalog.ApprovalAnswered, q)
	return nil
}

// take returns the answer that the user gave to the same question when its call no longer
// waited, and forgets it. An approval of code that has run since is not such an answer.
func (a *Approvals) take(q catalog.Approval) (lateAnswer, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for i, k := range slices.Backward(a.answers) {
		if same(k.of, q) && (k.expired || !k.answer.Approve) {
			a.answers = slices.Delete(a.answers, i, i+1)
			return k, true
		}
	}
	return lateAnswer{}, false
}

// Returned notes whether the calls that wait for the answer to a question have returned. A call
// that waits for nothing may return before its question is asked.
func (a *Approvals) Returned(id string, yes bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	i := slices.IndexFunc(a.store.Snapshot().Approvals, func(q catalog.Approval) bool { return q.ApprovalID == id })
	if i < 0 {
		a.early = slices.DeleteFunc(a.early, func(o string) bool { return o == id })
		if yes {
			a.early = append(slices.Clone(a.early[max(0, len(a.early)+1-mostEarly):]), id)
		}
		return
	}
	a.attend(id, yes, yes && a.store.Snapshot().Approvals[i].Deserted)
}

// attend notes of an open question whether no call waits for its answer, and whether that is because
// its caller has given up.
func (a *Approvals) attend(id string, returned, deserted bool) {
	is := func(q catalog.Approval) bool {
		return q.ApprovalID == id && (q.Returned != returned || q.Deserted != deserted)
	}
	if !slices.ContainsFunc(a.store.Snapshot().Approvals, is) {
		return
	}
	a.store.Update(func(s *state.Snapshot) {
		if i := slices.IndexFunc(s.Approvals, is); i >= 0 {
			s.Approvals = slices.Clone(s.Approvals)
			s.Approvals[i].Returned, s.Approvals[i].Deserted = returned, deserted
		}
	})
}

// Told notes that the caller knows the answer to a question, for example from the result of
// its call.
func (a *Approvals) Told(id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.answers = slices.DeleteFunc(a.answers, func(k lateAnswer) bool { return k.of.ApprovalID == id && !k.expired })
}

// Late returns the answers that the caller was not told, of the questions that concern it,
// oldest first. It returns each of them once. A denial still counts for the next question
// that is the same.
func (a *Approvals) Late(concerns func(catalog.Approval) bool) (late []catalog.LateAnswer) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for i, k := range a.answers {
		if k.told || !concerns(k.of) {
			continue
		}
		a.answers[i].told = true
		project := ""
		if k.of.Project != nil {
			project = k.of.Project.Root
		}
		late = append(late, catalog.LateAnswer{
			Project:  project,
			Approved: k.answer.Approve, Reason: k.answer.Words, Code: k.of.Code,
			Edited: k.answer.Approve && cmp.Or(k.answer.Code, k.of.Code) != k.of.Code, SessionID: k.of.SessionID,
			ExecutionID: k.of.ExecutionID, AnsweredAt: k.at.UTC(), Expired: k.expired, Kernel: k.of.Kernel != nil,
		})
	}
	return late
}

// Pending reports whether there are answers that no caller was told.
func (a *Approvals) Pending() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.ContainsFunc(a.answers, func(k lateAnswer) bool { return !k.told })
}

// same reports whether an answer to one question counts for the other: a client wants to run
// the same code in the same session, to connect to the same kernel, or to
// work in the same project.
func same(a, b catalog.Approval) bool {
	if a.Project != nil || b.Project != nil {
		return a.Project != nil && b.Project != nil && a.Project.Root == b.Project.Root && a.Client == b.Client &&
			a.Assistant == b.Assistant
	}
	return a.SessionID == b.SessionID && a.Client == b.Client && a.Assistant == b.Assistant && a.Code == b.Code &&
		(a.Kernel == nil) == (b.Kernel == nil) &&
		!asksAgain(a) && !asksAgain(b)
}

// without returns the questions that drop does not match. It does not change its argument.
func without(questions []catalog.Approval, drop func(catalog.Approval) bool) []catalog.Approval {
	return slices.DeleteFunc(slices.Clone(questions), drop)
}

package oversight

import (
	"context"
	"fmt"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/command"
	"easel/ui/core/state"
)

// A Former says a question in words for where Easel's window does not show it. approvals are the answers that allow what it asks about.
type Former func(s *state.Snapshot, q catalog.Approval, approvals []command.ApprovalAnswer) *catalog.QuestionForm

// mostInChat is how long the text of a question in a chat may be, in bytes. A longer one would be cut, and nobody should approve code
// that they have not seen to its end.
const mostInChat = 16_000

// offer gives a question its form in the chat of the client that it is from, if that shows it.
func (a *Approvals) offer(ctx context.Context, q *catalog.Approval) {
	if q.Call == 0 {
		caller := tool.CallerFrom(ctx)
		q.Call, q.Forms = caller.Call, caller.Forms
	}
	if q.Call == 0 || !inChat(a.store.Snapshot(), *q) {
		return
	}
	if f := a.Form(*q); f != nil && f.InChat != "" && len(f.InChat) <= mostInChat {
		q.Chat = f
	}
}

// visible reports whether somebody could see a question: in the window, in a terminal, or whole in the chat that it comes from.
func (a *Approvals) visible(ctx context.Context, q catalog.Approval) bool {
	if s := a.store.Snapshot(); s.Window != state.WindowNone || s.Terminals > 0 {
		return true
	}
	a.offer(ctx, &q)
	return q.Chat != nil
}

// inChat reports whether the client of a question shows it.
func inChat(s *state.Snapshot, q catalog.Approval) bool {
	return s.AsksInChat(tool.Caller{Assistant: q.Assistant, Forms: q.Forms}, q.Project != nil || q.Kernel != nil)
}

// Form returns a question in words; nil if nothing can say it.
func (a *Approvals) Form(q catalog.Approval) *catalog.QuestionForm {
	if a.form == nil {
		return nil
	}
	return a.form(a.store.Snapshot(), q, elsewhere(q))
}

// elsewhere returns the approvals that the form of a question offers: once, and for its kinds in the session.
func elsewhere(q catalog.Approval) []command.ApprovalAnswer {
	all := []command.ApprovalAnswer{{Approve: true}}
	if len(q.Kinds()) > 0 && q.Recognisable() {
		all = append(all, command.ApprovalAnswer{Approve: true, Kinds: command.KindsInSession})
	}
	return all
}

// AnswerOf returns what a choice in the form of an open question means. The error says that the question is no longer open, or was
// not asked there.
func (a *Approvals) AnswerOf(in catalog.QuestionAnswer) (command.ApprovalAnswer, error) {
	none := command.ApprovalAnswer{}
	a.mu.Lock()
	open, ok := a.open[in.ApprovalID]
	a.mu.Unlock()
	switch {
	case !ok:
		return none, fmt.Errorf("%w: %q", ErrUnknownApproval, in.ApprovalID)
	case in.Where == catalog.InChat && (open.of.Chat == nil || !inChat(a.store.Snapshot(), open.of)): // the user may have changed their mind
		return none, fmt.Errorf("%w in a chat: %q", ErrUnknownApproval, in.ApprovalID)
	}
	approvals := elsewhere(open.of)
	answer := command.ApprovalAnswer{}
	if in.Choice >= 0 && in.Choice < len(approvals) {
		answer = approvals[in.Choice]
	} else if in.Choice != len(approvals) {
		return none, fmt.Errorf("%w: it has no answer %d", ErrUnknownApproval, in.Choice)
	}
	answer.ApprovalID, answer.Where = in.ApprovalID, in.Where
	if !answer.Approve {
		answer.Words = in.Words
	}
	return answer, nil
}

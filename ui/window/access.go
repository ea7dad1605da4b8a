package window

import (
	"easel/mcphost/catalog"
	"easel/ui/core/state"
	"easel/ui/window/kit"
	"easel/ui/window/requests"
)

// answer sends the user's answer to a question.
func (a *App) answer(in catalog.ApprovalAnswer, done func(error)) {
	requests.TopicFinally(a.requests, "answer_approval", catalog.AnswerApproval, in, func(_ struct{}, err error) { done(err) })
}

// approvalEnded says why a question disappeared that nobody answered in the window.
func (a *App) approvalEnded(q catalog.Approval) {
	key := map[string]string{"unanswered": "ask.unanswered", "withdrawn": "ask.withdrawn"}[q.Outcome]
	if key == "" {
		return
	}
	a.cfg.Do(func() {
		if !a.closed {
			delete(a.drafts, q.ApprovalID)
			a.shell.flash(kit.MarkWait, a.shell.k.T(key, q.Client))
		}
	})
}

// distrust makes assistants ask again before they run code in a session.
func (a *App) distrust(session string) {
	requests.Topic(a.requests, "distrust", catalog.Distrust, catalog.DistrustIn{SessionID: session}, nil)
}

// setAccess sets what assistants may do. It revokes what was allowed for sessions,
// because the user has reconsidered.
func (a *App) setAccess(mode string) {
	a.cfg.Store.Update(func(s *state.Snapshot) {
		if s.Settings.Access != mode {
			s.Settings.Access, s.Trusted = mode, nil
		}
	})
}

// togglePause pauses or resumes the AI. Only the user can do that; there is no tool for
// it.
func (a *App) togglePause() {
	a.cfg.Store.Update(func(s *state.Snapshot) { s.Paused = !s.Paused })
	if n := a.cfg.Store.Snapshot(); n.Hold() == state.HeldRunning {
		a.shell.offer(kit.MarkWait, a.shell.k.T("hold.goes_on", state.Titles(n.Busy())), a.shell.k.T("top.interrupt"), a.sessions.InterruptAll)
		a.shell.toast.holds = func(n *state.Snapshot) bool { return n.Hold() == state.HeldRunning }
	}
}

package window

import (
	"context"

	"easel/mcphost/catalog"
	"easel/ui/core/state"
	"easel/ui/window/kit"
)

// answer sends the user's answer to a question.
func (a *App) answer(in catalog.ApprovalAnswer, done func(error)) {
	a.tasks.Go(func() {
		_, err := catalog.AnswerApproval.Ask(asUser(a.ctx), a.cfg.Bus, in)
		a.finishAction("answer_approval", err, func() { done(err) })
	})
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
	a.background("distrust", func(ctx context.Context) error {
		_, err := catalog.Distrust.Ask(asUser(ctx), a.cfg.Bus, catalog.DistrustIn{SessionID: session})
		return err
	}, nil)
}

// pinSession pins a session, which is then kept however long it is unused, or unpins it.
func (a *App) pinSession(id string, on bool) {
	a.background("pin", func(ctx context.Context) error {
		_, err := catalog.PinSession.Ask(asUser(ctx), a.cfg.Bus, catalog.PinSessionIn{SessionID: id, Pinned: on})
		return err
	}, nil)
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

// Package access controls what assistants may do, for the user: pause, the access mode,
// trusted sessions, and the answers to questions.
//
// # Goroutines
//
// A Control belongs to the UI goroutine, except that Ended may be called from any
// goroutine. Its requests run in the Sender's goroutines.
package access

import (
	"strings"

	"easel/mcphost/catalog"
	"easel/ui/core/command"
	"easel/ui/core/oversight"
	"easel/ui/core/state"
	"easel/ui/window/kit"
	"easel/ui/window/requests"
)

// A Port is what a Control may read and do in the window.
type Port struct {
	Kit      func() *kit.Kit // in the current language
	Snapshot func() *state.Snapshot
	Update   func(edit func(*state.Snapshot)) // changes the state
	Requests *requests.Sender

	Say func(m kit.Mark, text string)
	// Say with a button, while holds returns true
	OfferWhile   func(m kit.Mark, text, label string, do func(), holds func(*state.Snapshot) bool)
	InterruptAll func() // interrupts all running sessions
}

// A Control acts for the user of one window.
type Control struct {
	port Port

	// Drafts contains the code that the user is editing before it runs, by approval.
	Drafts map[string]string
}

// New returns a Control.
func New(p Port) *Control { return &Control{port: p, Drafts: make(map[string]string)} }

// Answer sends the user's answer to a question. It shows an error and then calls done.
func (c *Control) Answer(in command.ApprovalAnswer, done func(error)) {
	requests.TopicFinally(c.port.Requests, "answer_approval", command.AnswerApproval, in, func(_ struct{}, err error) { done(err) })
}

// Ended shows why a question disappeared that was not answered in the window.
func (c *Control) Ended(q catalog.Approval) {
	key := map[string]string{"unanswered": "ask.unanswered", "withdrawn": "ask.withdrawn"}[q.Outcome]
	if key == "" {
		return
	}
	c.port.Requests.Post(func() {
		if q.Outcome == "withdrawn" { // one that has expired can still be answered
			delete(c.Drafts, q.ApprovalID)
		}
		c.port.Say(kit.MarkWait, c.port.Kit().T(key, q.Client))
	})
}

// Distrust makes assistants ask again before they run code in a session, or in all
// sessions if it is "".
func (c *Control) Distrust(session string) {
	requests.Topic(c.port.Requests, "distrust", command.Distrust, command.DistrustIn{SessionID: session}, nil)
}

// Set sets what assistants may do. It revokes what was allowed for sessions, because the
// user has reconsidered. It says what becomes of code that waits.
func (c *Control) Set(mode string) {
	if n := c.port.Snapshot(); n.Settings.Access == mode && !n.Settings.ChooseAccess {
		return
	}
	waiting := c.port.Snapshot().Waiting()
	c.port.Update(func(s *state.Snapshot) { s.Settings.Access, s.Settings.ChooseAccess, s.Trusted = mode, false, nil })
	if key := map[string]string{oversight.AccessAsk: "access.asks", oversight.AccessReadOnly: "access.dropped"}[mode]; key != "" &&
		waiting > 0 {
		c.port.Say(kit.MarkWait, c.port.Kit().T(key, waiting))
	}
}

// TogglePause pauses or resumes the AI. Only the user can do that; there is no tool for
// it.
func (c *Control) TogglePause() {
	c.port.Update(func(s *state.Snapshot) { s.Paused = !s.Paused })
	n, k := c.port.Snapshot(), c.port.Kit()
	waits := ""
	if waiting := n.Waiting(); n.Paused && waiting > 0 {
		waits = k.T("hold.waits", waiting)
	}
	switch {
	case n.Hold() == state.HeldRunning:
		text := strings.TrimSuffix(k.T("hold.goes_on", state.Titles(n.Busy()))+" · "+waits, " · ")
		c.port.OfferWhile(kit.MarkWait, text, k.T("top.interrupt"), c.port.InterruptAll,
			func(n *state.Snapshot) bool { return n.Hold() == state.HeldRunning })
	case waits != "":
		c.port.Say(kit.MarkWait, waits)
	}
}

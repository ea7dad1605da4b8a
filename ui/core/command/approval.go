package command

import (
	"time"

	"easel/eventbus"
	"easel/mcphost/catalog"
)

// An ApprovalAnswer is the user's answer to an Approval.
type ApprovalAnswer struct {
	ApprovalID string
	Approve    bool
	Code       string // the code to run instead, if the user edited it
	Words      string // message to the assistant, with a refusal
	// Session, with an approval, allows the same client everything else in the same
	// session without further questions, as long as its process or MCP session lives. It
	// has no effect if the question is not Trustable.
	Session bool
	// Kinds, with an approval, allows the kinds of what was asked about, as catalog.Approval.Kinds has them: in the session, as
	// long as the same process or MCP session lives, or in its project until the user takes it back.
	Kinds KindsFor
	// Where says where the user has answered: catalog.InChat, catalog.InTerminal, or "" in the window.
	Where string
	// Dismiss closes a request that has expired, without an answer.
	Dismiss bool
}

// DistrustIn names the session in which clients must ask again; "" means all sessions.
type DistrustIn struct{ SessionID string }

// Distrust revokes what an answer with Session allowed.
var Distrust = eventbus.NewTopic[DistrustIn, struct{}]("distrust")

// AnswerApproval answers an open question. No tool can.
var AnswerApproval = eventbus.NewTopic[ApprovalAnswer, struct{}]("answer_approval")

// KindsFor says where an answer allows kinds of actions.
type KindsFor int

// Where an answer allows kinds.
const (
	KindsOnce KindsFor = iota // nowhere: it is about this question
	KindsInSession
	KindsInProject
)

// A TerminalQuestion is an open question as a terminal shows it.
type TerminalQuestion struct {
	ID       string               `json:"id"`
	AskedAt  time.Time            `json:"asked_at"`
	Deadline time.Time            `json:"deadline"`
	Form     catalog.QuestionForm `json:"form"`
}

// A TerminalRequest is what a terminal asks of the running Easel: the open questions, or to answer one.
type TerminalRequest struct {
	Wait   bool                    `json:"wait,omitempty"` // until other questions are open than Known
	Known  []string                `json:"known,omitempty"`
	Answer *catalog.QuestionAnswer `json:"answer,omitempty"`
}

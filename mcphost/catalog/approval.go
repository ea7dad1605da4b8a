package catalog

import (
	"time"

	"easel/eventbus"
)

// An Approval is a question to the person at the desk: may this run?
type Approval struct {
	ApprovalID  string    `json:"approval_id"`
	ExecutionID string    `json:"execution_id"`
	SessionID   string    `json:"session_id"`
	Client      string    `json:"client"`
	Code        string    `json:"code"`
	AskedAt     time.Time `json:"asked_at"`
	Deadline    time.Time `json:"deadline"`
	Outcome     string    `json:"outcome,omitempty" jsonschema:"approved, denied, unanswered or withdrawn"`
}

// An ApprovalAnswer is what the person at the desk says to it.
type ApprovalAnswer struct {
	ApprovalID string
	Approve    bool
	Code       string // what to run instead, if they edited it
	Words      string // to the assistant, with a no
	// Session lets, with a yes, the same client run what else it wants in the same
	// session, without being asked again.
	Session bool
}

// DistrustIn names the session in which clients are asked about again; "" is all.
type DistrustIn struct{ SessionID string }

// Distrust takes back what an answer with Session allowed. Only the window does.
var Distrust = eventbus.NewTopic[DistrustIn, struct{}]("distrust")

// AnswerApproval answers an open question. Only the window does: no tool reaches
// it.
var AnswerApproval = eventbus.NewTopic[ApprovalAnswer, struct{}]("answer_approval")

package catalog

import (
	"time"

	"easel/eventbus"
)

// An Approval is a question to the user: may this run?
type Approval struct {
	ApprovalID  string    `json:"approval_id" jsonschema:"id of the approval request"`
	ExecutionID string    `json:"execution_id" jsonschema:"the execution that waits"`
	SessionID   string    `json:"session_id" jsonschema:"the session to run it in"`
	Client      string    `json:"client" jsonschema:"name and version of the client that wants to run the code"`
	Code        string    `json:"code" jsonschema:"what it wants to run"`
	AskedAt     time.Time `json:"asked_at" jsonschema:"when the user was asked"`
	Deadline    time.Time `json:"deadline" jsonschema:"when the request expires"`
	Outcome     string    `json:"outcome,omitempty" enum:"approved,denied,unanswered,withdrawn" jsonschema:"absent while it waits for an answer"`
}

// An ApprovalAnswer is what the user says to it.
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

package catalog

import (
	"time"

	"easel/eventbus"
)

// An Approval asks the user whether code may run, or whether Easel may connect to a kernel.
type Approval struct {
	ApprovalID  string `json:"approval_id" jsonschema:"id of the approval request"`
	ExecutionID string `json:"execution_id" jsonschema:"the execution that waits"`
	SessionID   string `json:"session_id" jsonschema:"the session to run it in"`
	Client      string `json:"client" jsonschema:"name and version of the client that wants to run the code"`
	Code        string `json:"code" jsonschema:"what it wants to run"`
	Check       bool   `json:"check,omitempty" jsonschema:"the code ran before; it is to run again in a new kernel, to check a plot"`
	// Kernel is set if the question is whether Easel may connect to it. Then there is no code.
	Kernel   *Session  `json:"kernel,omitempty" jsonschema:"the question is whether the client may connect to this kernel, which no Jupyter server runs; there is no code"`
	AskedAt  time.Time `json:"asked_at" jsonschema:"when the user was asked"`
	Deadline time.Time `json:"deadline" jsonschema:"when the request expires"`
	Outcome  string    `json:"outcome,omitempty" enum:"approved,denied,unanswered,withdrawn" jsonschema:"absent while it waits for an answer"`
}

// An ApprovalAnswer is the user's answer to an Approval.
type ApprovalAnswer struct {
	ApprovalID string
	Approve    bool
	Code       string // the code to run instead, if the user edited it
	Words      string // message to the assistant, with a refusal
	// Session, with an approval, allows the same client everything else in the same
	// session without further questions.
	Session bool
}

// PermitKernel asks the user whether Easel may connect to a kernel, and waits for the answer.
var PermitKernel = eventbus.NewTopic[Session, struct{}]("permit_kernel")

// DistrustIn names the session in which clients must ask again; "" means all sessions.
type DistrustIn struct{ SessionID string }

// Distrust revokes what an answer with Session allowed. Only the window uses it.
var Distrust = eventbus.NewTopic[DistrustIn, struct{}]("distrust")

// AnswerApproval answers an open question. Only the window uses it: no tool can.
var AnswerApproval = eventbus.NewTopic[ApprovalAnswer, struct{}]("answer_approval")

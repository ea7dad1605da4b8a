package catalog

import (
	"slices"
	"time"

	"easel/eventbus"
	"easel/mcphost/tool"
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
	Kernel *Session `json:"kernel,omitempty" jsonschema:"the question is whether the client may connect to this kernel, which no Jupyter server runs; there is no code"`
	// Project is set if the question is whether the client may work in it. Then there is no code.
	Project *Project `json:"project,omitempty" jsonschema:"the question is whether the client may work in this project; there is no code"`
	// Tool is set if the question is whether it may be called. Then Code is what it would write, if anything.
	Tool     string    `json:"tool,omitempty" jsonschema:"the question is whether this tool may be called; code is what it would write, if anything"`
	Target   string    `json:"target,omitempty" jsonschema:"what the tool would change: a session, or the path of a notebook"`
	Kind     string    `json:"kind,omitempty" jsonschema:"what the tool changes: notebooks, sessions or gallery"`
	AskedAt  time.Time `json:"asked_at" jsonschema:"when the user was asked"`
	Deadline time.Time `json:"deadline" jsonschema:"when the request expires"`
	// Holder is the bridge's process or the MCP session that the question is from; see
	// tool.Caller. Only what it sends can be allowed for a whole session.
	Holder string `json:"-"`
	// Assistant and Root are who asks and the project that the session works in: what the user can allow once and for all.
	Assistant string `json:"-"`
	Root      string `json:"-"`
	// Call and Forms are those of the tool.Caller that the question is from.
	Call  uint64 `json:"-"`
	Forms bool   `json:"-"`
	// Chat is how the client shows the question to the user, too; nil if it does not.
	Chat *QuestionForm `json:"-"`
	// Returned is set when the call that asked no longer waits for the answer.
	Returned bool `json:"call_returned,omitempty" jsonschema:"the call that asked no longer waits; the client learns of the answer with its next call"`
	// Deserted is set when the call was cancelled, or its client has gone. Other questions come first.
	Deserted bool `json:"-"`
	// Risks say because of which places the user is asked. It is empty if they want to be asked about all code.
	Risks []Risk `json:"risks,omitempty" jsonschema:"why the user is asked, if they are asked only when it matters"`
	// Because are those of Risks because of which the user is asked.
	Because []Risk `json:"-"`
	Outcome string `json:"outcome,omitempty" enum:"approved,denied,unanswered,withdrawn" jsonschema:"absent while it waits for an answer"`
}

// Recognisable reports whether Easel knows what else is from the same process or MCP session, or from the same assistant with a token
// of its own. Another caller could claim the same name.
func (a Approval) Recognisable() bool {
	return a.Holder != "" || a.Assistant != "" && a.Assistant != tool.Others
}

// Trustable reports whether the user can allow all other code from the same caller in the same session.
func (a Approval) Trustable() bool { return a.Recognisable() && a.IsCode() }

// IsCode reports whether the question is whether code may run.
func (a Approval) IsCode() bool { return a.Kernel == nil && a.Project == nil && a.Tool == "" }

// Kinds returns the kinds of what the question is about, as the user can allow them by themselves; nil if they cannot.
func (a Approval) Kinds() (kinds []string) {
	switch {
	case a.Tool != "":
		return []string{a.Kind}
	case !a.IsCode() || a.Check:
		return nil
	}
	for _, r := range a.Because {
		if !slices.Contains(kinds, r.Kind) {
			kinds = append(kinds, r.Kind)
		}
	}
	return kinds
}

// A Project is a directory that a client wants to work in, with the Python that its code would
// run in.
type Project struct {
	Name        string `json:"name" jsonschema:"name of the directory"`
	Root        string `json:"root" jsonschema:"the directory"`
	Environment string `json:"environment,omitempty" jsonschema:"its Python; absent if it has none, so that Easel's own is used"`
	Why         Reason `json:"why,omitzero" jsonschema:"why this Python"`
	Missing     Reason `json:"missing,omitzero" jsonschema:"which environment its files describe that does not exist"`
	Command     string `json:"command,omitempty" jsonschema:"what makes that environment, in a terminal"`
}

// A Reason is a sentence about a project, and what it is made of, so that the window can say it in
// the user's language.
type Reason struct {
	Text   string `json:"text" jsonschema:"the sentence, without a period"`
	Kind   string `json:"kind" jsonschema:"one word"`
	Detail string `json:"detail,omitempty" jsonschema:"a name, path or version in it"`
}

// A LateAnswer is the user's answer to an Approval whose call no longer waited for it.
type LateAnswer struct {
	Approved    bool
	Reason      string // the user's words
	Code        string // as the client sent it
	Edited      bool   // the user approved other code instead
	SessionID   string
	ExecutionID string
	AnsweredAt  time.Time
	Expired     bool   // the request had expired before
	Kernel      bool   // the question was whether to connect to the kernel
	Project     string // root of the project that the question was about; "" for another question
}

// AnnounceAnswers returns the user's answers that the calling client was not told yet, and
// marks them as told.
var AnnounceAnswers = eventbus.NewTopic[struct{}, []LateAnswer]("announce_answers")

// A QuestionForm is a question in words, in the user's language, where Easel's window does not show it: in the chat of a client,
// or in a terminal.
type QuestionForm struct {
	Message string   `json:"message"` // lines of text: who wants what, why the user is asked, and the whole code
	Choices []string `json:"choices"` // the answers; the last one refuses
	Label   string   `json:"label"`   // of the choice
	Words   string   `json:"words"`   // label of the words for the assistant
	// InChat is Message as the client that asks can show it whole; "" if it cannot.
	InChat string `json:"-"`
	// Declines means that the client may decline without having asked the user.
	Declines bool `json:"-"`
	// Wordless means that the client does not let the user leave out the words.
	Wordless bool `json:"-"`
}

// Where a question is answered outside of the window.
const (
	InChat     = "chat"
	InTerminal = "terminal"
)

// A QuestionAnswer is the user's answer to an Approval outside of the window.
type QuestionAnswer struct {
	ApprovalID string
	Choice     int    // index into the Choices of its form
	Words      string // message to the assistant, with a refusal
	Where      string // InChat or InTerminal
}

// AnswerQuestion answers an open question, if it was asked there. No tool can.
var AnswerQuestion = eventbus.NewTopic[QuestionAnswer, struct{}]("answer_question")

// ClientEnded revokes what an answer with Session allowed to a bridge's process or an MCP
// session, a tool.Caller's Holder, which has ended.
var ClientEnded = eventbus.NewTopic[string, struct{}]("client_ended")

// A Risk is a place in code because of which the user is asked.
type Risk struct {
	Kind string `json:"kind" enum:"files,network,programs,packages,secrets,variable,unseen" jsonschema:"what the code may do; unseen: its text does not tell"`
	Line int    `json:"line" jsonschema:"the line in the code, from 1"`
	What string `json:"what" jsonschema:"the function, module, command, file or variable, as the code names it"`
}

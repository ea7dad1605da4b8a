package command

import (
	"time"

	"easel/eventbus"
)

// An InputQuestion is what running code asks the user for, with input() or getpass().
type InputQuestion struct {
	ID          string // of the question; it stays the same if the question is asked again after a lost connection
	ExecutionID string
	SessionID   string
	Client      string // that runs the code
	Assistant   string // id of the assistant whose token the client used
	ByUser      bool   // the user runs it, in the window
	Code        string
	Prompt      string
	Before      string // the last line that the code printed, if the prompt is empty
	Password    bool   // what is typed must not be shown, stored or sent anywhere but to the kernel
	AskedAt     time.Time
	Deadline    time.Time // when the code is interrupted if nobody has answered; zero if never
}

// An InputAnswer is the user's answer.
type InputAnswer struct {
	ID    string
	Value string
}

// AnswerInput answers an open question of running code. No tool can. The log of calls has the answer, as the code's
// output has; it never has a password.
var AnswerInput = eventbus.NewTopic[InputAnswer, struct{}]("answer_input")

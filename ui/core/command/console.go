package command

import "easel/eventbus"

// CodeAt is a place in code that the user types for a session.
type CodeAt struct {
	SessionID string
	Code      string
	At        int // in characters
}

// A CodeCompletion is how the code can go on.
type CodeCompletion struct {
	Matches  []string
	From, To int // what a match replaces, in characters of the code
}

// CompleteCode asks the kernel of a session how code can go on. While it is busy, that is an error.
var CompleteCode = eventbus.NewTopic[CodeAt, CodeCompletion]("complete_code")

// InspectCode asks the kernel of a session what is at a place in code: the signature and the documentation, or "".
var InspectCode = eventbus.NewTopic[CodeAt, string]("inspect_code")

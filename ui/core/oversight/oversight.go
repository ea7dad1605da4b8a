// Package oversight decides what an assistant may do and how it receives pictures. It
// implements the pause, read-only access and approvals, and chooses how pictures are
// delivered to each client. A [Gate] decides about code at the moment when it is sent to a
// kernel; Admit decides about the call of a tool.
//
// # Goroutines
//
// The package starts none. It is safe for concurrent use. Only Ask blocks.
package oversight

import (
	"errors"

	"easel/mcphost/tool"
	"easel/ui/core/state"
)

// Errors of Admit.
var (
	ErrPaused         = errors.New("the user has paused the AI")
	ErrReadOnly error = refusedError("the user lets the AI only read")
)

// Admit returns nil if a caller may call the tool of spec, or else the reason why not. The
// user may call everything, and everybody may call read-only tools.
func Admit(s *state.Snapshot, caller tool.Caller, spec tool.Spec) error {
	switch {
	case caller.Transport == tool.Window || spec.ReadOnly():
		return nil
	case s.Paused:
		return ErrPaused
	case readOnly(s):
		return ErrReadOnly
	default:
		return nil
	}
}

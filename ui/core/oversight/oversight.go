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
	"easel/ui/core/rights"
	"easel/ui/core/state"
)

// Errors of Admit.
var (
	ErrPaused         = errors.New("the user has paused the AI")
	ErrReadOnly error = refusedError("the user lets the AI only read")
)

// Admit says whether a caller may call the tool of spec. Its decision is Refuse or Hold with the reason, Ask or Send. The user may
// call everything, and everybody may call read-only tools. Code is decided later, by the [Gate].
func Admit(s *state.Snapshot, caller tool.Caller, spec tool.Spec) Verdict {
	kind := KindOf(spec)
	switch {
	case caller.Transport == tool.Window || spec.ReadOnly():
		return Verdict{Decision: Send}
	case s.Paused || s.Assistant(caller.Assistant).Paused:
		return Verdict{Decision: Hold, Err: ErrPaused}
	case readOnly(s):
		return Verdict{Decision: Refuse, Err: ErrReadOnly}
	}
	switch RightsOf(s, caller.Assistant).To(kind) {
	case rights.Allow:
		return Verdict{Decision: Send}
	case rights.Ask:
		if kind == rights.Code {
			return Verdict{Decision: Send}
		}
		return Verdict{Decision: Ask}
	default:
		return Verdict{Decision: Refuse, Err: &ForbiddenError{Kind: kind}}
	}
}

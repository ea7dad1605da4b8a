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
	// ErrForgotten means that the user has taken the assistant's token back.
	ErrForgotten error = refusedError("the user has forgotten this assistant")
)

// An Admission says whether a call may be made, and if it is Ask, about which kind.
type Admission struct {
	Verdict
	Kind rights.Kind
}

// Admit says whether a caller may call the tool of spec with the input in. Its decision is Refuse or Hold with the reason, Ask or
// Send. The user may call everything, and everybody may call read-only tools. Code is decided later, by the [Gate].
func Admit(s *state.Snapshot, caller tool.Caller, spec tool.Spec, in any) Admission {
	if v := mayCall(s, caller, spec); v.Decision != Send || spec.ReadOnly() || caller.Transport == tool.Window {
		return Admission{Verdict: v}
	}
	allowed := Admission{Verdict: Verdict{Decision: Send}}
	for _, kind := range KindsOf(spec, in) {
		switch right := RightsOf(s, caller.Assistant).To(kind); {
		case right == rights.Deny:
			return Admission{Verdict: Verdict{Decision: Refuse, Err: &ForbiddenError{Kind: kind}}}
		case right == rights.Ask && kind != rights.Code && kind != rights.Files: // a tool writes only new files
			allowed = Admission{Verdict{Decision: Ask}, kind}
		}
	}
	return allowed
}

// mayCall says whether a caller may call the tool of spec at all.
func mayCall(s *state.Snapshot, caller tool.Caller, spec tool.Spec) Verdict {
	switch {
	case caller.Transport == tool.Window || spec.ReadOnly():
		return Verdict{Decision: Send}
	case s.Assistant(caller.Assistant).Gone:
		return Verdict{Decision: Refuse, Err: ErrForgotten}
	case s.Paused || s.Assistant(caller.Assistant).Paused:
		return Verdict{Decision: Hold, Err: ErrPaused}
	case readOnly(s):
		return Verdict{Decision: Refuse, Err: ErrReadOnly}
	}
	return Verdict{Decision: Send}
}

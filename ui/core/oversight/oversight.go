// Package oversight decides what an assistant may do and what it gets to see: the
// pause, read-only access, approvals, and in what form pictures are delivered to a
// client.
//
// # Goroutines
//
// None of its own. Everything may be called from any goroutine; Ask waits on its
// caller's.
package oversight

import (
	"errors"

	"easel/mcphost/tool"
	"easel/ui/core/state"
)

// Why Admit refuses.
var (
	ErrPaused   = errors.New("the user has paused the AI")
	ErrReadOnly = errors.New("the user lets the AI only read")
)

// Admit lets a caller do what spec says, or tells why not. The user
// may always; reading is allowed to everybody.
func Admit(s *state.Snapshot, caller tool.Caller, spec tool.Spec) error {
	switch {
	case caller.Transport == tool.Window || spec.ReadOnly():
		return nil
	case s.Paused:
		return ErrPaused
	case s.Settings.Access == AccessReadOnly:
		return ErrReadOnly
	default:
		return nil
	}
}

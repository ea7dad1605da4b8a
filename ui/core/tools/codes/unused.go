package codes

import (
	"fmt"
	"strings"
	"time"

	"easel/mcphost/tool"
	"easel/ui/core/kernels"
)

// endedUnused returns the error for a session that Easel ended because it was unused. It
// lists the variables that were lost.
func endedUnused(c tool.Code, e *kernels.UnusedError) *tool.Error {
	s := e.Session
	var b strings.Builder
	fmt.Fprintf(&b, "Easel ended this session at %s because nobody had used it for %s.", s.EndedAt.UTC().Format(time.RFC3339), s.Held.UnusedFor())
	switch h := s.Held; {
	case h.Unknown:
		b.WriteString(" Its variables are lost.")
	case len(h.Variables) == 0:
		b.WriteString(" It had no variables.")
	default:
		fmt.Fprintf(&b, " Its variables are lost: %s.", strings.Join(h.Listed(), ", "))
	}
	if s.Images > 0 {
		fmt.Fprintf(&b, " Easel keeps its %d image", s.Images)
		b.WriteString(map[bool]string{true: "s."}[s.Images > 1])
	}
	hint := "session_create starts a new session; run the code for the variables that you need again."
	if s.Images > 0 {
		hint += " list_session_images still lists the images."
	}
	return &tool.Error{Code: c, Detail: b.String(), Hint: hint, Err: e}
}

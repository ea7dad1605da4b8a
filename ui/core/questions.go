package core

import (
	"context"
	"slices"
	"time"

	"easel/internal/wake"
	"easel/mcphost/catalog"
	"easel/ui/core/command"
	"easel/ui/core/state"
)

// terminalPatience is how long a terminal that waits for questions may take until it waits again.
const terminalPatience = 5 * time.Second

// Questions returns the open questions, oldest first.
func (c *Core) Questions() []command.TerminalQuestion {
	open := []command.TerminalQuestion{}
	for _, q := range c.Store.Snapshot().Approvals {
		if f := c.asker.Form(q); f != nil {
			open = append(open, command.TerminalQuestion{ID: q.ApprovalID, AskedAt: q.AskedAt, Deadline: q.Deadline, Form: *f})
		}
	}
	return open
}

// AwaitQuestions returns the open questions as soon as they are others than those with the ids known, or when ctx ends. Until then,
// and for a moment after it, assistants are asked although there is no window.
func (c *Core) AwaitQuestions(ctx context.Context, known []string) []command.TerminalQuestion {
	attend := func(n int) { c.Store.Update(func(s *state.Snapshot) { s.Terminals += n }) }
	attend(1)
	defer time.AfterFunc(terminalPatience, func() { attend(-1) })
	changed := wake.New()
	stop := c.Store.OnChange(changed.Notify)
	defer stop()
	for {
		if !slices.EqualFunc(c.Store.Snapshot().Approvals, known, func(q catalog.Approval, id string) bool { return q.ApprovalID == id }) {
			return c.Questions()
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil
		}
	}
}

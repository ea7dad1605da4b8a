package activity

import (
	"context"
	"log/slog"
	"slices"

	"easel/eventbus"
	"easel/mcphost/catalog"
	"easel/ui/core/library"
)

// pastCalls is the number of earlier calls that are shown at the start.
const pastCalls = 200

// FollowCalls reads the earlier calls from the library. Then it records each call that
// the bus reports, until ctx ends.
func (h *History) FollowCalls(ctx context.Context, bus *eventbus.Bus, lib *library.Library, log *slog.Logger) {
	live := catalog.Activities.Watch(ctx, bus, 1024) // before the past is read, so that no call is missed
	past, err := lib.Activities.List(ctx, 0, pastCalls)
	if err != nil && ctx.Err() == nil {
		log.WarnContext(ctx, "the log of calls cannot be read", "err", err)
	}
	watched, err := watchedBefore(ctx, lib)
	if err != nil && ctx.Err() == nil {
		log.WarnContext(ctx, "the code that other clients ran cannot be read", "err", err)
	}
	for _, c := range slices.Backward(append(past, watched...)) {
		if c.Ended.IsZero() { // Easel died during this call, so it never ended
			c.Ended, c.Status = c.Began, catalog.StatusLost
		}
		if id := executionOf(c); id != "" {
			if o, err := outcomeBefore(ctx, lib, id); err == nil {
				h.pastOutcome(id, o)
			}
		}
		h.past(c)
	}
	h.changed()
	for c, err := range live {
		if err == nil {
			h.call(c)
			h.changed()
		}
	}
}

// watchedBefore lists the calls for the code that other clients ran before the window opened, among the
// newest executions.
func watchedBefore(ctx context.Context, lib *library.Library) (calls []catalog.Activity, err error) {
	past, err := lib.Executions.List(ctx, library.ExecutionQuery{Limit: pastCalls})
	for _, e := range past {
		if e.Transport == catalog.TransportJupyter {
			c := watchedCall(e.ID, e.Client, e.Code, e.Status, e.Error)
			c.Began, c.Ended = e.CreatedAt, e.EndedAt
			calls = append(calls, c)
		}
	}
	return calls, err
}

// FollowRuns records each execution that the bus reports, until ctx ends. It calls
// answered with each approval that was answered.
func (h *History) FollowRuns(ctx context.Context, bus *eventbus.Bus, answered func(catalog.Approval)) {
	for c, err := range catalog.Changes.Watch(ctx, bus, 1024) {
		if err != nil {
			continue // the next change of each execution is complete
		}
		if q, ok := c.Object.(catalog.Approval); ok && c.Name == catalog.ApprovalAnswered {
			answered(q)
		}
		if x, ok := c.Object.(catalog.Execution); ok {
			h.run(c.Name, x)
			h.changed()
		}
	}
}

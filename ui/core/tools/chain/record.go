package chain

import (
	"context"
	"encoding/json"
	"time"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
)

// userClient is the name of the user in the log of calls.
const userClient = "user"

// recorded wraps do so that the user's actions in the window, such as interrupts, restarts
// and answers, appear in the log of calls. The host records the calls of clients.
func recorded[In, Out any](c *Chain, name string, args func(In) any, do func(context.Context, In) (Out, error)) func(context.Context,
	In) (Out, error) {
	return func(ctx context.Context, in In) (Out, error) {
		if tool.CallerFrom(ctx).Transport != tool.Window {
			return do(ctx, in)
		}
		began := time.Now().UTC()
		raw, _ := json.Marshal(args(in)) // parameters can always be marshalled
		a := catalog.Activity{
			ID: c.actID(began), Began: began, Transport: string(tool.Window), Client: userClient,
			Tool: name, Args: raw, Status: catalog.StatusRunning,
		}
		catalog.Activities.Notify(c.Bus, a)
		out, err := do(ctx, in)
		a.Ended, a.Status, a.SessionID = time.Now().UTC(), catalog.StatusOK, catalog.SessionOf(in, out)
		if x, ok := any(out).(catalog.Execution); ok {
			a.ExecutionID = x.ExecutionID
		}
		if err != nil {
			e := tool.AsError(err)
			a.Status, a.Detail = string(e.Code), e.Detail
		} else if result, err := json.Marshal(out); err == nil && len(result) < 64<<10 {
			a.Result = result
		}
		catalog.Activities.Notify(c.Bus, a)
		return out, err
	}
}

// actID returns a unique id for an action of the user: the time in microseconds, or the
// last id plus one. The host numbers its calls from the microsecond of its start. It
// serves fewer than one call per microsecond, so the two do not collide.
func (c *Chain) actID(now time.Time) uint64 {
	for {
		last := c.acts.Load()
		id := max(uint64(now.UnixMicro()), last+1)
		if c.acts.CompareAndSwap(last, id) {
			return id
		}
	}
}

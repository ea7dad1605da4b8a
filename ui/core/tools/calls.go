package tools

import (
	"context"
	"encoding/json"
	"time"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
)

// userClient is what the log of calls names the user.
const userClient = "user"

// recorded puts what the user does by the window into the log of calls, beside what
// clients call: interrupts, restarts, answers. What clients call the host records.
func recorded[In, Out any](b *bodies, name string, args func(In) any, do func(context.Context, In) (Out, error)) func(context.Context, In) (Out, error) {
	return func(ctx context.Context, in In) (Out, error) {
		if tool.CallerFrom(ctx).Transport != tool.Window {
			return do(ctx, in)
		}
		began := time.Now().UTC()
		raw, _ := json.Marshal(args(in)) // parameters can be marshalled
		a := catalog.Activity{
			ID: b.actID(began), Began: began, Transport: string(tool.Window), Client: userClient,
			Tool: name, Args: raw, Status: catalog.StatusRunning,
		}
		catalog.Activities.Notify(b.Bus, a)
		out, err := do(ctx, in)
		a.Ended, a.Status = time.Now().UTC(), catalog.StatusOK
		if err != nil {
			e := tool.AsError(err)
			a.Status, a.Detail = string(e.Code), e.Detail
		} else if result, err := json.Marshal(out); err == nil && len(result) < 64<<10 {
			a.Result = result
		}
		catalog.Activities.Notify(b.Bus, a)
		return out, err
	}
}

// actID numbers what the user does by the microsecond, each time once. The host counts its
// calls from the microsecond of its start on, and does not serve one in each.
func (b *bodies) actID(now time.Time) uint64 {
	for {
		last := b.acts.Load()
		id := max(uint64(now.UnixMicro()), last+1)
		if b.acts.CompareAndSwap(last, id) {
			return id
		}
	}
}

// answered are the parameters of an answer as the log has them: with the code that was
// asked about, and without Easel's own ids.
func (b *bodies) answered(in catalog.ApprovalAnswer) any {
	code, client := in.Code, ""
	for _, q := range b.Store.Snapshot().Approvals {
		if q.ApprovalID == in.ApprovalID {
			client = q.Client
			if code == "" {
				code = q.Code
			}
		}
	}
	return map[string]any{"approve": in.Approve, "client": client, "code": code, "words": in.Words, "session": in.Session}
}

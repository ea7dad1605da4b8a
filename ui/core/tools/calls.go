package tools

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
)

// userClient is the name of the user in the log of calls.
const userClient = "user"

// recorded wraps do so that the user's actions in the window, such as interrupts, restarts
// and answers, appear in the log of calls. The host records the calls of clients.
func recorded[In, Out any](b *bodies, name string, args func(In) any, do func(context.Context, In) (Out, error)) func(context.Context, In) (Out, error) {
	return func(ctx context.Context, in In) (Out, error) {
		if tool.CallerFrom(ctx).Transport != tool.Window {
			return do(ctx, in)
		}
		began := time.Now().UTC()
		raw, _ := json.Marshal(args(in)) // parameters can always be marshalled
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

// actID returns a unique id for an action of the user: the time in microseconds, or the
// last id plus one. The host numbers its calls from the microsecond of its start. It
// serves fewer than one call per microsecond, so the two do not collide.
func (b *bodies) actID(now time.Time) uint64 {
	for {
		last := b.acts.Load()
		id := max(uint64(now.UnixMicro()), last+1)
		if b.acts.CompareAndSwap(last, id) {
			return id
		}
	}
}

// answered returns the parameters of an approval answer for the log of calls. They include
// the code in question, but not the id of the approval.
func (b *bodies) answered(in catalog.ApprovalAnswer) any {
	code, client := in.Code, ""
	s := b.Store.Snapshot()
	for _, q := range slices.Concat(s.Approvals, s.Expired) {
		if q.ApprovalID == in.ApprovalID {
			client = q.Client
			if code == "" {
				code = q.Code
			}
		}
	}
	said := map[string]any{"approve": in.Approve, "client": client, "code": code, "words": in.Words, "session": in.Session}
	if in.Dismiss {
		said["dismiss"] = true
	}
	return said
}

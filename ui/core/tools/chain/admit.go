package chain

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/google/uuid"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/oversight"
	"easel/ui/core/state"
)

// admitted refuses calls that the user does not allow, and asks about those that they want to be asked about.
func admitted[In, Out any](c *Chain, spec tool.Spec, do func(context.Context, In) (Out, error)) func(context.Context, In) (Out, error) {
	creates := spec.Name == catalog.SessionCreate.Name()
	return func(ctx context.Context, in In) (Out, error) {
		var none Out
		caller, s := tool.CallerFrom(ctx), c.Store.Snapshot()
		if err := c.meter.Call(s, caller, time.Now()); err != nil {
			return none, err
		}
		switch v := oversight.Admit(s, caller, spec); v.Decision {
		case oversight.Send:
		case oversight.Ask:
			if err := c.ask(ctx, spec, in); err != nil {
				return none, err
			}
		case oversight.Refuse, oversight.Hold:
			return none, v.Err
		}
		if !creates {
			return do(ctx, in)
		}
		if err := c.meter.Kernel(s, caller); err != nil {
			return none, err
		}
		out, err := do(ctx, in)
		if err == nil {
			c.meter.Started(caller.Assistant, catalog.SessionOf(nil, out))
		}
		return out, err
	}
}

// ask asks the user about a call that is no code.
func (c *Chain) ask(ctx context.Context, spec tool.Spec, in any) error {
	if c.Actions == nil || c.Store.Snapshot().Window == state.WindowNone {
		return &oversight.ActionError{Why: oversight.ErrUnasked}
	}
	raw, err := json.Marshal(in)
	if err != nil {
		return err
	}
	var does struct {
		SessionID string `json:"session_id"`
		Path      string `json:"path"`
		Source    string `json:"source"`
		Cells     []struct {
			Source string `json:"source"`
		} `json:"cells"`
	}
	_ = json.Unmarshal(raw, &does) // not every tool has these, and another may mean something else by them
	caller := tool.CallerFrom(ctx)
	q := catalog.Approval{
		ApprovalID: uuid.NewString(), SessionID: does.SessionID, Client: caller.String(), Holder: caller.Holder, Assistant: caller.Assistant,
		Tool: spec.Name, Kind: string(oversight.KindOf(spec)), Target: does.Path, Code: does.Source,
	}
	for _, x := range c.Store.Snapshot().Sessions {
		if does.SessionID != "" && x.SessionID == does.SessionID {
			q.Root = x.Project
		}
	}
	var cells []string
	for _, x := range does.Cells {
		cells = append(cells, x.Source)
	}
	if len(cells) > 0 {
		q.Code = strings.Join(cells, "\n\n")
	}
	return c.Actions.Ask(ctx, q, caller.Process()+"\x00"+caller.Assistant+"\x00"+spec.Name+"\x00"+string(raw))
}

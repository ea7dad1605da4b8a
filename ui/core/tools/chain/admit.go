package chain

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/google/uuid"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/oversight"
	"easel/ui/core/rights"
)

// admitted refuses calls that the user does not allow, and asks about those that they want to be asked about.
func admitted[In, Out any](c *Chain, spec tool.Spec, do func(context.Context, In) (Out, error)) func(context.Context, In) (Out, error) {
	return func(ctx context.Context, in In) (Out, error) {
		var none Out
		caller, s := tool.CallerFrom(ctx), c.Store.Snapshot()
		if err := c.meter.Call(s, caller, time.Now()); err != nil {
			return none, err
		}
		v := oversight.Admit(s, caller, spec, in)
		if v.Decision == oversight.Ask {
			if err := c.ask(ctx, spec, v.Kind, in); err != nil {
				return none, err
			}
			s = c.Store.Snapshot()
			v = oversight.Admit(s, caller, spec, in) // the user may have changed what is allowed
		}
		if v.Decision == oversight.Refuse || v.Decision == oversight.Hold {
			return none, v.Err
		}
		return do(ctx, in)
	}
}

// ask asks the user about a call that is no code.
func (c *Chain) ask(ctx context.Context, spec tool.Spec, kind rights.Kind, in any) error {
	caller := tool.CallerFrom(ctx)
	if c.Actions == nil {
		return &oversight.ActionError{Why: oversight.ErrUnasked}
	}
	raw, err := json.Marshal(in)
	if err != nil {
		return err
	}
	q := catalog.Approval{
		ApprovalID: uuid.NewString(), Client: caller.String(), Holder: caller.Holder, Assistant: caller.Assistant,
		Tool: spec.Name, Kind: string(kind),
	}
	show(&q, raw)
	for _, x := range c.Store.Snapshot().Sessions {
		if q.SessionID != "" && x.SessionID == q.SessionID {
			q.Root = x.Project
		}
	}
	return c.Actions.Ask(ctx, q, strings.Join([]string{caller.Process(), caller.Assistant, spec.Name, string(raw)}, "\x00"))
}

// show puts into a question what a call would change: the session, the notebook and the source of cells, or else its parameters.
func show(q *catalog.Approval, parameters []byte) {
	var does struct {
		SessionID string `json:"session_id"`
		Path      string `json:"path"`
		Notebook  string `json:"notebook_path"`
		Source    string `json:"source"`
		Cells     []struct {
			Source string `json:"source"`
		} `json:"cells"`
	}
	_ = json.Unmarshal(parameters, &does) // not every tool has these, and another may mean something else by them
	q.SessionID, q.Target, q.Code = does.SessionID, does.Path+does.Notebook, does.Source
	cells := make([]string, 0, len(does.Cells))
	for _, x := range does.Cells {
		cells = append(cells, x.Source)
	}
	if len(cells) > 0 {
		q.Code = strings.Join(cells, "\n\n")
	}
	if q.Code == "" && q.Kind != string(rights.Sessions) {
		var pretty bytes.Buffer
		if json.Indent(&pretty, parameters, "", "  ") == nil {
			q.Code = pretty.String()
		}
	}
}

package chain

import (
	"context"
	"slices"
	"testing"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
)

// secretsOf says that the secrets of one session and one server are shown.
type secretsOf struct{ calls []string }

func (s *secretsOf) Look() { s.calls = append(s.calls, "look") }

func (s *secretsOf) Open(session, server string) bool {
	s.calls = append(s.calls, "open "+session+"/"+server)
	return session == "shown" || server == "shown"
}

// Before and after each call of a client, the secrets are looked for, and the host is told if it may show them: as
// early as the parameters say it, because of progress, or by the result.
func TestDiscreet(t *testing.T) {
	for _, c := range []struct {
		in, out string // the sessions that parameters and result name
		server  string // that the result names
		early   bool
		late    bool
	}{
		{in: "shown", out: "shown", early: true, late: true},
		{in: "hidden", out: "hidden"},
		{in: "", out: "shown", late: true},
		{in: "", server: "shown", late: true},
	} {
		s, opened := &secretsOf{}, false
		in := catalog.SessionInterruptIn{SessionID: c.in}
		var early bool
		var do func(context.Context) error
		chain := &Chain{Secrets: s}
		if c.server != "" {
			body := discreet(chain, func(context.Context, catalog.SessionInterruptIn) (catalog.NotebookReadOut, error) {
				early = opened
				return catalog.NotebookReadOut{AtServer: catalog.AtServer{Server: c.server}}, nil
			})
			do = func(ctx context.Context) error { _, err := body(ctx, in); return err }
		} else {
			body := discreet(chain, func(context.Context, catalog.SessionInterruptIn) (catalog.Execution, error) {
				early = opened
				return catalog.Execution{SessionID: c.out}, nil
			})
			do = func(ctx context.Context) error { _, err := body(ctx, in); return err }
		}
		ctx := tool.WithCaller(t.Context(), tool.Caller{Transport: tool.MCP, Open: func() { opened = true }})
		if err := do(ctx); err != nil || early != c.early || opened != c.late {
			t.Errorf("%+v: early %v, late %v, %v", c, early, opened, err)
		}
		if s.calls[0] != "look" || slices.Index(s.calls[1:], "look") < 0 {
			t.Errorf("%+v: %v", c, s.calls)
		}
		s.calls = nil
		if err := do(tool.WithCaller(t.Context(), tool.Caller{Transport: tool.Window})); err != nil || s.calls != nil {
			t.Errorf("the user's own call: %v, %v", s.calls, err)
		}
	}
}

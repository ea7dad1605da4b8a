package run

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/command"
	"easel/ui/core/oversight"
	"easel/ui/core/state"
	"easel/ui/core/tools/codes"
)

// TestConnectingToAKernelNeedsTheUser covers the question whether a client may connect to a
// kernel that no Jupyter server runs.
func TestConnectingToAKernelNeedsTheUser(t *testing.T) {
	store := state.NewStore(state.Snapshot{Settings: state.DefaultSettings(), Window: state.WindowShown})
	a := &answers{store: store, approvals: oversight.NewApprovals(store, func(catalog.ChangeName, catalog.Approval) {})}
	kernel := catalog.Session{SessionID: "k", KernelID: "k", Server: catalog.ThisMachine, Process: &catalog.KernelProcess{Program: "spyder"}}
	permit := func() error {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		return codes.Of(a.permitKernel(tool.WithCaller(ctx, tool.Caller{Transport: tool.MCP, Name: "claude"}), kernel))
	}
	// answering answers the question when it is asked.
	answering := func(answer command.ApprovalAnswer) {
		done := false
		stop := store.OnChange(func() {
			if as := store.Snapshot().Approvals; len(as) == 1 && !done {
				done = true
				if k := as[0].Kernel; k == nil || k.Process.Program != "spyder" || as[0].Client != "claude" || as[0].Code != "" {
					t.Errorf("asked %+v", as[0])
				}
				answer.ApprovalID = as[0].ApprovalID
				go func() { // OnChange must not change the state
					if err := a.approvals.Answer(answer); err != nil {
						t.Error(err)
					}
				}()
			}
		})
		t.Cleanup(stop)
	}
	code := func(err error) tool.Code { return tool.AsError(err).Code }
	for name, c := range map[string]struct {
		edit func(*state.Snapshot)
		want tool.Code
	}{
		"paused":           {func(s *state.Snapshot) { s.Paused = true }, tool.Paused},
		"read only":        {func(s *state.Snapshot) { s.Settings.Access = oversight.AccessReadOnly }, tool.Denied},
		"without a window": {func(s *state.Snapshot) { s.Window = state.WindowNone }, tool.NotExecutable},
		"not answered":     {func(s *state.Snapshot) { s.Settings.AskFor = 0.01 }, tool.ApprovalTimeout},
	} {
		before := *store.Snapshot()
		store.Update(c.edit)
		if err := permit(); code(err) != c.want {
			t.Errorf("%s: got %v", name, err)
		}
		store.Update(func(s *state.Snapshot) {
			s.Paused, s.Settings, s.Window = before.Paused, before.Settings, before.Window
		})
	}
	// Trust in the client's code, or an answer for the whole session, is no permission.
	store.Update(func(s *state.Snapshot) { s.Trusted = []state.Trust{{SessionID: "k", Client: "claude"}} })
	answering(command.ApprovalAnswer{Approve: true, Session: true})
	if err := permit(); err != nil {
		t.Error(err)
	}
	if n := len(store.Snapshot().Trusted); n != 1 {
		t.Errorf("%d clients are trusted", n)
	}
	answering(command.ApprovalAnswer{Words: "not that one"})
	if err := permit(); code(err) != tool.Denied {
		t.Errorf("got %v", err)
	}
}

// TestAQuestionThatCodeWaitsFor says that the assistant no longer waits only if that is so.
func TestAQuestionThatCodeWaitsFor(t *testing.T) {
	for waits, kind := range map[bool]string{false: "a call's", true: "code's"} {
		synctest.Test(t, func(t *testing.T) {
			store := state.NewStore(state.Snapshot{Settings: state.DefaultSettings(), Window: state.WindowShown})
			a := &answers{store: store, approvals: oversight.NewApprovals(store, func(catalog.ChangeName, catalog.Approval) {})}
			asked, returned := false, false
			defer store.OnChange(func() {
				for _, q := range store.Snapshot().Approvals {
					asked, returned = true, returned || q.Returned
				}
			})()
			ctx, cancel := context.WithTimeout(t.Context(), 2*oversight.PermitPatience) // nobody answers
			defer cancel()
			if waits {
				ctx = oversight.Waiting(ctx)
			}
			_ = a.permitProject(ctx, catalog.Project{Root: "/sales"})
			if !asked || returned == waits {
				t.Errorf("%s: asked %v, returned %v", kind, asked, returned)
			}
		})
	}
}

package tools_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"easel/eventbus"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/command"
	"easel/ui/core/kernels"
	"easel/ui/core/library"
	"easel/ui/core/oversight"
	"easel/ui/core/state"
	"easel/ui/core/tools"
)

// TestConnectingToAKernelNeedsTheUser covers the question whether a client may connect to a
// kernel that no Jupyter server runs.
func TestConnectingToAKernelNeedsTheUser(t *testing.T) {
	log := slog.New(slog.NewTextHandler(t.Output(), nil))
	lib, err := library.Open(t.Context(), t.TempDir(), library.Options{Log: log})
	if err != nil {
		t.Fatal(err)
	}
	bus := eventbus.New()
	store := state.NewStore(state.Snapshot{Settings: state.DefaultSettings(), Window: state.WindowShown})
	m := kernels.New(kernels.Config{Library: lib, Log: log, Gate: oversight.NewGate(store)})
	tools.Register(tools.Deps{Bus: bus, Store: store, Library: lib, Kernels: m, Log: log})
	t.Cleanup(func() {
		if err := errors.Join(bus.Close(context.Background()), m.Close(context.Background()), lib.Close()); err != nil {
			t.Error(err)
		}
	})
	kernel := catalog.Session{SessionID: "k", KernelID: "k", Server: catalog.ThisMachine, Process: &catalog.KernelProcess{Program: "spyder"}}
	permit := func() error {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		_, err := catalog.PermitKernel.Ask(tool.WithCaller(ctx, tool.Caller{Transport: tool.MCP, Name: "claude"}), bus, kernel)
		return err
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
					if _, err := command.AnswerApproval.Ask(t.Context(), bus, answer); err != nil {
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

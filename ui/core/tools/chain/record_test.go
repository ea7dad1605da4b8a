package chain

import (
	"context"
	"testing"

	"easel/eventbus"
	"easel/internal/require"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
)

func TestWhatTheUserDoesIsRecorded(t *testing.T) {
	bus := eventbus.New()
	c := &Chain{Bus: bus}
	ctx, stop := context.WithCancel(t.Context())
	told := catalog.Activities.WatchToTheLast(ctx, bus, 16)
	var fault error
	do := recorded(c, "session_interrupt", func(in catalog.SessionInterruptIn) any { return in }, func(context.Context, catalog.SessionInterruptIn) (catalog.SessionInterruptOut, error) {
		return catalog.SessionInterruptOut{}, fault
	})
	in := catalog.SessionInterruptIn{SessionID: "s"}
	user := tool.WithCaller(t.Context(), tool.Caller{Transport: tool.Window})
	_, _ = do(user, in)
	fault = tool.Errorf(tool.KernelNotFound, "gone")
	_, _ = do(user, in)
	_, _ = do(tool.WithCaller(t.Context(), tool.Caller{Transport: tool.MCP}), in) // recorded by the host
	stop()
	var got []catalog.Activity
	for a, err := range told {
		require.NoError(t, err)
		got = append(got, a)
	}
	if len(got) != 4 {
		t.Fatalf("told of %d: %+v", len(got), got)
	}
	for i, want := range []string{catalog.StatusRunning, catalog.StatusOK, catalog.StatusRunning, string(tool.KernelNotFound)} {
		a := got[i]
		if a.Status != want || a.Client != userClient || a.Tool != "session_interrupt" || string(a.Args) != `{"session_id":"s"}` || a.Ended.IsZero() != (i%2 == 0) {
			t.Errorf("%d: %+v", i, a)
		}
	}
	if got[0].ID != got[1].ID || got[2].ID == got[0].ID {
		t.Errorf("ids %d, %d, %d", got[0].ID, got[1].ID, got[2].ID)
	}
}

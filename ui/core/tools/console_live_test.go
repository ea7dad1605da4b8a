package tools_test

import (
	"context"
	"testing"

	"easel/internal/require"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/command"
	"easel/ui/core/oversight"
	"easel/ui/core/state"
)

// TestLiveTheUserRunsCode as the console does: while the AI is paused and may only read, behind the code of an assistant. What
// waits can be cancelled. The log of calls says that the user ran it.
func TestLiveTheUserRunsCode(t *testing.T) {
	b := newBench(t)
	session := must[catalog.SessionCreateOut](b, catalog.SessionCreate, `{}`).SessionID
	runs := must[catalog.Execution](b, catalog.ExecuteCode, `{"session_id": "`+session+`", "code": "import os, time\nwhile not os.path.exists('go-on'): time.sleep(0.01)", "wait": 0}`)
	b.store.Update(func(s *state.Snapshot) { s.Settings.Access, s.Paused = oversight.AccessReadOnly, true })
	t.Cleanup(func() {
		b.store.Update(func(s *state.Snapshot) { s.Settings.Access, s.Paused = oversight.AccessAllow, false })
	})
	user := tool.WithCaller(b.context(), tool.Caller{Transport: tool.Window})
	ctx, stop := context.WithCancel(b.context())
	defer stop()
	calls := catalog.Activities.WatchToTheLast(ctx, b.bus, 64)
	run := func(code string) catalog.Execution {
		wait := 0.0
		x, err := catalog.ExecuteCode.Ask(user, b.bus, catalog.ExecuteCodeIn{SessionID: session, Code: code, Wait: &wait})
		require.NoError(t, err)
		if x.Status != catalog.StatusQueued {
			t.Errorf("%q is %s, behind other code", code, x.Status)
		}
		return x
	}
	ended := func(id string) catalog.Execution {
		x, err := catalog.GetExecution.Ask(user, b.bus, catalog.GetExecutionIn{ExecutionID: id, Wait: 60})
		require.NoError(t, err)
		return x
	}
	plot, not := run("import matplotlib.pyplot as plt\nplt.plot([1, 2]); plt.title('By hand'); plt.show()"), run("never = 1")
	if _, err := command.CancelRun.Ask(user, b.bus, not.ExecutionID); err != nil {
		t.Fatal(err)
	}
	if x := ended(not.ExecutionID); x.Status != catalog.StatusCancelled {
		t.Errorf("what was cancelled: %+v", x)
	}
	b.write("go-on", "")
	if x := ended(runs.ExecutionID); x.Status != catalog.StatusOK {
		t.Errorf("the assistant's code: %+v", x)
	}
	if x := ended(plot.ExecutionID); x.Status != catalog.StatusOK || len(x.Images) != 1 || x.Images[0].Title != "By hand" {
		t.Errorf("the user's code: %+v", x)
	}
	stop()
	by := make(map[string]bool)
	for a, err := range calls {
		require.NoError(t, err)
		if a.Tool == catalog.ExecuteCode.Spec().Name {
			by[a.Transport+" "+a.Client] = true
		}
	}
	if len(by) != 1 || !by["window user"] {
		t.Errorf("the log says that %v ran code", by)
	}
}

package tools_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"easel/internal/require"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/command"
	"easel/ui/core/oversight"
	"easel/ui/core/state"
	"easel/ui/core/terminal"
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

// TestLiveCodeIsCompleted as the console does, while the AI is paused. Places in code are characters, whatever is before
// the cursor. A busy kernel says so.
func TestLiveCodeIsCompleted(t *testing.T) {
	b := newBench(t)
	session := must[catalog.SessionCreateOut](b, catalog.SessionCreate, `{}`).SessionID
	must[catalog.Execution](b, catalog.ExecuteCode, `{"session_id": "`+session+`", "code": "温度データ, 温度計 = 1, 2\ndef 換算(摂氏, *, 精度=1):\n    '華氏にする。'"}`)
	b.store.Update(func(s *state.Snapshot) { s.Settings.Access, s.Paused = oversight.AccessReadOnly, true })
	t.Cleanup(func() {
		b.store.Update(func(s *state.Snapshot) { s.Settings.Access, s.Paused = oversight.AccessAllow, false })
	})
	user := tool.WithCaller(b.context(), tool.Caller{Transport: tool.Window})
	at := func(before, after string) command.CodeAt {
		return command.CodeAt{SessionID: session, Code: before + after, At: len([]rune(before))}
	}
	got, err := command.CompleteCode.Ask(user, b.bus, at("a = '札幌🎉'\nb = '𩸽', 温度", " + 1"))
	require.NoError(t, err)
	slices.Sort(got.Matches)
	if from := len([]rune("a = '札幌🎉'\nb = '𩸽', ")); !slices.Equal(got.Matches, []string{"温度データ", "温度計"}) || got.From != from || got.To != from+2 {
		t.Errorf("completes to %+v, from %d", got, from)
	}
	help, err := command.InspectCode.Ask(user, b.bus, at("'🎉'; 換算(", ")"))
	if help = terminal.Text(help); err != nil || !strings.Contains(help, "換算(摂氏, *, 精度=1)") || !strings.Contains(help, "華氏にする。") {
		t.Errorf("the help is %q, %v", help, err)
	}
	if help, err := command.InspectCode.Ask(user, b.bus, at("nothing_of_the_kind", "")); err != nil || help != "" {
		t.Errorf("help for nothing: %q, %v", help, err)
	}
	b.store.Update(func(s *state.Snapshot) { s.Settings.Access, s.Paused = oversight.AccessAllow, false })
	must[catalog.Execution](b, catalog.ExecuteCode, `{"session_id": "`+session+`", "code": "import os, time\nprint(1, flush=True)\nwhile not os.path.exists('go-on'): time.sleep(0.01)", "wait": 0}`)
	if _, err := command.CompleteCode.Ask(user, b.bus, at("温", "")); tool.AsError(err).Code != tool.KernelBusy {
		t.Errorf("a busy kernel: %v", err)
	}
	b.write("go-on", "")
}

// TestLiveCodeIsCompletedInR, whose kernel completes in another way.
func TestLiveCodeIsCompletedInR(t *testing.T) {
	b := newBench(t)
	session := must[catalog.SessionCreateOut](b, catalog.SessionCreate, `{"name": "ir"}`).SessionID
	must[catalog.Execution](b, catalog.ExecuteCode, `{"session_id": "`+session+`", "code": "temperatures <- 1; temperate <- 2"}`)
	const before = "x <- '札幌'; temperat"
	of := command.CodeAt{SessionID: session, Code: before + " + 1", At: len([]rune(before))}
	got, err := command.CompleteCode.Ask(b.context(), b.bus, of)
	if from := len([]rune("x <- '札幌'; ")); err != nil || got.From != from || got.To != of.At || !slices.Contains(got.Matches, "temperatures") ||
		!slices.Contains(got.Matches, "temperate") {
		t.Errorf("completes to %+v, %v; from %d", got, err, from)
	}
}

package tools_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"easel/internal/require"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
)

// asUser calls a tool as the user does in the window.
func asUser[Out any](b *bench, t tool.Any, args string) Out {
	b.t.Helper()
	ctx := tool.WithCaller(b.context(), tool.Caller{Transport: tool.Window})
	out, _, err := t.Invoke(ctx, b.bus, json.RawMessage(args))
	if err != nil {
		b.t.Fatalf("%s %s: %v", t.Spec().Name, args, err)
	}
	return out.(Out)
}

// sessionWhen returns the session once fits returns true.
func (b *bench) sessionWhen(id string, fits func(catalog.Session) bool) catalog.Session {
	b.t.Helper()
	for ctx := b.context(); ; {
		for _, s := range must[catalog.SessionListOut](b, catalog.SessionList, `{}`).Sessions {
			if s.SessionID == id && fits(s) {
				return s
			}
		}
		if ctx.Err() != nil {
			b.t.Fatal(context.Cause(ctx))
		}
	}
}

// TestLiveEachClientIsToldOfLostVariablesOnce uses one kernel, which several clients restart, and
// which dies.
func TestLiveEachClientIsToldOfLostVariablesOnce(t *testing.T) {
	a := newBench(t).as(" A")
	b, c := a.as(" B"), a.as(" C")
	s := must[catalog.SessionCreateOut](a, catalog.SessionCreate, `{}`)
	id := `{"session_id": "` + s.SessionID + `"}`
	of := func(rest string) string { return strings.TrimSuffix(id, "}") + ", " + rest + "}" }
	run := func(b *bench, code string) catalog.Execution {
		t.Helper()
		return must[catalog.Execution](b, catalog.ExecuteCode, of(`"code": "`+code+`"`))
	}
	if x := run(a, "import pandas as pd; df = pd.DataFrame({'x': [1]})"); x.KernelReplaced != nil {
		t.Errorf("a new kernel was replaced: %+v", x.KernelReplaced)
	}
	run(b, "y = 2")
	told := func(what string, k *catalog.KernelReplaced, generation int, by string) {
		t.Helper()
		switch {
		case by == "" && k != nil:
			t.Errorf("%s: told %+v", what, *k)
		case by == "":
		case k == nil:
			t.Errorf("%s: not told", what)
		case k.Generation != generation || !strings.Contains(k.By, by) || k.Note != catalog.VariablesLost || time.Since(k.At) > time.Minute || time.Since(k.At) < 0:
			t.Errorf("%s: told %+v, want generation %d by %q", what, *k, generation, by)
		}
	}

	if r := must[catalog.SessionRestartOut](b, catalog.SessionRestart, id); r.KernelReplaced != nil {
		t.Errorf("who restarted it is told: %+v", r.KernelReplaced)
	}
	told("another client's restart", must[catalog.GetVariablesOut](a, catalog.GetVariables, id).KernelReplaced, 2, "test B")
	told("again", must[catalog.GetVariablesOut](a, catalog.GetVariables, id).KernelReplaced, 0, "")
	told("who restarted it", run(b, "1").KernelReplaced, 0, "")
	told("a new client", run(c, "1").KernelReplaced, 0, "")

	asUser[catalog.SessionRestartOut](a, catalog.SessionRestart, id)
	e := a.refusal(catalog.GetDataFrameInfo, of(`"variable_name": "df"`), tool.VariableNotFound)
	if !strings.Contains(e.Hint, "(by the user, in Easel's window)") || !strings.Contains(e.Hint, catalog.VariablesLost) {
		t.Errorf("an error after the user's restart: %q", e.Hint)
	}
	told("who got the error", run(a, "1").KernelReplaced, 0, "")
	told("another result", must[catalog.SessionConnectOut](b, catalog.SessionConnect, `{"kernel_id": "`+s.KernelID+`"}`).KernelReplaced, 3, "the user")

	if _, err := a.client.RestartKernel(a.context(), s.KernelID); err != nil {
		t.Fatal(err)
	}
	a.sessionWhen(s.SessionID, func(s catalog.Session) bool { return s.Generation == 4 })
	told("JupyterLab's restart", run(a, "1").KernelReplaced, 4, "outside Easel")

	// A client that connects again is still a client that used the session.
	m1, m2, m3 := a.as(" M"), a.as(" M"), a.as(" M")
	m1.mcp, m2.mcp, m3.mcp = "mcp-session-1", "mcp-session-2", "mcp-session-3"
	run(m1, "1")
	must[catalog.SessionRestartOut](b, catalog.SessionRestart, id)
	told("after a new connection", run(m2, "1").KernelReplaced, 5, "test B")
	told("again", run(m2, "1").KernelReplaced, 0, "")
	told("after another connection", run(m3, "1").KernelReplaced, 0, "")
	told("A", run(a, "1").KernelReplaced, 5, "test B")

	x := run(b, "import os; os._exit(1)")
	if x.Status != catalog.StatusKernelDied {
		t.Fatalf("got %+v", x)
	}
	told("who let it die", x.KernelReplaced, 6, "died")
	told("a look while the new kernel starts", must[catalog.GetVariablesOut](m3, catalog.GetVariables, id).KernelReplaced, 6, "died")
	told("an earlier execution's result", must[catalog.Execution](a, catalog.GetExecution, `{"execution_id": "`+run(c, "2").ExecutionID+`"}`).KernelReplaced, 6, "died")

	interrupted(t, a, b, id)
	created(t, a, b)
}

// created checks that a new session of a notebook tells who had used the last one, which ended
// together with its kernel.
func created(t *testing.T, a, b *bench) {
	t.Helper()
	a.notebookOf("ended.ipynb", "x = 1", "x")
	cell := func(b *bench, i int) catalog.CellChanged {
		t.Helper()
		return must[catalog.CellChanged](b, catalog.NotebookRunCell, fmt.Sprintf(`{"path": "ended.ipynb", "index": %d}`, i))
	}
	first := cell(a, 0)
	if cell(b, 0).KernelReplaced != nil || first.KernelReplaced != nil {
		t.Errorf("a new session: %+v", first.KernelReplaced)
	}
	ended := func() {
		t.Helper()
		for _, s := range must[catalog.SessionListOut](a, catalog.SessionList, `{}`).Sessions {
			if s.NotebookPath == "ended.ipynb" {
				require.NoError(t, a.client.DeleteSession(a.context(), s.SessionID))
				return
			}
		}
		t.Fatal("the notebook has no session")
	}
	ended()
	again := cell(a, 1)
	k := again.KernelReplaced
	if again.Execution.SessionID == first.Execution.SessionID || again.Execution.Error == nil || again.Execution.Error.Type != "NameError" {
		t.Fatalf("ran in %s after %s: %+v", again.Execution.SessionID, first.Execution.SessionID, again.Execution.Error)
	}
	if k == nil || k.Generation != 2 || !strings.Contains(k.By, "a new one was started") || time.Since(k.At) > time.Minute {
		t.Errorf("the new session: told %+v", k)
	}
	if k := cell(a, 0).KernelReplaced; k != nil {
		t.Errorf("told again: %+v", k)
	}
	if k := cell(b, 0).KernelReplaced; k == nil || k.Generation != 2 {
		t.Errorf("the other client: told %+v", k)
	}
	// Who ends a session knows.
	must[catalog.SessionDeleteOut](b, catalog.SessionDelete, `{"session_id": "`+again.Execution.SessionID+`"}`)
	if k := cell(b, 0).KernelReplaced; k != nil {
		t.Errorf("who ended the session: told %+v", k)
	}
	if k := cell(a, 0).KernelReplaced; k == nil || k.Generation != 3 || k.By != "test B" {
		t.Errorf("after another client ended the session: told %+v", k)
	}
}

// interrupted checks what a client reads while another's code runs, and when the other
// interrupts its own.
func interrupted(t *testing.T, a, b *bench, id string) {
	t.Helper()
	code := func(code, wait string) string {
		return strings.TrimSuffix(id, "}") + `, "code": "` + code + `", "wait": ` + wait + `}`
	}
	long := must[catalog.Execution](a, catalog.ExecuteCode, code(`import time\nprint('on')\ntime.sleep(600)`, "0"))
	session := a.sessionWhen(long.SessionID, func(s catalog.Session) bool { return s.Running != nil && s.Running.ExecutionID == long.ExecutionID })
	if r := session.Running; r.Code != "import time" || r.Client != "test A" || r.Seconds > 60 || time.Since(r.Since) > time.Minute {
		t.Errorf("running: %+v", r)
	}
	if got := strings.Join(session.Clients, "; "); got != "test A; test B; test C; test M" {
		t.Errorf("clients: %s", got)
	}
	waiting := must[catalog.Execution](b, catalog.ExecuteCode, code("'then'", "0.2"))
	if want := "Code of test A (execution_id " + long.ExecutionID + ") has been running for "; !strings.Contains(waiting.Hint, want) || !strings.Contains(waiting.Hint, "`import time`") {
		t.Errorf("the hint of queued code: %q, want %q", waiting.Hint, want)
	}
	must[catalog.SessionInterruptOut](b, catalog.SessionInterrupt, id)
	follow := `{"execution_id": "` + long.ExecutionID + `", "wait": 30}`
	if x := must[catalog.Execution](a, catalog.GetExecution, follow); x.Status != catalog.StatusInterrupted || !strings.Contains(x.Error.Message, "interrupted by test B") {
		t.Errorf("interrupted by another client: %+v, %+v", x.Status, x.Error)
	}
	if _, err := call[catalog.SessionDeleteOut](b, catalog.SessionDelete, id); err != nil {
		t.Fatal(err)
	}
	if e := a.refusal(catalog.GetVariables, id, tool.KernelNotFound); !strings.Contains(e.Detail, "ended at ") || !strings.Contains(e.Detail, "by test B") {
		t.Errorf("after the end: %q", e.Detail)
	}
}

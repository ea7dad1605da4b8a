package tools_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

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

// TestEachClientIsToldOfLostVariablesOnce uses one kernel, which several clients restart, and
// which dies.
func TestEachClientIsToldOfLostVariablesOnce(t *testing.T) {
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

	x := run(b, "import os; os._exit(1)")
	if x.Status != catalog.StatusKernelDied {
		t.Fatalf("got %+v", x)
	}
	told("who let it die", x.KernelReplaced, 5, "died")
	told("an earlier execution's result", must[catalog.Execution](a, catalog.GetExecution, `{"execution_id": "`+run(c, "2").ExecutionID+`"}`).KernelReplaced, 5, "died")

	interrupted(t, a, b, id)
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
	if got := strings.Join(session.Clients, "; "); got != "test A; test B; test C" {
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

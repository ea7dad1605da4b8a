package tools_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"easel/internal/require"
	"easel/mcphost/brief"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/command"
	"easel/ui/core/oversight"
	"easel/ui/core/state"
)

// An asker is an MCP client that runs code with the user's approval.
type asker struct {
	*bench
	name, session string
}

func (a asker) ctx() context.Context {
	return tool.WithCaller(a.context(), tool.Caller{Transport: tool.MCP, Name: a.name, Session: a.name})
}

// run runs code, and waits for it if wait is set.
func (a asker) run(code string, wait float64) (catalog.Execution, error) {
	args, err := json.Marshal(catalog.ExecuteCodeIn{SessionID: a.session, Code: code, Wait: &wait})
	require.NoError(a.t, err)
	out, _, err := catalog.ExecuteCode.Invoke(a.ctx(), a.bus, args)
	if err != nil {
		return catalog.Execution{}, err
	}
	return out.(catalog.Execution), nil
}

// told returns the answers that the client's next result announces, as it reads them.
func (a asker) told() string {
	late, err := catalog.AnnounceAnswers.Ask(a.ctx(), a.bus, struct{}{})
	require.NoError(a.t, err)
	var texts []string
	for _, l := range late {
		text, err := json.Marshal(brief.Of(l, nil))
		require.NoError(a.t, err)
		texts = append(texts, string(text))
	}
	return strings.Join(texts, "\n")
}

// answer answers a question as the window does, when its call has returned or it has expired.
func (a asker) answer(in command.ApprovalAnswer) {
	a.t.Helper()
	asked := make(chan catalog.Approval, 1)
	look := func() {
		s := a.store.Snapshot()
		for _, q := range slices.Concat(s.Approvals, s.Expired) {
			if q.Returned || q.Outcome != "" {
				select {
				case asked <- q:
				default:
				}
			}
		}
	}
	stop := a.store.OnChange(look)
	look()
	in.ApprovalID = (<-asked).ApprovalID
	stop()
	if _, err := command.AnswerApproval.Ask(tool.WithCaller(a.context(), tool.Caller{Transport: tool.Window}), a.bus, in); err != nil {
		a.t.Fatal(err)
	}
}

// ended waits for the end of an execution without telling the client.
func (a asker) ended(id string) {
	a.t.Helper()
	x, err := a.kernels.Execution(a.context(), id)
	require.NoError(a.t, err)
	<-x.Done()
}

// TestLiveLateAnswersReachTheAssistant covers answers that the user gives after the call has
// returned, or after the request has expired.
func TestLiveLateAnswersReachTheAssistant(t *testing.T) {
	b := newBench(t)
	session := must[catalog.SessionCreateOut](b, catalog.SessionCreate, `{}`).SessionID
	access := func(mode string, patience float64) {
		b.store.Update(func(s *state.Snapshot) { s.Settings.Access, s.Settings.AskFor = mode, patience })
	}
	access(oversight.AccessAsk, 600)
	t.Cleanup(func() { access(oversight.AccessAllow, 600) })
	claude, other := asker{b, "claude", session}, asker{b, "other", session}
	denied := func(err error) string {
		t.Helper()
		e := tool.AsError(err)
		if err == nil || e.Code != tool.Denied {
			t.Fatalf("got %v", err)
		}
		return e.Detail + " " + e.Hint
	}

	// A denial with a reason, after the call has returned.
	x, err := claude.run("1 + 1", 0)
	if err != nil || x.Status != catalog.StatusAwaiting {
		t.Fatalf("got %+v, %v", x, err)
	}
	claude.answer(command.ApprovalAnswer{Words: "count yourself"})
	claude.ended(x.ExecutionID)
	if got := other.told(); got != "" {
		t.Errorf("another client was told %s", got)
	}
	if got := claude.told(); !strings.Contains(got, `"denied"`) || !strings.Contains(got, "count yourself") || !strings.Contains(got, x.ExecutionID) || strings.Contains(got, "\n") {
		t.Errorf("told %s", got)
	}
	if _, err = claude.run("1 + 1", 30); !strings.Contains(denied(err), "count yourself") || !strings.Contains(denied(err), "call again") {
		t.Errorf("refused with %v", err)
	}
	if got := claude.told(); got != "" {
		t.Errorf("told again: %s", got)
	}

	// The same code once more: the user is asked, and approves after the call has returned.
	if x, err = claude.run("1 + 1", 0); err != nil || x.Status != catalog.StatusAwaiting {
		t.Fatalf("got %+v, %v", x, err)
	}
	claude.answer(command.ApprovalAnswer{Approve: true})
	claude.ended(x.ExecutionID)
	if got := claude.told(); !strings.Contains(got, `"approved"`) || !strings.Contains(got, "get_execution") || !strings.Contains(got, x.ExecutionID) {
		t.Errorf("told %s", got)
	}

	// An answer that get_execution returns is not told again.
	if x, err = claude.run("2", 0); err != nil {
		t.Fatal(err)
	}
	claude.answer(command.ApprovalAnswer{Words: "no"})
	claude.ended(x.ExecutionID)
	args, _ := json.Marshal(catalog.GetExecutionIn{ExecutionID: x.ExecutionID})
	if out, _, err := catalog.GetExecution.Invoke(claude.ctx(), b.bus, args); err != nil || out.(catalog.Execution).Error.Code != catalog.CodeDenied {
		t.Errorf("got %+v, %v", out, err)
	}
	if got := claude.told(); got != "" {
		t.Errorf("told again: %s", got)
	}

	// A request that expired: the user approves it, and the code runs when it is sent again.
	access(oversight.AccessAsk, 0.01)
	if _, err = claude.run("3 + 3", 30); tool.AsError(err).Code != tool.ApprovalTimeout {
		t.Fatalf("got %v", err)
	}
	access(oversight.AccessAsk, 600)
	claude.answer(command.ApprovalAnswer{Approve: true})
	if got := claude.told(); !strings.Contains(got, "runs without asking") {
		t.Errorf("told %s", got)
	}
	if x, err = claude.run("3 + 3", 30); err != nil || x.Status != catalog.StatusOK {
		t.Errorf("got %+v, %v", x, err)
	}
	if len(b.store.Snapshot().Approvals)+len(b.store.Snapshot().Expired) > 0 {
		t.Errorf("left open: %+v", b.store.Snapshot().Approvals)
	}
}

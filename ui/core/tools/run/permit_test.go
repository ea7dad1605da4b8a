package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/command"
	"easel/ui/core/kernels/tasks"
	"easel/ui/core/oversight"
	"easel/ui/core/state"
	"easel/ui/core/tools/codes"
)

// TestConnectingToAKernelNeedsTheUser covers the question whether a client may connect to a
// kernel that no Jupyter server runs.
func TestConnectingToAKernelNeedsTheUser(t *testing.T) {
	store := state.NewStore(state.Snapshot{Settings: state.DefaultSettings(), Window: state.WindowShown})
	a := &answers{store: store, approvals: oversight.NewApprovals(store, nil, func(catalog.ChangeName, catalog.Approval) {})}
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

// A salesDesk asks one question, as projects.Projects asks it.
type salesDesk struct {
	t           *testing.T
	store       *state.Store
	approvals   *oversight.Approvals
	answers     *answers
	group       *tasks.Group
	permissions oversight.Permissions
}

func newSalesDesk(t *testing.T) *salesDesk {
	t.Helper()
	store := state.NewStore(state.Snapshot{Settings: state.DefaultSettings(), Window: state.WindowShown})
	approvals := oversight.NewApprovals(store, nil, func(catalog.ChangeName, catalog.Approval) {})
	d := &salesDesk{t: t, store: store, approvals: approvals, answers: &answers{store: store, approvals: approvals}, group: tasks.New()}
	t.Cleanup(func() { _ = d.group.Close(context.Background()) })
	return d
}

// call asks for a client whether it may work in /sales, until the call is cancelled.
func (d *salesDesk) call(ctx context.Context, client, holder string) (cancel func() error) {
	d.t.Helper()
	ctx, stop := context.WithCancel(tool.WithCaller(ctx, tool.Caller{Transport: tool.MCP, Name: client, Holder: holder}))
	done := make(chan error, 1)
	go func() {
		done <- d.permissions.Answer(ctx, d.permissions.Question(ctx, d.group, "/sales", func(ctx context.Context) error {
			return d.answers.permitProject(ctx, catalog.Project{Root: "/sales"})
		}))
	}()
	synctest.Wait()
	return func() error {
		stop()
		return <-done
	}
}

// open returns the open questions: who asks, and whether nobody waits for the answer, and why.
func (d *salesDesk) open() (list []string) {
	synctest.Wait()
	for _, q := range d.store.Snapshot().Approvals {
		list = append(list, fmt.Sprint(q.Client, " ", q.Returned, " ", q.Deserted))
	}
	return list
}

func (d *salesDesk) want(when string, want ...string) {
	d.t.Helper()
	if got := d.open(); !slices.Equal(got, want) {
		d.t.Errorf("%s: open are %q, want %q", when, got, want)
	}
}

// TestAQuestionGoesWithItsClient checks that no question outlives the clients that have asked it,
// and that one whose call was given up says so.
func TestAQuestionGoesWithItsClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newSalesDesk(t)
		one := d.call(t.Context(), "claude", "one")
		two := d.call(t.Context(), "claude", "two")
		d.want("two processes ask", "claude false false")
		_ = one()
		d.want("one was cancelled", "claude false false")
		_ = two()
		d.want("both were cancelled", "claude true true")
		d.approvals.Ended("two")
		d.want("one process has ended", "claude true true")
		again := d.call(t.Context(), "claude", "one")
		d.want("the other asks again", "claude false false")
		d.approvals.Ended("one")
		d.want("the other has ended, too")
		if err := again(); !errors.Is(err, oversight.ErrClientEnded) {
			t.Errorf("its call ended with %v", err)
		}
		_ = d.call(t.Context(), "claude", "three")()
		codex := d.call(t.Context(), "codex", "four")
		d.want("another client asks after one that has given up", "codex false false")
		_ = codex()
	})
}

// TestAQuestionThatCodeWaitsFor says that the assistant no longer waits only if that is so.
func TestAQuestionThatCodeWaitsFor(t *testing.T) {
	for waits, want := range map[bool]string{false: "claude true false", true: "claude false false"} {
		synctest.Test(t, func(t *testing.T) {
			d, ctx := newSalesDesk(t), t.Context()
			if waits {
				ctx = oversight.Waiting(ctx)
			}
			cancel := d.call(ctx, "claude", "one")
			d.want("at first", "claude false false")
			time.Sleep(oversight.PermitPatience + time.Second) // nobody answers
			d.want("after a while", want)
			_ = cancel()
		})
	}
}

// TestAnAnswerInTheLogSaysWhatItWasAbout checks what somebody learns of an answer who was not there.
func TestAnAnswerInTheLogSaysWhatItWasAbout(t *testing.T) {
	because := []catalog.Risk{{Kind: "files", Line: 2, What: "os.remove"}}
	store := state.NewStore(state.Snapshot{Approvals: []catalog.Approval{
		{ApprovalID: "a", ExecutionID: "e1", SessionID: "s1", Client: "codex 2", Assistant: "codex", Code: "x", Because: because},
		{ApprovalID: "b", Client: "codex 2", Tool: "session_restart", Target: "Tides"},
		{ApprovalID: "c", Project: &catalog.Project{Root: "/sales"}},
	}})
	a := &answers{store: store}
	for name, c := range map[string]struct {
		in   command.ApprovalAnswer
		want string
	}{
		"code":    {command.ApprovalAnswer{ApprovalID: "a", Approve: true, Kinds: command.KindsInProject}, "about:code assistant:codex kinds:project risks:[{files 2 os.remove}] run:e1"},
		"once":    {command.ApprovalAnswer{ApprovalID: "a", Approve: true}, "about:code assistant:codex kinds:<nil> risks:[{files 2 os.remove}] run:e1"},
		"tool":    {command.ApprovalAnswer{ApprovalID: "b"}, "about:tool assistant: kinds:<nil> risks:[] run:"},
		"project": {command.ApprovalAnswer{ApprovalID: "c", Approve: true}, "about:project assistant: kinds:<nil> risks:[] run:"},
	} {
		said := a.answered(c.in).(map[string]any)
		got := fmt.Sprintf("about:%v assistant:%v kinds:%v risks:%v run:%v", said["about"], said["assistant"], said["kinds"], said["risks"], said["run"])
		if got != c.want || c.in.ApprovalID == "b" && (said["tool"] != "session_restart" || said["target"] != "Tides") {
			t.Errorf("%s: %s", name, got)
		}
	}
}

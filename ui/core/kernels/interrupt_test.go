package kernels_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"

	"easel/internal/require"
	"easel/jupyter"
	"easel/jupyter/jupytertest"
	"easel/jupyter/wire"
	"easel/mcphost/catalog"
	"easel/ui/core/kernels/execution"
	"easel/ui/core/kernels/record"
	"easel/ui/core/library"
	"easel/ui/core/oversight"
)

// TestAnInterruptTellsWhatTheKernelSaid checks that an interrupt returns its effect, not only
// that it was sent.
func TestAnInterruptTellsWhatTheKernelSaid(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		code    func(end chan struct{}) func(*jupytertest.Execution)
		idle    bool
		outcome string
		status  string
	}{
		"code that ends by it": {func(chan struct{}) func(*jupytertest.Execution) { return hold }, false, catalog.Interrupted, "idle"},
		"code that catches it": {func(end chan struct{}) func(*jupytertest.Execution) { return stubborn(end) }, false, catalog.StillRuns, "busy"},
		"code that makes an end of its own of it": {func(chan struct{}) func(*jupytertest.Execution) {
			return func(x *jupytertest.Execution) {
				x.Usual(func() {
					x.Stream("stdout", "begun\n")
					<-x.Interrupted()
				})
			}
		}, false, catalog.EndedItself, "idle"},
		"no code": {func(chan struct{}) func(*jupytertest.Execution) { return hold }, true, catalog.NothingRan, "idle"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, s, k, _ := fakeSession(t)
			end := make(chan struct{})
			defer close(end)
			k.OnExecute(c.code(end))
			var x *execution.Execution
			if !c.idle {
				x = d.start(s, "1")
				d.until(x, hasStdout)
			}
			got, err := d.InterruptSession(d.context(), s.ID, false)
			if err != nil || got.Outcome != c.outcome || got.Status != c.status {
				t.Errorf("got %s, %s, %v; want %s, %s", got.Outcome, got.Status, err, c.outcome, c.status)
			}
			if x != nil && got.ExecutionID != x.ID() {
				t.Errorf("it is told of %q, want %s", got.ExecutionID, x.ID())
			}
			if c.outcome == catalog.StillRuns {
				d.awaitUnmoved(s)
			}
		})
	}
}

// TestAnInterruptOfAnotherClientsCode checks that the outcomes are the same as for Easel's own
// code.
func TestAnInterruptOfAnotherClientsCode(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		code    func(end chan struct{}) func(*jupytertest.Execution)
		outcome string
		status  string // of the execution; "" while it runs
	}{
		"it ends by the interrupt":   {func(chan struct{}) func(*jupytertest.Execution) { return hold }, catalog.Interrupted, catalog.StatusInterrupted},
		"it catches the interrupt":   {func(end chan struct{}) func(*jupytertest.Execution) { return stubborn(end) }, catalog.StillRuns, ""},
		"it ends with a result":      {func(chan struct{}) func(*jupytertest.Execution) { return endsItself("") }, catalog.EndedItself, catalog.StatusOK},
		"it ends with its own error": {func(chan struct{}) func(*jupytertest.Execution) { return endsItself("RuntimeError") }, catalog.EndedItself, catalog.StatusError},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, s, k, _ := fakeSession(t)
			end := make(chan struct{})
			defer close(end)
			k.OnExecute(c.code(end))
			d.otherClientRuns(s, "theirs")
			got, err := d.InterruptSession(d.context(), s.ID, true)
			if err != nil || got.Outcome != c.outcome || got.ExecutionID != "" {
				t.Errorf("got %s, %q, %v; want %s", got.Outcome, got.ExecutionID, err, c.outcome)
			}
			if c.status != "" {
				d.awaitEnded("theirs", c.status)
			} else {
				d.awaitUnmoved(s)
			}
		})
	}
}

// awaitUnmoved waits until the session says that its code has not reacted to an interrupt.
func (d *fixture) awaitUnmoved(s library.Session) {
	d.t.Helper()
	d.awaitView(s, "whose code does not react", func(v record.SessionView) bool { return v.Running != nil && v.Running.Unmoved })
}

// TestUnknownCodeThatDoesNotReact is about code of which the recorder has received no message.
func TestUnknownCodeThatDoesNotReact(t *testing.T) {
	t.Parallel()
	d, s, k, _ := fakeSession(t)
	end := make(chan struct{})
	defer close(end)
	k.OnExecute(stubborn(end))
	d.until(d.start(s, "loop"), hasStdout)
	d = d.successor(s)
	if got, err := d.InterruptSession(d.context(), s.ID, true); err != nil || got.Outcome != catalog.StillRuns {
		t.Errorf("got %+v, %v", got, err)
	}
	d.awaitUnmoved(s)
}

// endsItself returns code that ends by itself when it is interrupted, with the named error, or
// with a result if name is "".
func endsItself(name string) func(*jupytertest.Execution) {
	return func(x *jupytertest.Execution) {
		x.Busy()
		x.Input()
		<-x.Interrupted()
		if name == "" {
			x.Reply(wire.ReplyOK)
		} else {
			x.Error(name, "")
			x.Fail(name, "")
		}
		x.Idle()
	}
}

// otherClientRuns runs code in a session as another client, and waits until the session shows
// the code.
func (d *fixture) otherClientRuns(s library.Session, code string) {
	d.t.Helper()
	other, err := d.otherClient().Follow(d.context(), s.KernelID, jupyter.FollowOptions{})
	require.NoError(d.t, err)
	d.t.Cleanup(func() { _ = other.Close() })
	if _, err := other.Execute(d.context(), jupyter.ExecuteRequest{Code: code}); err != nil {
		d.t.Fatal(err)
	}
	d.awaitWork(s, code)
}

// TestAnInterruptThatTheServerRefuses checks that this is an error for any client's code.
func TestAnInterruptThatTheServerRefuses(t *testing.T) {
	t.Parallel()
	for _, whose := range []string{"ours", "of an earlier Easel", "another client's"} {
		d, s, k, srv := fakeSession(t)
		k.OnExecute(hold)
		if whose == "another client's" {
			d.otherClientRuns(s, "loop")
		} else {
			d.until(d.start(s, "loop"), hasStdout)
		}
		if whose == "of an earlier Easel" { // the next manager has received no message about it
			d = d.successor(s)
		}
		srv.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
			if strings.HasSuffix(r.URL.Path, "/interrupt") {
				w.WriteHeader(http.StatusInternalServerError)
				return true
			}
			return false
		})
		if got, err := d.InterruptSession(d.context(), s.ID, true); err == nil {
			t.Errorf("%s: got %+v and no error", whose, got)
		}
	}
}

// TestWhatWaitsForApprovalIsWithdrawn checks that an interrupt, or any other end, withdraws the
// approval request, and that a late answer does not run the code.
func TestWhatWaitsForApprovalIsWithdrawn(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		do   func(t *testing.T, d *fixture, session string, x *execution.Execution)
		says string
	}{
		"an interrupt": {func(t *testing.T, d *fixture, session string, x *execution.Execution) {
			got, err := d.InterruptSession(d.context(), session, false)
			if err != nil || got.Outcome != catalog.Withdrawn || got.ExecutionID != x.ID() {
				t.Errorf("got %+v, %v", got, err)
			}
		}, "the session was interrupted"},
		"a cancel": {func(_ *testing.T, d *fixture, _ string, x *execution.Execution) { d.Cancel(x) }, "the caller cancelled it"},
		"a restart": {func(t *testing.T, d *fixture, session string, _ *execution.Execution) {
			if _, err := d.Restart(d.context(), session, false); err != nil {
				t.Error(err)
			}
		}, "restarted"},
		"its session's end": {func(t *testing.T, d *fixture, session string, _ *execution.Execution) {
			if _, err := d.Delete(d.context(), session, false); err != nil {
				t.Error(err)
			}
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, s, k, _ := fakeSession(t)
			k.OnExecute(func(x *jupytertest.Execution) {
				if x.Code == "asked" {
					t.Error("it ran")
				}
				x.Usual(func() {})
			})
			gone := make(chan struct{})
			x := d.asking(s, "asked", func(ctx context.Context, _ catalog.Execution) (oversight.Consent, error) {
				<-ctx.Done()
				close(gone)
				return oversight.Consent{Code: "asked"}, nil // the user approves at the same time
			})
			if v, _ := x.View(t.Context(), ""); !strings.Contains(v.Hint, "session_interrupt withdraws it") || strings.Contains(v.Hint, "goes on") {
				t.Errorf("the hint: %q", v.Hint)
			}
			c.do(t, d, s.ID, x)
			v := d.wait(x)
			if !slices.Contains([]string{catalog.StatusCancelled, catalog.StatusKernelDied}, v.Status) || v.Error == nil || !strings.Contains(v.Error.Message, c.says) || v.StartedAt != nil {
				t.Errorf("it ended as %+v %+v", v, v.Error)
			}
			<-gone
			if name == "its session's end" {
				return
			}
			expect(t, d.run(s, "1"), catalog.StatusOK, "")
		})
	}
}

// TestCodeWhoseIdleIsLateHasReacted covers a kernel whose messages are delayed behind many others:
// it has replied after an interrupt, but its idle has not arrived.
func TestCodeWhoseIdleIsLateHasReacted(t *testing.T) {
	t.Parallel()
	d, s, k, _ := fakeSession(t)
	k.OnExecute(func(x *jupytertest.Execution) {
		x.Busy()
		x.Input()
		x.Stream("stdout", "begun\n")
		select {
		case <-x.Interrupted():
		case <-x.Context().Done():
		}
		x.Fail("KeyboardInterrupt", "")
	})
	x := d.start(s, "theirs")
	d.until(x, func(v catalog.Execution) bool { return v.Stdout != "" })
	d.Cancel(x)
	v := d.wait(x)
	if v.Status != catalog.StatusCancelled || strings.Contains(v.Hint, "does not react") {
		t.Errorf("got %s, hint %q", v.Status, v.Hint)
	}
	k.OnExecute(nil)
	expect(t, d.run(s, "2"), catalog.StatusOK, "")
}

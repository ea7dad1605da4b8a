package kernels_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"easel/internal/require"
	"easel/jupyter"
	"easel/jupyter/jupytertest"
	"easel/jupyter/wire"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/kernels"
	"easel/ui/core/kernels/execution"
	"easel/ui/core/kernels/record"
	"easel/ui/core/kernels/servers"
	"easel/ui/core/library"
	"easel/ui/core/oversight"
)

// Code continues in its kernel after Easel has quit. Clients can interrupt it after the next
// start, unless it may be another client's code.
func TestWhatAnEarlierEaselBeganIsInterrupted(t *testing.T) {
	t.Parallel()
	begin := func(t *testing.T) (*fixture, library.Session, *jupytertest.Kernel) {
		d, s, k, _ := fakeSession(t)
		k.OnExecute(hold)
		d.until(d.start(s, "loop"), hasStdout)
		return d, s, k
	}
	t.Run("nobody else is connected", func(t *testing.T) {
		t.Parallel()
		d, s, k := begin(t)
		next, ready := d.succeed(s)
		k.AwaitConnections(0) // the server has noticed that the first manager disconnected
		ready()
		waiting := next.start(s, "next")
		k.OnExecute(nil)
		if _, err := next.InterruptSession(d.context(), s.ID, false); err != nil {
			t.Fatal(err)
		}
		expect(t, d.wait(waiting), catalog.StatusOK, "")
	})
	t.Run("the server has missed that the kernel is busy", func(t *testing.T) {
		t.Parallel()
		d, s, k := begin(t)
		next, ready := d.succeed(s)
		k.AwaitConnections(0)
		k.Status(wire.StateIdle) // in REST only
		ready()
		waiting := next.start(s, "next")
		k.OnExecute(nil)
		if v, err := next.InterruptSession(d.context(), s.ID, false); err != nil || v.Outcome == catalog.NothingRan {
			t.Fatalf("%+v, %v", v, err)
		}
		expect(t, d.wait(waiting), catalog.StatusOK, "")
	})
	t.Run("somebody else is", func(t *testing.T) {
		t.Parallel()
		d, s, _ := begin(t)
		other, err := d.otherClient().Follow(d.context(), s.KernelID, jupyter.FollowOptions{})
		require.NoError(t, err)
		defer other.Close()
		next := d.successor(s)
		if _, err := next.InterruptSession(d.context(), s.ID, false); !errors.Is(err, record.ErrForeignRun) {
			t.Errorf("got %v", err)
		}
		if _, err := next.InterruptSession(d.context(), s.ID, true); err != nil {
			t.Errorf("by the user: %v", err)
		}
	})
	t.Run("what began behind it is theirs", func(t *testing.T) {
		t.Parallel()
		d, s, k := begin(t)
		next := d.successor(s)
		other, err := d.otherClient().Follow(d.context(), s.KernelID, jupyter.FollowOptions{})
		require.NoError(t, err)
		defer other.Close()
		if _, err := other.Execute(d.context(), jupyter.ExecuteRequest{Code: "theirs"}); err != nil {
			t.Fatal(err)
		}
		k.Interrupt()
		next.awaitWork(s, "theirs")
		if _, err := next.InterruptSession(d.context(), s.ID, false); !errors.Is(err, record.ErrForeignRun) {
			t.Errorf("got %v", err)
		}
	})
}

// successor closes d and returns the next start of Easel: a manager with the same library and
// server.
func (d *fixture) successor(s library.Session) *fixture {
	d.t.Helper()
	next, ready := d.succeed(s)
	ready()
	return next
}

// succeed is like successor, but the server is not ready until ready is called.
func (d *fixture) succeed(s library.Session) (next *fixture, ready func()) {
	d.t.Helper()
	require.NoError(d.t, d.Close(d.context()))
	m := kernels.New(kernels.Config{Library: d.lib, Log: quietLog(d.t), Gate: oversight.NewGate(d.state)})
	d.t.Cleanup(func() { _ = m.Close(context.Background()) })
	m.Quicken(d.quicker)
	m.Servers.Add(s.Server, false)
	require.NoError(d.t, m.Recover(d.context()))
	next = &fixture{t: d.t, client: d.client, real: d.real, lib: d.lib, Manager: m, url: d.url, token: d.token, quicker: d.quicker}
	return next, func() {
		d.t.Helper()
		m.Servers.Set(d.client, catalog.ServerHealth{Name: s.Server, State: servers.StateReady})
		require.NoError(d.t, m.Restore(d.context(), s.Server))
	}
}

// becomes waits until ok accepts the execution. It fails if the execution ends as lost.
func (d *fixture) becomes(x *execution.Execution, ok func(catalog.Execution) bool) catalog.Execution {
	d.t.Helper()
	return poll(d, "the execution as it should be", func(ctx context.Context) (catalog.Execution, bool) {
		x, err := d.Execution(ctx, x.ID()) // the Execution of this manager
		require.NoError(d.t, err)
		v, err := x.View(ctx, "")
		require.NoError(d.t, err)
		done := ok(v)
		if !done && v.Status == catalog.StatusLost {
			d.t.Fatalf("it is lost: %+v", v)
		}
		return v, done
	})
}

func ended(v catalog.Execution) bool {
	return catalog.Ended(v.Status) && v.Status != catalog.StatusLost
}

// An execution that was sent before a restart of Easel continues with the same code, client,
// output and timeout.
func TestWhatAnEarlierEaselSentGoesOn(t *testing.T) {
	t.Parallel()
	// say makes the code print a text, or end if the text is "".
	begin := func(t *testing.T, timeout time.Duration) (d *fixture, s library.Session, k *jupytertest.Kernel, x *execution.Execution, say chan string) {
		d, s, k, _ = fakeSession(t)
		say = make(chan string)
		k.OnExecute(func(x *jupytertest.Execution) {
			x.Usual(func() {
				x.Stream("stdout", "before\n")
				for text := "more"; text != ""; {
					select {
					case text = <-say:
						x.Stream("stdout", text)
					case <-x.Interrupted():
						x.Error("KeyboardInterrupt", "")
						text = ""
					case <-x.Context().Done():
						text = ""
					}
				}
			})
		})
		first := d.start(s, "first")
		x, err := d.Execute(d.context(), record.Request{SessionID: s.ID, Code: "second", Caller: tool.Caller{Name: "Claude"}, Timeout: timeout})
		require.NoError(t, err)
		say <- "" // so that the second is sent from the queue
		d.wait(first)
		d.until(x, hasStdout)
		if x, err := d.lib.Executions.Get(d.context(), x.ID()); err != nil || x.Request == "" {
			t.Errorf("a crash now would forget its request: %+v, %v", x, err)
		}
		return d, s, k, x, say
	}
	leave := func(d *fixture, k *jupytertest.Kernel) {
		require.NoError(d.t, d.Close(d.context()))
		k.AwaitConnections(0)
	}
	t.Run("while it runs", func(t *testing.T) {
		t.Parallel()
		d, s, _, x, say := begin(t, time.Hour)
		next := d.successor(s)
		say <- "after\n"
		v := next.becomes(x, func(v catalog.Execution) bool {
			return v.Status == catalog.StatusRunning && v.Stdout == "before\nafter\n"
		})
		if v.Error != nil || v.Code != "second" || len(v.Truncated) != 1 {
			t.Errorf("got %+v", v)
		}
		next.awaitView(s, "at work at its own", func(v record.SessionView) bool {
			return v.Running != nil && v.Running.Own && v.Running.Client == "Claude" && v.Running.ExecutionID == x.ID()
		})
		waiting := next.start(s, "third")
		say <- ""
		if v := next.becomes(x, ended); v.Status != catalog.StatusOK {
			t.Errorf("got %+v", v)
		}
		say <- ""
		expect(t, next.wait(waiting), catalog.StatusOK, "before\n")
		if xs, err := d.lib.Executions.List(d.context(), library.ExecutionQuery{SessionID: s.ID}); err != nil || len(xs) != 3 {
			t.Errorf("got %+v, %v", xs, err)
		}
	})
	t.Run("when it has ended, and the server has kept that", func(t *testing.T) {
		t.Parallel()
		d, s, k, x, say := begin(t, time.Hour)
		leave(d, k)
		say <- "meanwhile\n"
		say <- ""
		k.AwaitState(wire.StateIdle)
		expect(t, d.successor(s).becomes(x, ended), catalog.StatusOK, "before\nmeanwhile\n")
	})
	t.Run("when nothing but its end is heard", func(t *testing.T) {
		t.Parallel()
		d, s, k, x, say := begin(t, time.Hour)
		leave(d, k)
		say <- "meanwhile\n"
		k.Forget()
		next := d.successor(s)
		say <- ""
		v := next.becomes(x, ended)
		expect(t, v, catalog.StatusOK, "before\n")
		if len(v.Truncated) != 1 {
			t.Errorf("nothing is said to be missing: %+v", v)
		}
	})
	t.Run("to its timeout", func(t *testing.T) {
		t.Parallel()
		d, s, k, x, say := begin(t, 5*time.Second)
		leave(d, k)
		next := d.successor(s)
		say <- "after\n"
		expect(t, next.becomes(x, ended), catalog.StatusTimeout, "before\nafter\n")
	})
	t.Run("with an interrupt", func(t *testing.T) {
		t.Parallel()
		d, s, _, x, say := begin(t, time.Hour)
		next := d.successor(s)
		say <- "after\n"
		next.awaitView(s, "at work at its own", func(v record.SessionView) bool { return v.Running != nil && v.Running.Own })
		if _, err := next.InterruptSession(d.context(), s.ID, false); err != nil {
			t.Fatal(err)
		}
		expect(t, next.becomes(x, ended), catalog.StatusInterrupted, "before\nafter\n")
	})
	t.Run("as late output, where that is all", func(t *testing.T) {
		t.Parallel()
		d, s, k, _ := fakeSession(t)
		late := make(chan func(), 1)
		k.OnExecute(func(x *jupytertest.Execution) {
			x.Usual(func() { x.Stream("stdout", "before\n") })
			late <- func() { x.Stream("stdout", "late\n") }
		})
		x := d.start(s, "thread")
		d.wait(x)
		next := d.successor(s)
		(<-late)()
		v := next.becomes(x, func(v catalog.Execution) bool { return v.Stdout == "before\nlate\n" })
		if v.Status != catalog.StatusOK || len(v.Truncated) != 0 {
			t.Errorf("got %+v", v)
		}
		require.NoError(t, next.Close(d.context()))
		if kept, err := d.lib.Executions.Get(d.context(), x.ID()); err != nil || kept.StdoutBytes != int64(len(v.Stdout)) {
			t.Errorf("kept %+v, %v", kept, err)
		}
	})
	t.Run("as late output, where its end is lost", func(t *testing.T) {
		t.Parallel()
		d, s, k, _ := fakeSession(t)
		end := make(chan struct{})
		late := make(chan func(), 1)
		k.OnExecute(func(x *jupytertest.Execution) {
			x.Usual(func() {
				x.Stream("stdout", "before\n")
				<-end
			})
			late <- func() { x.Stream("stdout", "late\n") }
		})
		x := d.start(s, "thread")
		d.until(x, hasStdout)
		leave(d, k)
		close(end)
		k.AwaitState(wire.StateIdle)
		k.Forget()
		next := d.successor(s)
		(<-late)()
		next.becomes(x, func(v catalog.Execution) bool { return v.Stdout == "before\nlate\n" })
		v := next.becomes(x, func(v catalog.Execution) bool { return v.Status != catalog.StatusRunning })
		expect(t, v, catalog.StatusLost, "before\nlate\n")
	})
	t.Run("what somebody else runs, too", func(t *testing.T) {
		t.Parallel()
		d, s, k, _ := fakeSession(t)
		other, err := d.otherClient().Follow(d.context(), s.KernelID, jupyter.FollowOptions{})
		require.NoError(t, err)
		defer other.Close()
		k.OnExecute(hold)
		if _, err := other.Execute(d.context(), jupyter.ExecuteRequest{Code: "by hand"}); err != nil {
			t.Fatal(err)
		}
		d.awaitWork(s, "by hand")
		next := d.successor(s)
		k.Interrupt()
		next.awaitView(s, "free", func(v record.SessionView) bool { return v.Status == "idle" })
		xs, err := d.lib.Executions.List(d.context(), library.ExecutionQuery{SessionID: s.ID})
		if err != nil || len(xs) != 1 || xs[0].Code != "by hand" || xs[0].Status != catalog.StatusInterrupted {
			t.Errorf("got %+v, %v", xs, err)
		}
	})
}

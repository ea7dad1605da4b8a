package kernels_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"easel/internal/require"
	"easel/jupyter/jupytertest"
	"easel/jupyter/wire"
	"easel/mcphost/catalog"
	"easel/ui/core/kernels"
	"easel/ui/core/kernels/execution"
	"easel/ui/core/kernels/record"
	"easel/ui/core/kernels/servers"
	"easel/ui/core/kernels/tasks"
	"easel/ui/core/library"
	"easel/ui/core/oversight"
)

// stubborn returns code that prints, ignores interrupts and ends when end is closed.
func stubborn(end <-chan struct{}) func(x *jupytertest.Execution) {
	return func(x *jupytertest.Execution) {
		x.Usual(func() {
			x.Stream("stdout", "begun\n")
			select {
			case <-end:
			case <-x.Context().Done():
			}
		})
	}
}

// patientSession is like fakeSession, but not quickened, so that the manager does not give up
// code that ends slowly.
func patientSession(t *testing.T) (*fixture, library.Session, *jupytertest.Kernel) {
	t.Helper()
	srv := jupytertest.NewServer(t)
	d := openFixture(t, srv.URL, srv.Token, 1)
	s := d.session()
	return d, s, srv.Kernel(s.KernelID)
}

func TestCancelAtEachStage(t *testing.T) {
	t.Parallel()
	d, s, k := patientSession(t)
	k.OnExecute(hold)
	asked := d.asking(s, "asked", func(ctx context.Context, _ catalog.Execution) (oversight.Consent, error) {
		<-ctx.Done()
		return oversight.Consent{}, context.Cause(ctx)
	})
	working, waiting := d.start(s, "working"), d.start(s, "waiting")
	d.until(working, hasStdout)
	for _, c := range []struct {
		name   string
		x      *execution.Execution
		stdout string
	}{{"while it is approved", asked, ""}, {"in the queue", waiting, ""}, {"at work", working, "begun\n"}} {
		d.Cancel(c.x)
		v := d.wait(c.x)
		expect(t, v, catalog.StatusCancelled, c.stdout)
		if v.Error.Code != catalog.CodeCancelled {
			t.Errorf("%s: code %s", c.name, v.Error.Code)
		}
		d.Cancel(c.x) // the second call has no effect
	}
	t.Run("sent and not begun: no interrupt until it has", func(t *testing.T) {
		begin := make(chan struct{})
		k.OnExecute(func(x *jupytertest.Execution) {
			<-begin
			hold(x)
		})
		x := d.start(s, "late")
		k.Await("execute_request", 2)
		d.Cancel(x)
		if v, _ := x.View(context.Background(), ""); v.Status != catalog.StatusRunning {
			t.Errorf("got %+v", v)
		}
		close(begin)
		expect(t, d.wait(x), catalog.StatusCancelled, "begun\n")
	})
}

func TestAnInterruptThatComesTooLate(t *testing.T) {
	t.Parallel()
	d, s, k, srv := fakeSession(t)
	arrived, pass := make(chan struct{}), make(chan struct{})
	var once sync.Once
	srv.Intercept(func(_ http.ResponseWriter, r *http.Request) bool {
		if strings.HasSuffix(r.URL.Path, "/interrupt") {
			once.Do(func() { close(arrived) })
			<-pass
		}
		return false
	})
	end := make(chan struct{})
	k.OnExecute(stubborn(end))
	x := d.start(s, "1")
	d.until(x, hasStdout)
	d.Cancel(x)
	<-arrived
	close(end)
	expect(t, d.wait(x), catalog.StatusOK, "begun\n")
	k.OnExecute(hold)
	next := d.start(s, "2")
	if v, _ := next.View(context.Background(), ""); v.Status != catalog.StatusQueued {
		t.Errorf("the next one was sent before the interrupt had passed: %+v", v)
	}
	close(pass)
	d.until(next, hasStdout)
	d.Cancel(next)
	expect(t, d.wait(next), catalog.StatusCancelled, "begun\n")
}

func TestCodeThatSurvivesInterrupts(t *testing.T) {
	t.Parallel()
	d, s, k, _ := fakeSession(t)
	for name, stop := range map[string]func(x *execution.Execution){
		catalog.StatusTimeout:   func(*execution.Execution) {},
		catalog.StatusCancelled: func(x *execution.Execution) { d.Cancel(x) },
		"timeout after an interrupt by hand": func(*execution.Execution) {
			if _, err := d.InterruptSession(d.context(), s.ID, false); err != nil {
				t.Error(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			end := make(chan struct{})
			k.OnExecute(stubborn(end))
			timeout := time.Duration(0)
			if strings.HasPrefix(name, catalog.StatusTimeout) {
				timeout = 700 * time.Millisecond
			}
			if strings.Contains(name, "by hand") { // the interrupt by hand must come before the timeout
				timeout = 5 * time.Second
			}
			x, err := d.Execute(d.context(), record.Request{SessionID: s.ID, Code: "1", Timeout: timeout})
			require.NoError(t, err)
			d.until(x, hasStdout)
			stop(x)
			v := d.wait(x)
			status, _, _ := strings.Cut(name, " ")
			expect(t, v, status, "begun\n")
			if v.Hint == "" {
				t.Error("nothing says that it still runs")
			}
			if _, err := d.InterruptSession(d.context(), s.ID, false); err != nil {
				t.Errorf("once more: %v", err)
			}
			k.OnExecute(nil)
			next := d.start(s, "2")
			if v, _ := next.View(context.Background(), ""); v.Status != catalog.StatusQueued {
				t.Errorf("the next one was sent although the kernel works: %+v", v)
			}
			close(end)
			expect(t, d.wait(next), catalog.StatusOK, "")
		})
	}
	t.Run("whatever they make of the timeout's interrupt", func(t *testing.T) {
		d, s, k := patientSession(t)
		k.OnExecute(func(x *jupytertest.Execution) {
			x.Busy()
			x.Input()
			<-x.Interrupted()
			x.Error("RuntimeError", "wrapped")
			x.Fail("RuntimeError", "wrapped")
			x.Idle()
		})
		x, err := d.Execute(d.context(), record.Request{SessionID: s.ID, Code: "1", Timeout: 50 * time.Millisecond})
		require.NoError(t, err)
		if v := d.wait(x); v.Status != catalog.StatusTimeout || v.Error.Type != "RuntimeError" {
			t.Errorf("got %+v", v.Error)
		}
	})
}

func TestAKernelThatEnds(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		end    func(*fixture, *jupytertest.Kernel)
		status string
		gone   bool
	}{
		"it dies":                {func(_ *fixture, k *jupytertest.Kernel) { k.Die() }, catalog.StatusKernelDied, false},
		"it is restarted":        {func(_ *fixture, k *jupytertest.Kernel) { k.SimulateRestart() }, catalog.StatusInterrupted, false},
		"it is deleted":          {func(_ *fixture, k *jupytertest.Kernel) { k.Delete() }, catalog.StatusKernelDied, true},
		"it vanishes in silence": {func(_ *fixture, k *jupytertest.Kernel) { k.Vanish() }, catalog.StatusKernelDied, true},
		"it dies for the last time": {func(_ *fixture, k *jupytertest.Kernel) {
			k.Status(wire.StateDead)
			k.Vanish()
		}, catalog.StatusKernelDied, true},
		"the managed server is another": {func(d *fixture, _ *jupytertest.Kernel) {
			d.Servers.Set(d.otherClient(), catalog.ServerHealth{Name: "test", State: servers.StateReady})
		}, catalog.StatusKernelDied, false},
		"Easel closes": {func(d *fixture, _ *jupytertest.Kernel) {
			if err := d.Close(d.context()); err != nil {
				d.t.Error(err)
			}
		}, catalog.StatusRunning, false}, // it continues, and the next start of Easel resumes it
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, s, k, _ := fakeSession(t)
			k.OnExecute(hold)
			x, waiting := d.start(s, "1"), d.start(s, "2")
			d.until(x, hasStdout)
			c.end(d, k)
			if v := d.wait(x); v.Status != c.status || v.Stdout != "begun\n" || (v.Error != nil) != catalog.Ended(c.status) {
				t.Errorf("got %+v", v)
			}
			if v := d.wait(waiting); v.StartedAt != nil || v.Error == nil {
				t.Errorf("the waiting one: %+v", v)
			}
			kept, err := d.lib.Executions.Get(t.Context(), x.ID())
			if err != nil || kept.Status != c.status || kept.EndedAt.IsZero() == catalog.Ended(c.status) {
				t.Errorf("kept as %+v, %v", kept, err)
			}
			if c.gone {
				d.gone(s)
			}
		})
	}
}

func TestEachRestartIsCountedOnce(t *testing.T) {
	t.Parallel()
	d, s, k, _ := fakeSession(t)
	generation := func(want int) {
		t.Helper()
		require.Eventually(t, fmt.Sprint("generation ", want), func() bool { return d.Live()[0].Generation == want })
		expect(t, d.run(s, "1"), catalog.StatusOK, "")
		if g := d.Live()[0].Generation; g != want {
			t.Errorf("generation %d, want %d", g, want)
		}
	}
	generation(1)
	k.SimulateRestart()
	generation(2)
	k.Die()
	k.Die() // without code in between
	generation(4)
	if _, err := d.Restart(d.context(), s.ID, false); err != nil {
		t.Fatal(err)
	}
	generation(5)
	// The former process still says what it does, and announces its end twice.
	parent := wire.Header{MsgID: "of another client", MsgType: "execute_request", Session: "another"}
	k.Send(wire.IOPub, "shutdown_reply", wire.Header{}, wire.ShutdownReply{Restart: true})
	k.Send(wire.IOPub, "status", parent, wire.Status{ExecutionState: wire.StateBusy})
	k.SimulateRestart()
	generation(6)
}

// A server answers 500 to a restart during another one, and the variables can be lost only once.
func TestClientsThatRestartAKernelAtOnceRestartItOnce(t *testing.T) {
	t.Parallel()
	d, s, _, srv := fakeSession(t)
	var looks, restarts atomic.Int32
	both := make(chan struct{})
	srv.Intercept(func(_ http.ResponseWriter, r *http.Request) bool {
		switch {
		case r.Method == http.MethodGet && r.URL.Path == "/api/kernels/"+s.KernelID:
			if looks.Add(1) == 2 {
				close(both)
			}
		case strings.HasSuffix(r.URL.Path, "/restart"):
			restarts.Add(1)
			<-both // the other call has come in
		}
		return false
	})
	var calls sync.WaitGroup
	for range 2 {
		calls.Go(func() {
			if v, err := d.Restart(d.context(), s.ID, false); err != nil || v.Generation != 2 || v.Status != "idle" {
				t.Errorf("generation %d, %s, %v; want 2, idle", v.Generation, v.Status, err)
			}
		})
	}
	calls.Wait()
	if n := restarts.Load(); n != 1 {
		t.Errorf("it was restarted %d times", n)
	}
}

// TestARestartWhileAnotherIsPrepared: what comes before a restart takes long, and then the other call has done it.
func TestARestartWhileAnotherIsPrepared(t *testing.T) {
	t.Parallel()
	d, srv := newFake(t)
	d.environment = "sales/.venv"
	s := d.session()
	prepares, goOn := make(chan struct{}), make(chan struct{})
	first := true
	d.renew = func() {
		if first {
			first = false
			close(prepares)
			<-goOn
		}
	}
	var restarts atomic.Int32
	srv.Intercept(func(_ http.ResponseWriter, r *http.Request) bool {
		if strings.HasSuffix(r.URL.Path, "/restart") {
			restarts.Add(1)
		}
		return false
	})
	var calls sync.WaitGroup
	restart := func() {
		if v, err := d.Restart(d.context(), s.ID, false); err != nil || v.Generation != 2 {
			t.Errorf("generation %d, %v; want 2", v.Generation, err)
		}
	}
	calls.Go(restart)
	<-prepares
	restart()
	close(goOn)
	calls.Wait()
	if n := restarts.Load(); n != 1 {
		t.Errorf("it was restarted %d times", n)
	}
}

func TestCallsAfterTheEnd(t *testing.T) {
	t.Parallel()
	d, s, _, _ := fakeSession(t)
	require.NoError(t, d.Close(d.context()))
	if _, err := d.Create(d.context(), kernels.NewSession{KernelName: "python3"}); !errors.Is(err, tasks.ErrClosed) {
		t.Errorf("create: %v", err)
	}
	if _, err := d.Execute(d.context(), record.Request{SessionID: s.ID, Code: "1"}); err == nil {
		t.Error("executed")
	}
	if _, err := d.InterruptSession(d.context(), s.ID, false); err != nil && d.context().Err() != nil {
		t.Errorf("interrupt: %v", err)
	}
}

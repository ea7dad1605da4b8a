package kernels_test

import (
	"net/http"
	"strings"
	"testing"

	"easel/internal/require"
	"easel/jupyter"
	"easel/jupyter/jupytertest"
	"easel/jupyter/wire"
	"easel/mcphost/catalog"
	"easel/ui/core/kernels/execution"
	"easel/ui/core/library"
)

func TestOrderings(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]func(x *jupytertest.Execution){
		"the reply comes before anything else": func(x *jupytertest.Execution) {
			x.Reply(wire.ReplyOK)
			x.Busy()
			x.Input()
			x.Stream("stdout", "text")
			x.Idle()
		},
		"idle comes before the reply": func(x *jupytertest.Execution) {
			x.Busy()
			x.Input()
			x.Stream("stdout", "text")
			x.Idle()
			x.Reply(wire.ReplyOK)
		},
		"text between idle and reply": func(x *jupytertest.Execution) {
			x.Busy()
			x.Idle()
			x.Stream("stdout", "text")
			x.Reply(wire.ReplyOK)
		},
		"a text in pieces, with a character cut in two": func(x *jupytertest.Execution) {
			x.Usual(func() {
				for _, p := range []string{"t", "e", "", "xt"} {
					x.Stream("stdout", p)
				}
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			d, s, k, _ := fakeSession(t)
			k.OnExecute(script)
			expect(t, d.run(s, "1"), catalog.StatusOK, "text")
			expect(t, d.run(s, "1"), catalog.StatusOK, "text")
		})
	}
}

func TestHalfAnEndIsLost(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(x *jupytertest.Execution, k *jupytertest.Kernel){
		"the reply is lost": func(x *jupytertest.Execution, _ *jupytertest.Kernel) { x.Idle() },
		"both are lost":     func(*jupytertest.Execution, *jupytertest.Kernel) {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, s, k, _ := fakeSession(t)
			k.OnExecute(func(x *jupytertest.Execution) {
				x.Busy()
				x.Input()
				x.Stream("stdout", "text")
				end(x, k)
				k.Status(wire.StateIdle) // in REST only
			})
			expect(t, d.run(s, "1"), catalog.StatusLost, "text")
			k.OnExecute(nil)
			expect(t, d.run(s, "2"), catalog.StatusOK, "")
		})
	}
	t.Run("but not with the kernel's word that it went well", func(t *testing.T) {
		t.Parallel()
		d, s, k, _ := fakeSession(t)
		k.OnExecute(func(x *jupytertest.Execution) {
			x.Busy()
			x.Input()
			x.Stream("stdout", "text")
			x.Reply(wire.ReplyOK)
			k.Status(wire.StateIdle) // in REST only
		})
		v := d.run(s, "1")
		expect(t, v, catalog.StatusOK, "text")
		if len(v.Truncated) != 1 {
			t.Errorf("it is not said that something may be missing: %+v", v.Truncated)
		}
	})
}

func TestARequestThatTheKernelNeverTook(t *testing.T) {
	t.Parallel()
	d, s, k, srv := fakeSession(t)
	k.Swallow("execute_request", 1)
	x, behind := d.start(s, "1"), d.start(s, "2")
	if v := d.wait(x); v.Status != catalog.StatusLost || v.StartedAt != nil || !strings.Contains(v.Error.Message, "never took") {
		t.Errorf("got %+v, %+v", v, v.Error)
	}
	expect(t, d.wait(behind), catalog.StatusOK, "")

	t.Run("and that was cancelled", func(t *testing.T) {
		cancelled := make(chan struct{})
		srv.Intercept(func(_ http.ResponseWriter, r *http.Request) bool {
			if strings.HasSuffix(r.URL.Path, "/"+s.KernelID) {
				<-cancelled // it ends as lost once the server has responded
			}
			return false
		})
		defer srv.Intercept(nil)
		k.Swallow("execute_request", 1)
		x := d.start(s, "1")
		k.Await("execute_request", 3)
		d.Cancel(x)
		close(cancelled)
		expect(t, d.wait(x), catalog.StatusCancelled, "")
	})
}

func TestTheConnectionIsLostWhileCodeRuns(t *testing.T) {
	t.Parallel()
	begin := func(t *testing.T) (*fixture, library.Session, *jupytertest.Kernel, *jupytertest.Server, *execution.Execution, chan struct{}) {
		d, s, k, srv := fakeSession(t)
		resume := make(chan struct{})
		k.OnExecute(func(x *jupytertest.Execution) {
			x.Usual(func() {
				x.Stream("stdout", "a\n")
				select {
				case <-resume:
				case <-x.Context().Done():
				}
				x.Stream("stdout", "b\n")
			})
		})
		x := d.start(s, "1")
		d.until(x, hasStdout)
		return d, s, k, srv, x, resume
	}
	noted := func(t *testing.T, v catalog.Execution) {
		t.Helper()
		if len(v.Truncated) != 1 || !strings.Contains(v.Truncated[0].Reason, "connection") {
			t.Errorf("it is not said that something may be missing: %+v", v.Truncated)
		}
	}
	t.Run("and what was said meanwhile is kept for us", func(t *testing.T) {
		d, s, k, srv, x, resume := begin(t)
		release := holdChannels(t, srv)
		k.Drop()
		close(resume)
		k.AwaitState(wire.StateIdle)
		waiting := d.start(s, "2")
		release()
		v := d.wait(x)
		expect(t, v, catalog.StatusOK, "a\nb\n")
		noted(t, v)
		expect(t, d.wait(waiting), catalog.StatusOK, "a\nb\n")
	})
	t.Run("and what was said meanwhile is lost", func(t *testing.T) {
		d, s, k, srv, x, resume := begin(t)
		release := holdChannels(t, srv)
		k.Drop()
		close(resume)
		k.AwaitState(wire.StateIdle)
		k.Forget()
		release()
		v := d.wait(x)
		expect(t, v, catalog.StatusLost, "a\n")
		noted(t, v)
		expect(t, d.run(s, "2"), catalog.StatusOK, "a\nb\n")
	})
	t.Run("and it goes on", func(t *testing.T) {
		d, _, k, _, x, resume := begin(t)
		k.Drop()
		k.AwaitConnections(1)
		close(resume)
		expect(t, d.wait(x), catalog.StatusOK, "a\nb\n")
	})
	t.Run("and the kernel restarts unseen", func(t *testing.T) {
		d, s, k, srv, x, _ := begin(t)
		release := holdChannels(t, srv)
		k.Drop()
		k.SimulateRestart()
		k.Forget()
		release()
		expect(t, d.wait(x), catalog.StatusLost, "a\n")
		k.OnExecute(nil)
		if v := d.run(s, "2"); v.Status != catalog.StatusOK || !strings.Contains(v.Hint, "restarted") || d.Live()[0].Generation != 2 {
			t.Errorf("got %+v, generation %d", v, d.Live()[0].Generation)
		}
	})
	t.Run("and the kernel dies unseen, by the server too", func(t *testing.T) {
		d, s, k, srv, x, _ := begin(t)
		waiting := d.start(s, "2")
		release := holdChannels(t, srv)
		k.Drop()
		k.DieAtWork()
		k.Forget()
		k.OnExecute(nil)
		release()
		expect(t, d.wait(x), catalog.StatusKernelDied, "a\n")
		if v := d.wait(waiting); v.Status != catalog.StatusKernelDied {
			t.Errorf("what waited: %+v", v)
		}
		d.awaitSecond(s)
		expect(t, d.run(s, "3"), catalog.StatusOK, "")
	})
	t.Run("and the server stays away", func(t *testing.T) {
		d, s, k, srv, x, resume := begin(t)
		srv.Down()
		waiting := d.start(s, "2")
		expect(t, d.wait(x), catalog.StatusLost, "a\n")
		if v := d.wait(waiting); v.Status != catalog.StatusLost || !strings.Contains(v.Error.Message, "was not run") {
			t.Errorf("got %+v", v.Error)
		}
		// If the server comes back, the output is stored, but the reported end stays.
		srv.Up()
		k.AwaitConnections(1)
		later := d.start(s, "3")
		close(resume)
		v := d.until(x, func(v catalog.Execution) bool { return v.Stdout == "a\nb\n" })
		expect(t, v, catalog.StatusLost, "a\nb\n")
		noted(t, v)
		expect(t, d.wait(later), catalog.StatusOK, "a\nb\n")
	})
	t.Run("and the server comes back without its kernels", func(t *testing.T) {
		d, s, k, srv, x, _ := begin(t)
		srv.Down()
		waiting := d.start(s, "2")
		k.Vanish()
		srv.Up()
		expect(t, d.wait(x), catalog.StatusKernelDied, "a\n")
		expect(t, d.wait(waiting), catalog.StatusKernelDied, "")
		d.gone(s)
	})
}

func TestAKernelThatOthersUse(t *testing.T) {
	t.Parallel()
	other := func(d *fixture, s library.Session) *jupyter.Kernel {
		k, err := d.client.Follow(d.context(), s.KernelID, jupyter.FollowOptions{})
		require.NoError(d.t, err)
		d.t.Cleanup(func() { _ = k.Close() })
		return k
	}
	t.Run("what they run, lost with the connection, does not block us", func(t *testing.T) {
		d, s, k, srv := fakeSession(t)
		go func() { // ignore the messages to the other client
			o := other(d, s)
			_, _ = o.Execute(d.context(), jupyter.ExecuteRequest{Code: "theirs"})
		}()
		theirs := make(chan struct{})
		k.OnExecute(func(x *jupytertest.Execution) {
			if x.Code != "theirs" {
				x.Usual(func() {})
				return
			}
			x.Usual(func() { <-theirs })
		})
		d.awaitWork(s, "theirs")
		release := holdChannels(t, srv)
		k.Drop()
		close(theirs)
		k.AwaitState(wire.StateIdle)
		k.Forget()
		ours := d.start(s, "ours")
		release()
		expect(t, d.wait(ours), catalog.StatusOK, "")
		d.awaitEnded("theirs", catalog.StatusLost)
	})
	// again loses the connection while the other client's code runs, starts own code, and
	// reconnects.
	again := func(d *fixture, s library.Session, k *jupytertest.Kernel, srv *jupytertest.Server) *execution.Execution {
		if _, err := other(d, s).Execute(d.context(), jupyter.ExecuteRequest{Code: "theirs"}); err != nil {
			d.t.Fatal(err)
		}
		d.awaitWork(s, "theirs")
		release := holdChannels(d.t, srv)
		k.Drop()
		d.awaitStatus(s, "disconnected")
		ours := d.start(s, "ours")
		release()
		k.AwaitConnections(2)
		d.awaitStatus(s, "busy")
		return ours
	}
	t.Run("their work is waited for after the connection was lost", func(t *testing.T) {
		d, s, k, srv := fakeSession(t)
		k.OnExecute(func(x *jupytertest.Execution) {
			if x.Code == "theirs" {
				hold(x)
				return
			}
			x.Usual(func() {})
		})
		ours := again(d, s, k, srv)
		k.Interrupt()
		d.awaitEnded("theirs", catalog.StatusInterrupted)
		expect(t, d.wait(ours), catalog.StatusOK, "")
	})
	t.Run("its end is waited for, too, though the server says that it is idle", func(t *testing.T) {
		d, s, k, srv := fakeSession(t)
		asked := make(chan struct{}, 64)
		k.OnExecute(func(x *jupytertest.Execution) {
			if x.Code != "theirs" {
				x.Usual(func() {})
				return
			}
			x.Busy()
			x.Input()
			<-x.Interrupted()
			k.Status(wire.StateIdle)
			srv.Intercept(func(_ http.ResponseWriter, r *http.Request) bool {
				if strings.HasSuffix(r.URL.Path, "/"+s.KernelID) {
					asked <- struct{}{}
				}
				return false
			})
			for range 2 { // the second check follows the answer to the first
				<-asked
			}
			srv.Intercept(nil)
			x.Error("KeyboardInterrupt", "")
			x.Idle()
		})
		ours := again(d, s, k, srv)
		k.Interrupt()
		d.awaitEnded("theirs", catalog.StatusInterrupted)
		expect(t, d.wait(ours), catalog.StatusOK, "")
	})
}

package jupyter

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"easel/internal/require"
	"easel/jupyter/jupytertest"
	"easel/jupyter/wire"
)

func TestLiveAnInterruptEndsTheCode(t *testing.T) { overBoth(t, liveInterrupt) }

func liveInterrupt(t *testing.T, s *Server) {
	k := start(t, s)
	id, err := k.Execute(live(t), ExecuteRequest{Code: "print('go', flush=True)\nwhile True: pass"})
	require.NoError(t, err)
	collect(t, k, id, func(o outcome) bool { return o.stdout != "" })
	if err := k.ProbeControl(live(t)); err != nil {
		t.Errorf("control: %v", err)
	}
	require.NoError(t, s.InterruptKernel(live(t), k.ID()))
	o := collect(t, k, id, func(o outcome) bool {
		return slices.Contains(o.words, "idle") && slices.Contains(o.words, "execute_reply")
	})
	if o.reply.Ename != "KeyboardInterrupt" {
		t.Errorf("got %+v", o)
	}
}

func TestLiveARestartAnswersWhatWaits(t *testing.T) { overBoth(t, liveRestart) }

func liveRestart(t *testing.T, s *Server) {
	k := start(t, s)
	ask := Evaluation{Expressions: map[string]string{"a": "1"}, Subshell: true}
	if _, err := k.Evaluate(live(t), ask); err != nil {
		t.Fatal(err)
	}
	// The server interrupts the kernel before it ends it. If that ended the sleep, the kernel could
	// still answer what waits.
	id, err := k.Execute(live(t), ExecuteRequest{Code: "x = 1\nimport signal, time\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nprint('go', flush=True)\ntime.sleep(100)"})
	require.NoError(t, err)
	former := collect(t, k, id, func(o outcome) bool { return o.stdout != "" })
	if id, err := k.Process(live(t)); err != nil || id == "" || id != former.process {
		t.Errorf("%q answers while %q works: %v", id, former.process, err)
	}
	pending := make(chan error, 1)
	waits, leave := context.WithCancel(t.Context())
	defer leave()
	go func() {
		_, err := k.Evaluate(waits, Evaluation{}) // after the sleep
		pending <- err
	}()
	if _, err := s.RestartKernel(live(t), k.ID()); err != nil {
		t.Fatal(err)
	}
	require.NoError(t, k.Probe(live(t)))
	o := run(t, k, "x")
	if o.reply.Ename != "NameError" || o.reply.ExecutionCount != 1 {
		t.Errorf("after it: %+v", o.reply)
	}
	if id, err := k.Process(live(t)); err != nil || id != o.process || id == former.process {
		t.Errorf("%q answers after %q has worked, in the place of %q: %v", id, o.process, former.process, err)
	}
	// A new process reports its start only to clients that listen by then. The server
	// checks every tenth of a second, and may connect too late. So may the test, on a
	// slow machine.
	heard := slices.Contains(o.words, "parentless starting")
	if !heard {
		leave()
	}
	if err := <-pending; !errors.Is(err, ErrKernelRestarted) && (heard || !errors.Is(err, context.Canceled)) {
		t.Errorf("what waited: %v", err)
	}
	if v, err := k.Evaluate(live(t), ask); err != nil || v["a"].Text() != "1" {
		t.Errorf("subshell after it: %v, %v", v, err)
	}
}

func TestLiveAKernelThatDiesStartsAgain(t *testing.T) { overBoth(t, liveDeath) }

func liveDeath(t *testing.T, s *Server) {
	k := start(t, s)
	id, err := k.Execute(live(t), ExecuteRequest{Code: "import os, signal\nprint('go', flush=True)\nos.kill(os.getpid(), signal.SIGKILL)"})
	require.NoError(t, err)
	collect(t, k, id, func(o outcome) bool { return slices.Contains(o.words, "parentless restarting") })
	require.NoError(t, k.Probe(live(t)))
	for i := range 3 { // immediately after it: none may be lost
		if o := run(t, k, fmt.Sprint(i)); o.reply.ExecutionCount != i+1 {
			t.Errorf("after it: %+v", o)
		}
	}
}

func TestLiveADeletedKernelIsGone(t *testing.T) { overBoth(t, liveDelete) }

func liveDelete(t *testing.T, s *Server) {
	k := start(t, s)
	id, err := k.Execute(live(t), ExecuteRequest{Code: "import time\nprint('go', flush=True)\ntime.sleep(100)"})
	require.NoError(t, err)
	collect(t, k, id, func(o outcome) bool { return o.stdout != "" })
	require.NoError(t, s.DeleteKernel(live(t), k.ID()))
	collect(t, k, id, func(o outcome) bool { return slices.Contains(o.words, "connection gone") })
}

func TestLiveWhatTheServerKeptComesAfterALostConnection(t *testing.T) {
	for _, c := range []struct {
		name string
		over func(*testing.T) (*jupytertest.Real, *Server)
		loss liveLoss
	}{
		{"Jupyter, which knows", overWebsocket, liveLoss{(*jupytertest.Proxy).Sleep, true, "meanwhile\nafter\n", false}},
		{"Jupyter, which does not know", overWebsocket, liveLoss{(*jupytertest.Proxy).Freeze, false, "after\n", false}},
		{"Easel's server, which knows", overSockets, liveLoss{(*jupytertest.Proxy).Sleep, false, "meanwhile\nafter\n", true}},
		{"Easel's server, which does not know", overSockets, liveLoss{(*jupytertest.Proxy).Freeze, false, "meanwhile\nafter\n", true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, s := c.over(t)
			c.loss.test(t, s)
		})
	}
}

// A liveLoss is a way to lose the connection to a kernel.
type liveLoss struct {
	lose    func(*jupytertest.Proxy)
	noticed bool // the code goes on when the server knows
	want    string
	resumed bool // the server says that nothing is missing
}

// test loses a connection twice while code runs, and compares what has arrived by the end.
func (c liveLoss) test(t *testing.T, s *Server) {
	t.Helper()
	p := jupytertest.NewProxy(t, s.URL().String())
	through, err := New(p.URL, s.token.token)
	require.NoError(t, err)
	k := start(t, through, func(tune *connectionParameters) {
		tune.ping, tune.silence = 500*time.Millisecond, 10*time.Second // what a busy server may need to answer
	})
	for range 2 {
		meanwhile, after := filepath.Join(t.TempDir(), "meanwhile"), filepath.Join(t.TempDir(), "after")
		id, err := k.Execute(live(t), ExecuteRequest{Code: fmt.Sprintf(`
import os, time
print('before', flush=True)
while not os.path.exists(%q): time.sleep(.01)
print('meanwhile', flush=True)
open(%q, 'w').close()
while not os.path.exists(%q): time.sleep(.01)
print('after', flush=True)`, meanwhile, meanwhile+".done", after)})
		require.NoError(t, err)
		collect(t, k, id, func(o outcome) bool { return o.stdout == "before\n" })
		c.lose(p)
		if c.noticed {
			awaitNobody(t, s, k.ID())
		}
		touch(t, meanwhile)
		awaitFile(t, meanwhile+".done")
		collect(t, k, id, func(o outcome) bool { return slices.Contains(o.words, "connection lost") })
		p.Wake()
		restored := collect(t, k, id, func(o outcome) bool { return slices.Contains(o.words, "connection restored") })
		touch(t, after)
		o := collect(t, k, id, func(o outcome) bool {
			return slices.Contains(o.words, "idle") && slices.Contains(o.words, "execute_reply")
		})
		if got := restored.stdout + o.stdout; got != c.want || slices.Contains(restored.words, "connection resumed") != c.resumed {
			t.Errorf("got %q, want %q; %q, %q", got, c.want, restored.words, o.words)
		}
		if o := run(t, k, "7"); o.reply.Status != wire.ReplyOK {
			t.Errorf("after it: %+v", o)
		}
	}
}

// TestLiveNothingIsMissingAfterAnEasel that was killed, if the kernel had been quiet before: over a websocket, as
// that of another machine, the next one then gets what has come since.
func TestLiveNothingIsMissingAfterAnEasel(t *testing.T) {
	_, s := overSockets(t)
	over, err := New(s.URL().String(), s.token.token)
	require.NoError(t, err)
	for _, quiet := range []bool{true, false} {
		t.Run(fmt.Sprintf("quiet %v", quiet), func(t *testing.T) {
			t.Parallel()
			k := start(t, over, func(tune *connectionParameters) { tune.ping = 100 * time.Millisecond })
			if k.Complete() {
				t.Error("there was no former client")
			}
			run(t, k, "1")
			was, after := filepath.Join(t.TempDir(), "quiet"), filepath.Join(t.TempDir(), "after")
			id, err := k.Execute(live(t), ExecuteRequest{Code: fmt.Sprintf(`
import os, time
print('before', flush=True)
time.sleep(3) # QUIET in easel_sent.py
open(%q, 'w').close()
while not os.path.exists(%q): time.sleep(.01)
print('after', flush=True)
open(%q, 'w').close()`, was, after, after+".done")})
			require.NoError(t, err)
			collect(t, k, id, func(o outcome) bool { return o.stdout == "before\n" })
			if quiet {
				awaitFile(t, was)
			}
			require.NoError(t, k.Close())
			awaitNobody(t, over, k.ID())
			touch(t, after)
			awaitFile(t, after+".done")
			next := returning(t, k)
			if next.Complete() != quiet {
				t.Errorf("complete: %v", next.Complete())
			}
			o := collect(t, next, id, func(o outcome) bool { return slices.Contains(o.words, "idle") })
			if o.stdout != "after\n" {
				t.Errorf("got %q", o.stdout)
			}
		})
	}
}

// awaitNobody waits until the server knows that no client is connected to the kernel.
// Messages before that are forwarded and lost.
func awaitNobody(t *testing.T, s *Server, id string) {
	t.Helper()
	require.Eventually(t, "the server notices that the connection was closed", func() bool {
		m, err := s.Kernel(t.Context(), id)
		return err == nil && m.Connections == 0
	})
}

func touch(t *testing.T, path string) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, nil, 0o600))
}

// awaitFile waits until the kernel has created a file.
func awaitFile(t *testing.T, path string) {
	t.Helper()
	require.Eventually(t, "the kernel continues", func() bool { _, err := os.Stat(path); return err == nil })
}

func TestLiveKernelsAreGoneAfterTheServerIsKilled(t *testing.T) {
	t.Run("websocket", func(t *testing.T) { liveServerKilled(t, jupytertest.Start(t)) })
	t.Run("sockets", func(t *testing.T) { liveServerKilled(t, jupytertest.Start(t, jupytertest.WithSockets())) })
}

func liveServerKilled(t *testing.T, real *jupytertest.Real) {
	s := realClient(t, real)
	k := start(t, s)
	id, err := k.Execute(live(t), ExecuteRequest{Code: "print('go', flush=True)\nimport time; time.sleep(100)"})
	require.NoError(t, err)
	collect(t, k, id, func(o outcome) bool { return o.stdout != "" })
	real.Kill()
	collect(t, k, id, func(o outcome) bool { return slices.Contains(o.words, "connection lost") })
	if _, err := s.Status(live(t)); !errors.Is(err, ErrUnreachable) {
		t.Errorf("status: %v", err)
	}
	real.Up()
	o := collect(t, k, id, func(o outcome) bool { return slices.Contains(o.words, "connection gone") })
	if slices.Contains(o.words, "connection lost") {
		t.Errorf("told twice: %q", o.words)
	}
}

func TestLiveRateLimitIsSaidByTheServer(t *testing.T) {
	k := start(t, realClient(t, jupytertest.Start(t)))
	o := run(t, k, "print('x'*20_000_000)")
	if !strings.HasPrefix(o.stderr, "IOPub data rate exceeded") || o.stdout != "" {
		t.Errorf("stderr %q, %d bytes of stdout", o.stderr, len(o.stdout))
	}
}

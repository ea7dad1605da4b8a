package jupyter

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"easel/internal/require"
	"easel/jupyter/jupytertest"
	"easel/jupyter/wire"
)

func TestALostConnectionIsMadeAgainAndWhatWasKeptComes(t *testing.T) {
	for _, opts := range [][]jupytertest.ServerOption{nil, {jupytertest.Legacy()}} {
		s := jupytertest.NewServer(t, opts...)
		fake := s.AddKernel("python3")
		resume := make(chan struct{})
		fake.OnExecute(func(x *jupytertest.Execution) {
			x.Usual(func() {
				select {
				case <-resume:
				case <-x.Context().Done():
				}
				x.Stream("stdout", "kept")
			})
		})
		k := follow(t, s, fake)
		execute(t, k, "1")
		until(t, k, "execute_input")
		release := blockChannels(t, s)
		fake.Drop()
		diff(t, []string{"connection lost"}, until(t, k, "connection lost"))
		if k.Connected() {
			t.Error("connected")
		}
		if _, err := k.Execute(t.Context(), ExecuteRequest{Code: "2"}); !errors.Is(err, ErrDisconnected) {
			t.Errorf("execute: %v", err)
		}
		if err := k.Probe(t.Context()); !errors.Is(err, ErrDisconnected) {
			t.Errorf("probe: %v", err)
		}
		close(resume)
		if err := fake.Settle(within(t)); err != nil { // REST reports idle before the message is sent
			t.Fatal(err)
		}
		release()
		diff(t, []string{"stdout kept", "execute_reply", "idle", "connection restored"}, until(t, k, "connection restored"))
		if !k.Connected() {
			t.Error("not connected")
		}
		execute(t, k, "3")
		until(t, k, "idle")
	}
}

func TestWhatTheServerForgotDoesNotComeButTheConnectionDoes(t *testing.T) {
	s := jupytertest.NewServer(t)
	fake := s.AddKernel("python3")
	fake.OnExecute(func(x *jupytertest.Execution) {
		x.Usual(func() {
			fake.Drop()
			x.Stream("stdout", "lost")
		})
		fake.Forget() // as if another client had connected
	})
	k := follow(t, s, fake)
	release := blockChannels(t, s)
	execute(t, k, "1")
	until(t, k, "connection lost")
	fake.AwaitState(wire.StateIdle)
	require.NoError(t, fake.Settle(within(t)))
	release()
	diff(t, []string{"connection restored"}, until(t, k, "connection restored"))
}

func TestAConnectionIsLostBeforeTheKernelAnswers(t *testing.T) {
	s := jupytertest.NewServer(t)
	fake := s.AddKernel("python3")
	fake.Swallow("kernel_info_request", 2) // Follow sends two
	lost := make(chan struct{})
	go func() {
		defer close(lost)
		fake.Await("kernel_info_request", 2)
		fake.Drop()
	}()
	k := follow(t, s, fake, func(tune *connectionParameters, _ *FollowOptions) { tune.probe = time.Hour }) // nothing is asked twice
	<-lost
	until(t, k, "connection lost")
	until(t, k, "connection restored")
	execute(t, k, "1")
	until(t, k, "idle")
}

func TestAConnectionIsRestoredBeforeFollowReturns(t *testing.T) {
	s := jupytertest.NewServer(t)
	fake := s.AddKernel("python3")
	s.Intercept(func(_ http.ResponseWriter, r *http.Request) bool {
		if strings.HasSuffix(r.URL.Path, "/kernelspecs") { // Follow asks after the kernel has answered
			fake.Drop()
			fake.Await("kernel_info_request", 4)
			if err := fake.Settle(within(t)); err != nil {
				t.Error(err)
			}
		}
		return false
	})
	k := follow(t, s, fake)
	until(t, k, "connection restored")
	if !k.Connected() {
		t.Error("not connected")
	}
}

func TestTheSameSessionIsUsedToConnectAgain(t *testing.T) {
	s := jupytertest.NewServer(t)
	var sessions []string
	s.Intercept(func(_ http.ResponseWriter, r *http.Request) bool {
		if id := r.URL.Query().Get("session_id"); id != "" {
			sessions = append(sessions, id)
		}
		return false
	})
	fake := s.AddKernel("python3")
	k := follow(t, s, fake)
	fake.Drop()
	until(t, k, "connection restored")
	if len(sessions) != 2 || sessions[0] != sessions[1] || sessions[0] != k.Session() {
		t.Errorf("got %q, want %q twice", sessions, k.Session())
	}
}

func TestWhoWaitsIsToldThatTheConnectionWasLost(t *testing.T) {
	s := jupytertest.NewServer(t)
	fake := s.AddKernel("python3")
	fake.OnExecute(hold)
	k := follow(t, s, fake, func(tune *connectionParameters, _ *FollowOptions) { tune.probe = time.Hour }) // nothing is asked twice
	execute(t, k, "loop")
	until(t, k, "execute_input")
	errs := make(chan error, 2)
	go func() {
		_, err := k.Evaluate(t.Context(), Evaluation{Expressions: map[string]string{"a": "1"}})
		errs <- err
	}()
	go func() { errs <- k.Probe(t.Context()) }()
	fake.Await("execute_request", 2)
	fake.Await("kernel_info_request", 3) // Follow sends two
	fake.Drop()
	for range 2 {
		if err := <-errs; !errors.Is(err, ErrDisconnected) {
			t.Errorf("got %v", err)
		}
	}
}

func TestADeadServerIsToldOnceAndTriedUntilItIsBack(t *testing.T) {
	s := jupytertest.NewServer(t)
	fake := s.AddKernel("python3")
	k := follow(t, s, fake)
	s.Down()
	diff(t, []string{"connection lost"}, until(t, k, "connection lost"))
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond) // some attempts
	defer cancel()
	if in, err := k.Next(ctx); err == nil {
		t.Errorf("got %s", brief(in))
	}
	s.Up()
	diff(t, []string{"connection restored"}, until(t, k, "connection restored"))
	s.Down()
	until(t, k, "connection lost")
	if err := k.Close(); err != nil { // while it is reconnecting
		t.Error(err)
	}
	if _, err := k.Next(t.Context()); !errors.Is(err, io.EOF) {
		t.Errorf("got %v", err)
	}
}

func TestAKernelThatIsGoneWhenTheServerIsBack(t *testing.T) {
	s := jupytertest.NewServer(t)
	fake := s.AddKernel("python3")
	k := follow(t, s, fake)
	s.Down()
	fake.Vanish()
	s.Up()
	diff(t, []string{"connection lost", "connection gone"}, until(t, k, "connection gone"))
	if _, err := k.Next(t.Context()); !errors.Is(err, io.EOF) {
		t.Errorf("got %v", err)
	}
	if _, err := k.Execute(t.Context(), ExecuteRequest{Code: "1"}); !errors.Is(err, ErrNotFound) {
		t.Errorf("execute: %v", err)
	}
}

func TestADeleteBySomebodyElseIsNoticed(t *testing.T) {
	t.Run("soon, after the shutdown_reply", func(t *testing.T) {
		s := jupytertest.NewServer(t)
		fake := s.AddKernel("python3")
		fake.OnExecute(hold)
		k := follow(t, s, fake)
		execute(t, k, "loop")
		until(t, k, "execute_input")
		errs := make(chan error, 1)
		go func() {
			_, err := k.Evaluate(t.Context(), Evaluation{})
			errs <- err
		}()
		fake.Await("execute_request", 2)
		require.NoError(t, client(t, s).DeleteKernel(within(t), fake.ID))
		if err := <-errs; !errors.Is(err, ErrKernelRestarted) {
			t.Errorf("evaluate: %v", err)
		}
		diff(t, []string{"shutdown_reply", "connection gone"}, until(t, k, "connection gone"))
	})
	t.Run("in the end, without a word", func(t *testing.T) {
		s := jupytertest.NewServer(t)
		fake := s.AddKernel("python3")
		k := follow(t, s, fake, func(tune *connectionParameters, _ *FollowOptions) { tune.check = 50 * time.Millisecond })
		fake.Vanish()
		in := next(t, k)
		if in.Event != KernelGone || !errors.Is(in.Err, ErrNotFound) {
			t.Errorf("got %+v", in)
		}
	})
	t.Run("soon, if it does not answer", func(t *testing.T) {
		s := jupytertest.NewServer(t)
		fake := s.AddKernel("python3")
		k := follow(t, s, fake)
		fake.Vanish()
		if _, err := k.Evaluate(within(t), Evaluation{Expressions: map[string]string{"a": "1"}}); !errors.Is(err, ErrNotFound) {
			t.Errorf("evaluate: %v", err)
		}
	})
	t.Run("but one 404 in a restart is none", func(t *testing.T) {
		s := jupytertest.NewServer(t)
		fake := s.AddKernel("python3")
		k := follow(t, s, fake, func(tune *connectionParameters, _ *FollowOptions) { tune.check = 20 * time.Millisecond })
		var asked atomic.Int64
		s.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
			if !strings.HasSuffix(r.URL.Path, fake.ID) {
				return false
			}
			if asked.Add(1)%2 == 0 {
				return false
			}
			jupytertest.Refuse(w, http.StatusNotFound, "Kernel does not exist")
			return true
		})
		for deadline := time.Now().Add(patience); asked.Load() < 6; {
			if time.Now().After(deadline) {
				t.Fatal("it is not asked")
			}
			require.NoError(t, k.ProbeControl(within(t)))
		}
		if !k.Connected() {
			t.Error("not connected")
		}
	})
}

func TestAConnectionThatIsSilentlyDeadIsNoticed(t *testing.T) {
	s := jupytertest.NewServer(t)
	fake := s.AddKernel("python3")
	k := follow(t, s, fake, func(tune *connectionParameters, _ *FollowOptions) {
		tune.ping, tune.silence = 50*time.Millisecond, 2*time.Second // what a busy machine may need to answer
	})
	// A machine that stalls for that long loses the connection, but not repeatedly.
	for try := 1; ; try++ {
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		in, err := k.Next(ctx)
		cancel()
		if err != nil {
			break
		}
		if try == 5 {
			t.Fatalf("a silent but living connection: got %s", brief(in))
		}
		until(t, k, "connection restored")
	}
	fake.Freeze()
	diff(t, []string{"connection lost", "connection restored"}, until(t, k, "connection restored"))
}

// blockChannels prevents websockets from being opened until release is called.
func blockChannels(t *testing.T, s *jupytertest.Server) (release func()) {
	t.Helper()
	blocked := make(chan struct{})
	s.Intercept(func(_ http.ResponseWriter, r *http.Request) bool {
		if strings.HasSuffix(r.URL.Path, "/channels") {
			<-blocked
		}
		return false
	})
	release = sync.OnceFunc(func() {
		s.Intercept(nil)
		close(blocked)
	})
	t.Cleanup(release) // before the server's cleanup, which waits for its requests
	return release
}

func TestASlowReaderLosesTextAndNothingElse(t *testing.T) {
	s := jupytertest.NewServer(t)
	fake := s.AddKernel("python3")
	const lines, size = 1000, 10_000
	fake.OnExecute(func(x *jupytertest.Execution) {
		x.Usual(func() {
			for i := range lines {
				x.Stream([]string{"stdout", "stderr"}[i%2], strings.Repeat("x", size))
				if i%100 == 0 {
					x.Display(map[string]any{"image/png": strings.Repeat("A", 100_000)}, "")
				}
			}
		})
	})
	k := follow(t, s, fake, func(_ *connectionParameters, o *FollowOptions) { o.QueueBytes = 1 << 20 })
	execute(t, k, "print")
	if err := k.Probe(within(t)); err != nil { // everything has been read from the socket
		t.Fatal(err)
	}
	text, dropped, drops, pictures := 0, int64(0), 0, 0
	for word := ""; word != "idle"; {
		in := next(t, k)
		word = brief(in)
		switch in.Message.Type() {
		case "stream":
			var m wire.Stream
			if err := in.Message.Decode(&m); err != nil || in.Dropped > 0 && m.Text != "" || m.Name == "" {
				t.Fatalf("%v: %+v", err, in)
			}
			text += len(m.Text)
			dropped += in.Dropped
			if in.Dropped > 0 {
				drops++
			}
		case "display_data":
			pictures++
		}
	}
	if text+int(dropped) != lines*size || text > 1<<20 || text < 1<<19 || drops != 2 || pictures != 10 {
		t.Errorf("text %d + dropped %d in %d items, %d pictures", text, dropped, drops, pictures)
	}
}

func TestFramesThatAreNoMessagesAreSkipped(t *testing.T) {
	s := jupytertest.NewServer(t)
	fake := s.AddKernel("python3")
	k := follow(t, s, fake)
	fake.SendFrame([]byte("nonsense"))
	fake.SendFrame(nil)
	fake.Send(wire.IOPub, "status", wire.Header{}, json.RawMessage(`{"execution_state":5}`))
	fake.Status("dead")
	got := until(t, k, "dead")
	if len(got) != 2 {
		t.Errorf("got %q", got)
	}
}

package jupyter

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"easel/internal/require"
	"easel/jupyter/jupytertest"
	"easel/jupyter/wire"
)

func TestARestartEndsWhatWasAskedOfTheOldKernel(t *testing.T) {
	for name, accident := range map[string]func(*jupytertest.Kernel){
		"by REST, without 'restarting'": (*jupytertest.Kernel).SimulateRestart,
		"by death":                      (*jupytertest.Kernel).Die,
	} {
		t.Run(name, func(t *testing.T) {
			s := jupytertest.NewServer(t)
			fake := s.AddKernel("python3")
			fake.OnExecute(hold)
			k := follow(t, s, fake)
			ask := Evaluation{Expressions: map[string]string{"a": "1"}, Subshell: true}
			if _, err := k.Evaluate(within(t), ask); err != nil {
				t.Fatal(err)
			}
			execute(t, k, "loop")
			until(t, k, "execute_input")
			errs := make(chan error, 1)
			go func() {
				_, err := k.Evaluate(t.Context(), Evaluation{})
				errs <- err
			}()
			fake.Await("execute_request", 3)
			accident(fake)
			if err := <-errs; !errors.Is(err, ErrKernelRestarted) {
				t.Errorf("evaluate: %v", err)
			}
			got := until(t, k, "starting")
			for _, word := range got {
				if word == "execute_reply" || word == "idle" {
					t.Errorf("got %v", got)
				}
			}
			if _, err := k.Evaluate(within(t), ask); err != nil || len(fake.Subshells()) != 1 {
				t.Errorf("the subshell was not made again: %v, %v", fake.Subshells(), err)
			}
		})
	}
}

func TestAProbeInTheRestartWindowIsSentAgain(t *testing.T) {
	s := jupytertest.NewServer(t)
	fake := s.AddKernel("python3")
	k := follow(t, s, fake)
	fake.Swallow("kernel_info_request", 2)
	if err := k.Probe(within(t)); err != nil {
		t.Error(err)
	}
	fake.Swallow("execute_request", 1)
	execute(t, k, "lost without a trace")
	fake.Await("execute_request", 1)
	if err := k.Probe(within(t)); err != nil {
		t.Error(err)
	}
	fake.Status("starting")
	diff(t, []string{"starting"}, until(t, k, "starting"))
}

func TestAProbeWaitsUntilIOPubIsHeard(t *testing.T) {
	s := jupytertest.NewServer(t)
	fake := s.AddKernel("python3")
	k := follow(t, s, fake)
	if err := k.Probe(within(t)); err != nil { // after the requests of Follow
		t.Fatal(err)
	}
	fake.Hush(3) // all of the first attempt, and half of the second
	if err := k.Probe(within(t)); err != nil {
		t.Error(err)
	}
	execute(t, k, "1")
	if got := until(t, k, "idle"); got[0] != "busy" {
		t.Errorf("lost the begin: %v", got)
	}
	t.Run("but not for ever", func(t *testing.T) {
		fake.Hush(1000)
		defer fake.Hush(0)
		if err := k.Probe(within(t)); err != nil {
			t.Error(err)
		}
	})
}

func TestTheSubshellIsLookedForAfterTheConnectionWasLost(t *testing.T) {
	s := jupytertest.NewServer(t)
	fake := s.AddKernel("python3")
	k := follow(t, s, fake)
	ask := Evaluation{Expressions: map[string]string{"a": "1"}, Subshell: true}
	for i, renew := range []bool{false, true} {
		if _, err := k.Evaluate(within(t), ask); err != nil {
			t.Fatal(err)
		}
		before := fake.Subshells()
		release := blockChannels(t, s)
		fake.Drop()
		if renew {
			fake.SimulateRestart()
			fake.Forget() // its messages reach nobody
		}
		release()
		until(t, k, "connection restored")
		if _, err := k.Evaluate(within(t), ask); err != nil {
			t.Fatal(err)
		}
		fake.Await("list_subshell_request", i+1) // kernels differ in what they send to an unknown client
		after := fake.Subshells()
		if len(after) != 1 || len(before) != 1 || renew == (before[0] == after[0]) {
			t.Errorf("restarted %v: before %v, after %v", renew, before, after)
		}
	}
}

func TestJoining(t *testing.T) {
	s := jupytertest.NewServer(t)
	fake := s.AddKernel("python3")
	c := client(t, s)
	t.Run("tells what the kernel is", func(t *testing.T) {
		want := KernelInfo{
			Name: "python3", Language: "python", LanguageVersion: "3.14.0", Banner: "Fake Python",
			ProtocolVersion: "5.3", Subshells: true, InterruptMode: "signal",
		}
		if got := follow(t, s, fake).Info(); got != want {
			t.Errorf("got %+v", got)
		}
	})
	t.Run("a kernel that is busy", func(t *testing.T) {
		busy := s.AddKernel("python3")
		busy.OnExecute(hold)
		execute(t, follow(t, s, busy), "loop")
		busy.AwaitState(wire.StateBusy)
		follow(t, s, busy)
	})
	t.Run("is not ended by the end of its context", func(t *testing.T) {
		ctx, cancel := context.WithCancel(within(t))
		k, err := c.follow(ctx, fake.ID, FollowOptions{}, quick())
		require.NoError(t, err)
		defer k.Close()
		cancel()
		if err := k.Probe(within(t)); err != nil {
			t.Error(err)
		}
	})
	t.Run("ends when the caller gives up in the handshake", func(t *testing.T) {
		ctx, cancel := context.WithCancel(within(t))
		s.Intercept(func(_ http.ResponseWriter, r *http.Request) bool {
			if strings.HasSuffix(r.URL.Path, "/channels") {
				cancel()
				<-r.Context().Done() // the server waits for a kernel that does not start
			}
			return false
		})
		defer s.Intercept(nil)
		if _, err := c.follow(ctx, fake.ID, FollowOptions{}, quick()); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("ends with the caller's patience", func(t *testing.T) {
		s.Intercept(func(_ http.ResponseWriter, r *http.Request) bool {
			<-r.Context().Done()
			return false
		})
		defer s.Intercept(nil)
		for range 20 { // the connection has the same deadline, and sometimes reports it first
			ctx, cancel := context.WithTimeout(within(t), 10*time.Millisecond)
			defer cancel()
			if _, err := c.dial(ctx, fake.ID, &arrivals{session: "x"}, nil, quick()); !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, ErrUnreachable) {
				t.Errorf("got %v", err)
			}
		}
	})
	t.Run("fails with the reason", func(t *testing.T) {
		for status, want := range map[int]error{403: ErrUnauthorized, 404: ErrNotFound, 503: ErrUnreachable, 500: ErrKernelStart} {
			s.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
				if !strings.HasSuffix(r.URL.Path, "/channels") {
					return false
				}
				jupytertest.Refuse(w, status, "because")
				return true
			})
			if _, err := c.follow(within(t), fake.ID, FollowOptions{}, quick()); !errors.Is(err, want) {
				t.Errorf("%d: got %v, want %v", status, err, want)
			}
		}
		s.Intercept(nil)
		for _, id := range []string{"00000000-0000-4000-8000-000000000000", "../contents", ""} {
			if _, err := c.Follow(within(t), id, FollowOptions{}); !errors.Is(err, ErrNotFound) {
				t.Errorf("%q: got %v", id, err)
			}
		}
	})
}

func TestEvaluateLeavesNoTraceInNext(t *testing.T) {
	s := jupytertest.NewServer(t)
	fake := s.AddKernel("python3")
	k := follow(t, s, fake)
	got, err := k.Evaluate(within(t), Evaluation{Expressions: map[string]string{"a": "1+1"}, Subshell: true})
	if err != nil || got["a"].Text() != "1+1" {
		t.Fatalf("got %v, %v", got, err)
	}
	request := fake.Await("execute_request", 1)
	if request.Header.SubshellID == "" {
		t.Error("it was not asked of a subshell")
	}
	fake.Send(wire.IOPub, "stream", request.Header, wire.Stream{Name: "stdout", Text: "late words of it"})
	if err := k.Probe(within(t)); err != nil {
		t.Error(err)
	}
	if err := k.ProbeControl(within(t)); err != nil {
		t.Error(err)
	}
	fake.Status("starting")
	diff(t, []string{"starting"}, until(t, k, "starting"))
}

// TestLateOutputIsThatOfTheCode: a thread prints while or after Easel asks the kernel something.
func TestLateOutputIsThatOfTheCode(t *testing.T) {
	s := jupytertest.NewServer(t)
	fake := s.AddKernel("python3")
	k := follow(t, s, fake)
	code := execute(t, k, "1")
	until(t, k, "idle")
	prints := func(question *wire.Message, text string) {
		fake.Send(wire.IOPub, "stream", question.Header, wire.Stream{Name: "stdout", Text: text})
	}
	comes := func(want string) {
		t.Helper()
		if in := next(t, k); brief(in) != want || in.Message.ParentID() != code {
			t.Errorf("got %s of %s, want %s of %s", brief(in), in.Message.ParentID(), want, code)
		}
	}
	asks := func(quiet bool) {
		t.Helper()
		if _, err := k.Evaluate(within(t), Evaluation{Expressions: map[string]string{"a": "1"}, Quiet: quiet}); err != nil {
			t.Fatal(err)
		}
	}
	fake.OnEvaluate(func(wire.ExecuteRequest) wire.ExecuteReply {
		prints(fake.Await("execute_request", 2), "meanwhile")
		return wire.ExecuteReply{Status: wire.ReplyOK}
	})
	asks(true)
	comes("stdout meanwhile")
	fake.OnEvaluate(nil)
	asks(false)
	prints(fake.Await("execute_request", 2), "after another question")
	comes("stdout after another question")
}

func TestEvaluateTellsExceptions(t *testing.T) {
	s := jupytertest.NewServer(t)
	fake := s.AddKernel("python3")
	k := follow(t, s, fake)
	ask := Evaluation{Expressions: map[string]string{"a": "1"}}
	fake.OnEvaluate(func(wire.ExecuteRequest) wire.ExecuteReply {
		return wire.ExecuteReply{Status: wire.ReplyError, Ename: "NameError", Evalue: "x"}
	})
	_, err := k.Evaluate(within(t), ask)
	if e, ok := errors.AsType[*EvaluationError](err); !ok || e.Ename != "NameError" {
		t.Errorf("got %v", err)
	}
	fake.OnEvaluate(func(wire.ExecuteRequest) wire.ExecuteReply { return wire.ExecuteReply{Status: wire.ReplyAborted} })
	if _, err = k.Evaluate(within(t), ask); !errors.Is(err, ErrAborted) {
		t.Errorf("got %v", err)
	}
}

// hold is a script that is busy until it is interrupted.
func hold(x *jupytertest.Execution) {
	x.Usual(func() {
		select {
		case <-x.Interrupted():
		case <-x.Context().Done():
		}
	})
}

func TestAskingWhileTheKernelIsBusy(t *testing.T) {
	s := jupytertest.NewServer(t)
	ask := Evaluation{Expressions: map[string]string{"a": "1"}, Subshell: true}
	t.Run("with subshells", func(t *testing.T) {
		fake := s.AddKernel("python3")
		fake.OnExecute(hold)
		k := follow(t, s, fake, func(tune *connectionParameters, _ *FollowOptions) { tune.farewell = patience }) // its last word is awaited below
		execute(t, k, "loop")
		until(t, k, "execute_input")
		if _, err := k.Evaluate(within(t), ask); err != nil {
			t.Error(err)
		}
		if err := k.ProbeControl(within(t)); err != nil {
			t.Error(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		if err := k.Probe(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("probe of the main shell: got %v", err)
		}
		if got := fake.Subshells(); len(got) != 1 {
			t.Errorf("subshells: %v", got)
		}
		if _, err := k.Evaluate(within(t), ask); err != nil || len(fake.Subshells()) != 1 {
			t.Errorf("the subshell is not used again: %v, %v", fake.Subshells(), err)
		}
		fake.DeleteSubshells()
		if _, err := k.Evaluate(within(t), ask); err != nil || len(fake.Subshells()) != 1 {
			t.Errorf("after somebody deleted it: %v, %v", fake.Subshells(), err)
		}
		if err := k.Close(); err != nil {
			t.Error(err)
		}
		fake.Await("delete_subshell_request", 1)
	})
	t.Run("without", func(t *testing.T) {
		fake := s.AddKernel("python3")
		fake.WithoutSubshells()
		fake.OnExecute(hold)
		k := follow(t, s, fake)
		if _, err := k.Evaluate(within(t), ask); err != nil {
			t.Errorf("idle: %v", err)
		}
		id := execute(t, k, "loop")
		until(t, k, "execute_input")
		if _, err := k.Evaluate(within(t), ask); !errors.Is(err, ErrKernelBusy) {
			t.Errorf("busy: got %v", err)
		}
		late := follow(t, s, fake) // comes while it is busy, and saw no status
		if _, err := late.Evaluate(within(t), ask); !errors.Is(err, ErrKernelBusy) {
			t.Errorf("busy since before we came: got %v", err)
		}
		if err := client(t, s).InterruptKernel(within(t), fake.ID); err != nil {
			t.Error(err)
		}
		untilIdle(t, k, id)
		untilIdle(t, late, id)
		if _, err := k.Evaluate(within(t), ask); err != nil {
			t.Errorf("idle again: %v", err)
		}
		untilIdle(t, late, "") // of what k asked: to others that is work
		if _, err := late.Evaluate(within(t), ask); err != nil {
			t.Errorf("idle again: %v", err)
		}
	})
}

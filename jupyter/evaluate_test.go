package jupyter

import (
	"context"
	"errors"
	"testing"
	"time"

	"easel/jupyter/jupytertest"
	"easel/jupyter/wire"
)

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

// hold is a script that stays busy until it is interrupted.
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
		k := follow(t, s, fake, func(tune *tuning, _ *FollowOptions) { tune.farewell = patience }) // the test waits for its last message below
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
		late := follow(t, s, fake) // joins while the kernel is busy, and has seen no status
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
		untilIdle(t, late, "") // of k's request, which others see as work
		if _, err := late.Evaluate(within(t), ask); err != nil {
			t.Errorf("idle again: %v", err)
		}
	})
}

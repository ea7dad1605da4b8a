package record

import (
	"bytes"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"easel/ui/core/kernels/execution"
	"easel/ui/core/library"
)

// TestRunPhases checks all pairs of phases of a run.
func TestRunPhases(t *testing.T) {
	t.Parallel()
	follow := map[runPhase][]runPhase{
		runNew:         {runAwaiting, runQueued, runUnconfirmed, runRunning, runEnded},
		runAwaiting:    {runQueued, runEnded},
		runQueued:      {runAwaiting, runSent, runEnded},
		runSent:        {runQueued, runRunning, runIdle, runEnded, runDetached},
		runUnconfirmed: {runRunning, runEnded, runDetached},
		runRunning:     {runIdle, runEnded, runDetached},
		runIdle:        {runEnded, runDetached},
		runEnded:       nil,
		runDetached:    nil,
	}
	if len(follow) != len(runPhaseNames) {
		t.Fatalf("the table has %d phases of %d", len(follow), len(runPhaseNames))
	}
	for from := range follow {
		for to := range follow {
			var log bytes.Buffer
			u := &queuedExecution{x: execution.New(nil, library.Execution{ID: "x"}), phase: from}
			want, end := slices.Contains(follow[from], to), from
			if want {
				end = to
			}
			if got := u.advance(slog.New(slog.NewTextHandler(&log, nil)), to); got != want || u.phase != end {
				t.Errorf("%s to %s: %v, and it is %s; want %v, %s", from, to, got, u.phase, want, end)
			}
			if logged := strings.Contains(log.String(), "cannot follow"); logged == want {
				t.Errorf("%s to %s: logged: %q", from, to, log.String())
			}
		}
	}
}

// TestKernelPhases checks all pairs of phases of a kernel.
func TestKernelPhases(t *testing.T) {
	t.Parallel()
	follow := map[kernelPhase][]kernelPhase{
		kernelReady:        {kernelUnconfirmed, kernelRestarting, kernelDead, kernelDisconnected, kernelGone},
		kernelUnconfirmed:  {kernelReady, kernelRestarting, kernelDead, kernelDisconnected, kernelGone},
		kernelRestarting:   {kernelReady, kernelUnconfirmed, kernelDead, kernelDisconnected, kernelGone},
		kernelDead:         {kernelReady, kernelUnconfirmed, kernelRestarting, kernelDisconnected, kernelGone},
		kernelDisconnected: {kernelReady, kernelUnconfirmed, kernelGone},
		kernelGone:         nil,
	}
	if len(follow) != len(kernelPhaseNames) {
		t.Fatalf("the table has %d phases of %d", len(follow), len(kernelPhaseNames))
	}
	for from := range follow {
		for to := range follow {
			var log bytes.Buffer
			s := Session{journal: journal{log: slog.New(slog.NewTextHandler(&log, nil))}, phase: from}
			want, end := from == to || slices.Contains(follow[from], to), from
			if want {
				end = to
			}
			if got := s.become(to); got != want || s.phase != end {
				t.Errorf("%s to %s: %v, and it is %s; want %v, %s", from, to, got, s.phase, want, end)
			}
			if logged := strings.Contains(log.String(), "cannot follow"); logged == want {
				t.Errorf("%s to %s: logged: %q", from, to, log.String())
			}
		}
	}
}

// TestPhaseNames checks that every phase has a name, and that an invalid one is recognisable.
func TestPhaseNames(t *testing.T) {
	t.Parallel()
	for p := runNew; p <= runDetached; p++ {
		if s := p.String(); s == "" || strings.Contains(s, "(") {
			t.Errorf("run phase %d is called %q", int(p), s)
		}
		if p.started() && p.ended() {
			t.Errorf("%s has started and ended", p)
		}
	}
	status := map[kernelPhase]string{
		kernelReady: "idle", kernelUnconfirmed: "idle", kernelRestarting: "restarting",
		kernelDead: "dead", kernelDisconnected: "disconnected", kernelGone: "dead",
	}
	for p := kernelReady; p <= kernelGone; p++ {
		if s := p.String(); s == "" || strings.Contains(s, "(") {
			t.Errorf("kernel phase %d is called %q", int(p), s)
		}
		if got := p.status(); got != status[p] {
			t.Errorf("%s is shown as %q, want %q", p, got, status[p])
		}
	}
	if got := (runDetached + 1).String(); got != "phase(9)" {
		t.Errorf("got %q", got)
	}
}

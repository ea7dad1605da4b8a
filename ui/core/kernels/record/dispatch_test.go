package record

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/kernels/execution"
	"easel/ui/core/library"
)

// ownRun returns a run of the user's code.
func ownRun(r *Recorder, id string, phase runPhase) *queuedExecution {
	u := &queuedExecution{x: execution.NewSent(r.env.Library, library.Execution{ID: id, SessionID: r.Session.Stored().ID, Own: true, Status: catalog.StatusQueued}, false), own: true, phase: phase}
	u.by.User = true
	return u
}

// TestNothingIsSentToAKernelThatMayNotListen: a request that is sent while a kernel restarts is lost
// without an error, and one that is sent after an interrupt could be hit by it.
func TestNothingIsSentToAKernelThatMayNotListen(t *testing.T) {
	t.Parallel()
	r, _ := scripted(t)
	d := r.dispatch
	u := ownRun(r, "x", runQueued)
	d.queue.add(u)
	for what, c := range map[string]struct {
		set   func()
		probe bool
	}{
		"unconfirmed":            {func() { r.Session.phase = kernelUnconfirmed }, true},
		"restarting":             {func() { r.Session.phase = kernelRestarting }, true},
		"dead":                   {func() { r.Session.phase = kernelDead }, true},
		"disconnected":           {func() { r.Session.phase = kernelDisconnected }, false},
		"gone":                   {func() { r.Session.phase = kernelGone }, false},
		"executes other code":    {func() { r.foreign.set("other") }, false},
		"an interrupt is coming": {func() { d.interrupts.inFlight = 1 }, false},
		"has a request":          {func() { d.current = &queuedExecution{phase: runRunning} }, false},
	} {
		r.Session.phase, d.interrupts.inFlight, d.current = kernelReady, 0, nil
		r.foreign.set("")
		c.set()
		if probe := d.sendNext(); probe != c.probe || u.phase != runQueued || d.queue.len() != 1 {
			t.Errorf("%s: to be probed: %v; it is %s", what, probe, u.phase)
		}
	}
	r.Session.phase, d.interrupts.inFlight, d.current = kernelReady, 0, nil
	r.foreign.set("")
	if d.sendNext() || d.current != u || u.phase != runSent || d.queue.len() != 0 {
		t.Errorf("the kernel is ready, and the request is %s", u.phase)
	}
}

// TestASecondInterruptHitsOnlyItsCode: the kernel may execute something else by then.
func TestASecondInterruptHitsOnlyItsCode(t *testing.T) {
	t.Parallel()
	r, _ := scripted(t)
	r.env.Timing.InterruptRetry = 0
	d := r.dispatch
	for what, c := range map[string]struct {
		set  func(*queuedExecution)
		want int
	}{
		"it runs":         {func(u *queuedExecution) { d.current = u }, 1},
		"it was given up": {func(u *queuedExecution) { r.foreign.set(u.request) }, 1},
		"another runs":    {func(*queuedExecution) { d.current = ownRun(r, "other", runRunning) }, 0},
		"it has ended":    {func(u *queuedExecution) { d.current, u.phase = u, runEnded }, 0},
	} {
		u := ownRun(r, "x", runRunning)
		u.request, u.stop, u.stopTries = "x", causeCancelled, 1
		d.current, d.interrupts.inFlight = nil, 0
		r.foreign.set("")
		d.interruptAnswered(u, nil)
		c.set(u)
		(<-r.mail.posts)()
		if d.interrupts.inFlight != c.want {
			t.Errorf("%s: %d interrupts", what, d.interrupts.inFlight)
		}
		if c.want == 1 {
			(<-r.mail.posts)() // its answer
			u.phase = runEnded
		}
	}
}

// TestCodeThatAnotherClientDidNotSend waits again if what the user allows has changed, and ends
// otherwise.
func TestCodeThatAnotherClientDidNotSend(t *testing.T) {
	t.Parallel()
	r, _ := scripted(t)
	d := r.dispatch
	d.queue.add(ownRun(r, "next", runQueued))
	moved := fmt.Errorf("not sent: %w", errMoved)
	for what, c := range map[string]struct {
		set    func(*queuedExecution)
		err    error
		phase  runPhase
		status string
	}{
		"sent":                          {func(*queuedExecution) {}, nil, runSent, catalog.StatusQueued},
		"failed":                        {func(*queuedExecution) {}, errors.New("no tab"), runEnded, catalog.StatusLost},
		"failed, but the kernel has it": {func(u *queuedExecution) { u.request = "1" }, errors.New("no tab"), runSent, catalog.StatusQueued},
		"not allowed now":               {func(*queuedExecution) {}, moved, runQueued, catalog.StatusQueued},
		"not allowed, and cancelled":    {func(u *queuedExecution) { u.stop = causeCancelled }, moved, runEnded, catalog.StatusCancelled},
	} {
		u := ownRun(r, strings.ReplaceAll(what, " ", ""), runSent)
		d.current = u
		c.set(u)
		d.sentElsewhere(u, c.err)
		if got := u.x.Record().Status; u.phase != c.phase || got != c.status || (d.current == u) != (c.phase == runSent) {
			t.Errorf("%s: it is %s, %s; want %s, %s", what, u.phase, got, c.phase, c.status)
		}
		if first := d.queue.waiting[0]; (first == u) != (c.phase == runQueued) {
			t.Errorf("%s: the first that waits is %s", what, first.x.ID())
		}
		d.queue.remove(u)
	}
}

// TestTheUseOfASessionIsKept: who uses it first is stored, so that a later Easel can tell them of a
// restart.
func TestTheUseOfASessionIsKept(t *testing.T) {
	t.Parallel()
	r, _ := scripted(t)
	ctx := tool.WithCaller(t.Context(), tool.Caller{Transport: tool.MCP, Name: "a", Session: "1"})
	for use, want := range []bool{true, false} {
		kept, used := false, make(chan struct{})
		go func(ctx context.Context) { defer close(used); r.Session.Use(ctx) }(ctx)
		select {
		case keep := <-r.mail.posts:
			keep()
			kept = true
			<-used
		case <-used:
		}
		if sess, err := r.env.Library.Sessions.Get(t.Context(), r.Session.Stored().ID); kept != want || err != nil || sess.Users != "1" {
			t.Errorf("use %d: stored: %v; used by %q (%v)", use, kept, sess.Users, err)
		}
	}
}

// TestAHaltAtEachStage: what waits is removed, what was sent is interrupted once it has started, and
// the kernel executes what was given up.
func TestAHaltAtEachStage(t *testing.T) {
	t.Parallel()
	r, _ := scripted(t)
	d := r.dispatch
	waits := ownRun(r, "waits", runQueued)
	d.queue.add(waits)
	if d.halt(waits, causeCancelled); waits.phase != runEnded || d.queue.len() != 0 {
		t.Errorf("what waits is %s, and %d wait", waits.phase, d.queue.len())
	}
	sent := ownRun(r, "sent", runSent)
	sent.request, d.current = "sent", sent
	r.ledger.track(sent)
	if d.halt(sent, causeCancelled); sent.phase != runSent || d.interrupts.inFlight != 0 {
		t.Errorf("what has not started is %s, and %d interrupts were sent, which hit other code", sent.phase, d.interrupts.inFlight)
	}
	if !d.begin(sent) || d.begin(sent) || d.interrupts.inFlight != 1 {
		t.Errorf("it has started, and %d interrupts were sent", d.interrupts.inFlight)
	}
	(<-r.mail.posts)() // the answer
	if d.giveUp(sent); sent.phase != runEnded || d.current != nil || r.foreign.request != "sent" || r.foreign.theirs() {
		t.Errorf("what was given up is %s, and the kernel executes %q", sent.phase, r.foreign.request)
	}
}

// TestTheEndOfWhatWasUnknownWakesItsInterrupts: it was identified as the current request meanwhile.
func TestTheEndOfWhatWasUnknownWakesItsInterrupts(t *testing.T) {
	t.Parallel()
	r, _ := scripted(t)
	r.foreign.setUnknown(true)
	var i interruptCall
	over := r.foreign.wait(&i)
	u := ownRun(r, "x", runRunning)
	u.request = "x"
	if r.dispatch.adopt(u); r.dispatch.current != u || closed(over) {
		t.Fatal("it is not the current request, or counts as ended")
	}
	if r.dispatch.finish(u, causeCancelled); !closed(over) || i.target != u || r.dispatch.current != nil {
		t.Errorf("it has ended: %v; the interrupt knows: %v", closed(over), i.target == u)
	}
}

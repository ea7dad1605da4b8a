package record

import (
	"testing"
	"time"

	"easel/ui/core/coretest"
	"easel/ui/core/kernels/execution"
	"easel/ui/core/library"
)

// trackedRun adds a run to a ledger.
func trackedRun(l *ledger, request string, own bool) *queuedExecution {
	u := &queuedExecution{x: execution.New(nil, library.Execution{ID: "x" + request}), request: request, own: own, phase: runRunning}
	l.track(u)
	return u
}

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// TestWhoseForeignCodeIs: code that Easel gave up, or that an earlier run of it sent, is not another
// client's.
func TestWhoseForeignCodeIs(t *testing.T) {
	t.Parallel()
	f := foreignCode{ledger: newLedger()}
	trackedRun(f.ledger, "given up", true)
	trackedRun(f.ledger, "theirs", false)
	for what, c := range map[string]struct {
		set          func()
		runs, theirs bool
	}{
		"nothing":                    {func() { f.set("") }, false, false},
		"code that Easel gave up":    {func() { f.set("given up") }, true, false},
		"another client's":           {func() { f.set("theirs") }, true, true},
		"untracked":                  {func() { f.set("untracked") }, true, true},
		"unknown":                    {func() { f.setUnknown(false) }, true, true},
		"unknown, and Easel's":       {func() { f.setUnknown(true) }, true, false},
		"known after it was Easel's": {func() { f.setUnknown(true); f.set("theirs") }, true, true},
		"claimed":                    {func() { f.setUnknown(true); f.claim() }, false, false},
	} {
		c.set()
		if f.runs() != c.runs || f.theirs() != c.theirs || (f.running() != nil) != c.runs {
			t.Errorf("%s: it runs: %v, theirs: %v, shown: %v", what, f.runs(), f.theirs(), f.running())
		}
	}
}

// TestAnInterruptWaitsForTheEndOfForeignCode: it goes on waiting when unknown code becomes known.
func TestAnInterruptWaitsForTheEndOfForeignCode(t *testing.T) {
	t.Parallel()
	l := newLedger()
	u := trackedRun(l, "1", false)
	trackedRun(l, "2", false)
	for what, c := range map[string]struct {
		then func(*foreignCode)
		over bool
		want *queuedExecution
	}{
		"it ends":                        {func(f *foreignCode) { f.end(u) }, true, u},
		"it ends, and remains unknown":   {func(f *foreignCode) { f.end(nil) }, true, nil},
		"it becomes known":               {func(f *foreignCode) { f.set("1") }, false, nil},
		"it becomes known, and ends":     {func(f *foreignCode) { f.set("1"); f.set("") }, true, u},
		"it becomes known, other begins": {func(f *foreignCode) { f.set("1"); f.set("2") }, true, u},
		"it becomes the current request": {func(f *foreignCode) { f.claim() }, false, nil},
		"as such, it ends":               {func(f *foreignCode) { f.claim(); f.wake(u) }, true, u},
	} {
		f := foreignCode{ledger: l}
		f.setUnknown(false)
		var first, second interruptCall
		over := f.wait(&first)
		if f.wait(&second) != over || closed(over) {
			t.Fatalf("%s: two interrupts wait for different ends, or for none", what)
		}
		c.then(&f)
		if closed(over) != c.over || first.target != c.want || second.target != c.want {
			t.Errorf("%s: it is over: %v, and was %p and %p, want %v, %p", what, closed(over), first.target, second.target, c.over, c.want)
		}
	}
}

// TestOthersAreLimited: the last run that is recorded says that others were not, and the next
// period begins anew.
func TestOthersAreLimited(t *testing.T) {
	t.Parallel()
	lib := coretest.Open(t)
	env := environment(lib)
	env.Others = OthersLimits{Runs: 2, Bytes: 100}
	o := others{journal: journal{env, env.Log}}
	now := time.Now()
	u := trackedRun(newLedger(), "1", false)
	for i, want := range []bool{true, true, false, false} {
		if got := o.recordsRun(now, "code"); got != want {
			t.Errorf("run %d is recorded: %v", i, got)
		}
		if i == 1 {
			o.last = u
		}
	}
	if said := u.x.Record().Truncated; len(said) != 1 || said[0].Stream != "history" || o.last != nil {
		t.Errorf("the last one says %+v", said)
	}
	big := message("stream", `{"text":"`+string(make([]byte, 200))+`"}`)
	if o.recordsOutput(big, u) || !o.recordsOutput(big, &queuedExecution{own: true}) {
		t.Error("what is more than the limit is recorded, or Easel's own is not")
	}
	if !o.recordsRun(now.Add(othersPeriod), "code") {
		t.Error("nothing is recorded in the next period")
	}
}

package record

import (
	"context"
	"errors"
	"testing"

	"easel/jupyter/wire"
)

// said returns a status of a process about a request.
func said(process string) *wire.Message {
	return &wire.Message{
		Channel: "iopub", Header: wire.Header{MsgType: "status", Session: process},
		Parent: wire.Header{MsgID: "1", Session: "easel"},
	}
}

// TestARestartCountsOnce: the kernel, its server and other clients each report it.
func TestARestartCountsOnce(t *testing.T) {
	t.Parallel()
	var p process
	if !p.restarted() || p.restarted() {
		t.Error("the first report counts, and the second does not")
	}
	p.mentioned()
	if p.restarted() {
		t.Error("a message about earlier code makes the next report count")
	}
	p.runs()
	if !p.restarted() {
		t.Error("code has run, and the next restart does not count")
	}
}

func TestAProcessIsKnownByItsMessages(t *testing.T) {
	t.Parallel()
	var p process
	for i, step := range []struct {
		m                    *wire.Message
		identified, replaced bool
	}{
		{said("a"), true, false},
		{said("a"), false, false},
		{said(""), false, false},
		{said("easel"), false, false}, // some kernels repeat their client's
		{&wire.Message{Header: wire.Header{MsgType: "stream", Session: "server"}, Parent: wire.Header{MsgID: "1"}}, false, false},
		{said("b"), false, true},
		{said("b"), false, false},
	} {
		if identified, replaced := p.hears(step.m); identified != step.identified || replaced != step.replaced {
			t.Errorf("step %d: %v, %v", i, identified, replaced)
		}
	}
	p.restarted()
	if identified, replaced := p.hears(said("b")); identified || replaced || p.id != "" || !p.hasEnded(said("b")) {
		t.Error("the former process still speaks, and counts as the new one")
	}
	if identified, replaced := p.hears(said("c")); !identified || replaced || p.hasEnded(said("c")) {
		t.Error("the new process, whose restart has counted, is not recognised")
	}
	if !p.answered(p.begin(), nil) || p.hasEnded(said("b")) {
		t.Error("the new process has answered, and the former one is still remembered")
	}
}

func TestAProbeOfAnotherProcessProvesNothing(t *testing.T) {
	t.Parallel()
	for what, accident := range map[string]func(*process){
		"a restart": func(p *process) { p.restarted() }, "a lost connection": (*process).forget, "another probe": func(p *process) { p.begin() },
	} {
		var p process
		before := p.begin()
		accident(&p)
		if p.answered(before, nil) {
			t.Errorf("%s: the answer from before counts", what)
		}
		if next := p.begin(); p.answered(before, nil) || !p.answered(next, nil) || p.answered(next, nil) {
			t.Errorf("%s: the next probe counts once, and no other does", what)
		}
	}
}

// TestAProcessThatWasReplacedWhileEaselWasAway: only what an earlier run stored shows that, and only
// until a message has shown it.
func TestAProcessThatWasReplacedWhileEaselWasAway(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		former, joined, heard string
		want                  bool
	}{{"a", "b", "", true}, {"a", "a", "", false}, {"", "b", "", false}, {"a", "", "", false}, {"a", "b", "b", false}, {"", "b", "a", false}} {
		p := process{joined: c.joined}
		p.known(c.former)
		if c.heard != "" {
			p.hears(said(c.heard))
		}
		if got := p.replaced(); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// TestRestartsWaitForEachOther: those that waited do not restart the kernel again, unless it failed.
func TestRestartsWaitForEachOther(t *testing.T) {
	t.Parallel()
	s, broken := newRestarts(), errors.New("broken")
	before, n := s.n.Load(), 0
	restart := func(err error) func() error { return func() error { n++; return err } }
	if err := s.join(t.Context(), before, restart(broken)); !errors.Is(err, broken) || n != 1 {
		t.Errorf("the first: %v, %d", err, n)
	}
	for range 2 {
		if err := s.join(t.Context(), before, restart(nil)); err != nil || n != 2 {
			t.Errorf("after a failure, two more: %v, %d", err, n)
		}
	}
	if err := s.join(t.Context(), s.n.Load(), restart(nil)); err != nil || n != 3 {
		t.Errorf("asked afterwards: %v, %d", err, n)
	}
	s.turn <- struct{}{}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.join(ctx, s.n.Load(), restart(nil)); !errors.Is(err, context.Canceled) || n != 3 {
		t.Errorf("without a turn: %v, %d", err, n)
	}
}

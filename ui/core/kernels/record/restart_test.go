package record

import (
	"testing"

	"easel/mcphost/catalog"
	"easel/ui/core/kernels/sessionuse"
)

// TestARestartEndsWhatTheProcessKnew: what runs and what waits ends, and nothing of the former
// process is believed.
func TestARestartEndsWhatTheProcessKnew(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct {
		crashed bool
		by      sessionuse.Actor
		current string
		happens func(r *Recorder)
	}{
		"it died":              {true, sessionuse.Itself, catalog.StatusKernelDied, func(r *Recorder) { r.died(catalog.MessageDied, nil) }},
		"the user restarts it": {false, sessionuse.OutsideEasel, catalog.StatusInterrupted, func(r *Recorder) { r.restart(catalog.MessageRestarted, false, sessionuse.OutsideEasel) }},
	} {
		r, _ := scripted(t)
		d := r.dispatch
		current, waits, theirs := ownRun(r, "current", runRunning), ownRun(r, "waits", runQueued), trackedRun(r.ledger, "theirs", false)
		current.request, d.current = "current", current
		r.ledger.track(current)
		d.queue.add(waits)
		r.foreign.set("theirs")
		r.outputs.displays["d"] = display{}
		r.process.id = "former"
		r.Figures.set(true, true)
		probe := r.process.begin()

		c.happens(r)
		for _, u := range []*queuedExecution{current, waits, theirs} {
			if u.phase != runEnded {
				t.Errorf("%s: %s is %s", what, u.x.ID(), u.phase)
			}
		}
		if got := current.x.Record().Status; got != c.current || d.busy() {
			t.Errorf("%s: the current one ended as %s; the kernel is busy: %v", what, got, d.busy())
		}
		v := r.Session.View()
		if v.Generation != 2 || v.Status != "restarting" || v.Crashed.IsZero() == c.crashed || v.Replaced.By != c.by.Name {
			t.Errorf("%s: the session is %+v", what, v)
		}
		if r.Figures.Kept() || len(r.outputs.displays) > 0 || r.process.answered(probe, nil) || !r.process.hasEnded(said("former")) {
			t.Errorf("%s: something of the former process is believed", what)
		}
		c.happens(r)
		if got := r.Session.Stored().Generation; got != 2 {
			t.Errorf("%s: a second report counts: generation %d", what, got)
		}
	}
}

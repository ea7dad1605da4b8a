package record

import (
	"errors"
	"testing"

	"easel/ui/core/kernels/execution"
	"easel/ui/core/library"
	"easel/ui/core/oversight"
	"easel/ui/core/state"
)

// queuedRun returns a run of an assistant whose code may be asked about.
func queuedRun(id string) *queuedExecution {
	return &queuedExecution{
		x: execution.New(nil, library.Execution{ID: id}), own: true, phase: runQueued, asks: true,
	}
}

// TestTheQueueSendsWhatTheUserAllows: in order, what is held goes on waiting, and what must not be
// sent is removed.
func TestTheQueueSendsWhatTheUserAllows(t *testing.T) {
	t.Parallel()
	store := state.NewStore(state.Snapshot{Settings: state.DefaultSettings()})
	q := queue{gate: oversight.NewGate(store)}
	assistants, users, asked, approved := queuedRun("assistant"), queuedRun("user"), queuedRun("asked"), queuedRun("approved")
	users.by.User, asked.phase, approved.approved = true, runAwaiting, true
	reset := func() {
		q.take()
		q.add(assistants)
		q.add(users)
		q.add(approved)
		q.await(asked)
	}
	for what, c := range map[string]struct {
		set               func(*state.Snapshot)
		next              *queuedExecution
		asks, refuses     int
		waiting, awaiting int
	}{
		"allowed":   {func(s *state.Snapshot) { s.Settings.Access = oversight.AccessAllow }, assistants, 0, 0, 3, 1},
		"paused":    {func(s *state.Snapshot) { s.Settings.Access, s.Paused = oversight.AccessAllow, true }, users, 0, 0, 3, 1},
		"ask":       {func(s *state.Snapshot) { s.Settings.Access = oversight.AccessAsk }, users, 1, 0, 2, 1},
		"read only": {func(s *state.Snapshot) { s.Settings.Access = oversight.AccessReadOnly }, users, 0, 3, 1, 0},
	} {
		reset()
		store.Update(func(s *state.Snapshot) { s.Paused = false; c.set(s) })
		next, removed := q.sift()
		asks := 0
		for _, r := range removed {
			if r.verdict.Decision == oversight.Ask {
				asks++
			} else if r.verdict.Err == nil {
				t.Errorf("%s: removed without a reason", what)
			}
		}
		if next != c.next || asks != c.asks || len(removed)-asks != c.refuses || len(q.waiting) != c.waiting || len(q.awaiting) != c.awaiting {
			t.Errorf("%s: next %v, %d asked about, %d refused, %d wait, %d for approval", what, next.x.ID(), asks, len(removed)-asks, len(q.waiting), len(q.awaiting))
		}
	}
}

// TestWhatIsRemovedIsNotSent: wherever it waits.
func TestWhatIsRemovedIsNotSent(t *testing.T) {
	t.Parallel()
	store := state.NewStore(state.Snapshot{Settings: state.DefaultSettings()})
	store.Update(func(s *state.Snapshot) { s.Settings.Access = oversight.AccessAllow })
	q := queue{gate: oversight.NewGate(store)}
	first, second, asked := queuedRun("first"), queuedRun("second"), queuedRun("asked")
	asked.phase = runAwaiting
	q.add(second)
	q.putBack(first)
	q.await(asked)
	if next, _ := q.sift(); next != first || q.find(second.x) != second || q.find(asked.x) != asked {
		t.Error("what was put back is not first, or what waits is not found")
	}
	if !q.remove(first) || q.remove(first) || q.find(first.x) != nil {
		t.Error("it is removed twice, or is still there")
	}
	if next, _ := q.sift(); next != second {
		t.Error("what follows is not sent")
	}
	if late := q.takeWaiting(0); len(late) != 1 || late[0] != second || q.len() != 1 {
		t.Errorf("%d were taken, and %d are left; what waits for approval stays", len(late), q.len())
	}
	q.add(first)
	if all := q.take(); len(all) != 2 || q.len() != 0 {
		t.Errorf("%d were taken, and %d are left", len(all), q.len())
	}
	if next, _ := q.sift(); next != nil {
		t.Error("the queue is empty, and sends something")
	}
}

// TestAQueueIsLimited: what waits for approval counts.
func TestAQueueIsLimited(t *testing.T) {
	t.Parallel()
	var q queue
	for i := range MaxWaiting {
		if err := q.full(); err != nil {
			t.Fatalf("%d: %v", i, err)
		}
		if i%2 == 0 {
			q.await(queuedRun(""))
		} else {
			q.add(queuedRun(""))
		}
	}
	if e, ok := errors.AsType[*TooManyError](q.full()); !ok || e.Waiting != MaxWaiting {
		t.Errorf("%d wait: %v", q.len(), q.full())
	}
}

package window

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"easel/mcphost/catalog"
	"easel/ui/core/state"
)

// mostCalls is how many calls the window keeps; the library keeps more.
const mostCalls = 2_000

// mostRuns is how many executions of each session the console keeps.
const mostRuns = 40

// A journal is what the window knows of calls and executions. It outlives the
// shell, which is built anew when language or colours change.
type journal struct {
	mu    sync.Mutex
	calls []catalog.Activity             // and what others ran, newest first
	runs  map[string][]catalog.Execution // by session, oldest first
	ended map[string]int                 // executions that ended, by session
	fates map[string]string              // statuses of executions, by id
}

func newJournal() *journal {
	return &journal{runs: make(map[string][]catalog.Execution), ended: make(map[string]int), fates: make(map[string]string)}
}

// call notes a call that began or ended.
func (j *journal) call(c catalog.Activity) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.put(c)
}

// past notes a call of which the library tells, unless more is known of it.
func (j *journal) past(c catalog.Activity) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if !slices.ContainsFunc(j.calls, func(o catalog.Activity) bool { return o.ID == c.ID }) {
		j.put(c)
	}
}

// put is call; j.mu is held.
func (j *journal) put(c catalog.Activity) {
	if i := slices.IndexFunc(j.calls, func(o catalog.Activity) bool { return o.ID == c.ID }); i >= 0 {
		j.calls[i] = c
		return
	}
	at := slices.IndexFunc(j.calls, func(o catalog.Activity) bool { return !o.Began.After(c.Began) })
	if at < 0 {
		at = len(j.calls)
	}
	j.calls = slices.Insert(j.calls, at, c)
	if len(j.calls) > mostCalls {
		j.calls = j.calls[:mostCalls]
	}
}

// run notes an execution as it stands.
func (j *journal) run(name catalog.ChangeName, x catalog.Execution) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if name == catalog.ExecutionEnded {
		j.ended[x.SessionID]++
	}
	j.fates[x.ExecutionID] = x.Status
	if x.Watched != "" {
		j.put(watchedRun(x))
	}
	runs := j.runs[x.SessionID]
	if i := slices.IndexFunc(runs, func(o catalog.Execution) bool { return o.ExecutionID == x.ExecutionID }); i >= 0 {
		runs = slices.Clone(runs)
		runs[i] = x
	} else {
		runs = append(slices.Clone(runs), x)
	}
	j.runs[x.SessionID] = runs[max(len(runs)-mostRuns, 0):]
}

// pastFate notes what became of an execution by the library, unless more is known.
func (j *journal) pastFate(id, status string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if _, known := j.fates[id]; !known {
		j.fates[id] = status
	}
}

// fate is the status of the execution that a call is about, if that is known.
func (j *journal) fate(c catalog.Activity) (status string, known bool) {
	id := executionOf(c)
	if id == "" {
		id = j.runOf(c).ExecutionID
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	status, known = j.fates[id]
	return status, known
}

func (j *journal) clear() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.calls = nil
}

func (j *journal) snapshot() []catalog.Activity {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.calls)
}

// of is what ran in a session, and how many of its executions have ended.
func (j *journal) of(session string) (runs []catalog.Execution, ended int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.runs[session], j.ended[session]
}

// find is a call as it stands.
func (j *journal) find(id uint64) (catalog.Activity, bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	i := slices.IndexFunc(j.calls, func(c catalog.Activity) bool { return c.ID == id })
	if i < 0 {
		return catalog.Activity{}, false
	}
	return j.calls[i], true
}

// runOf is the execution that a call is about: the one that its result or its
// parameters name or, while it runs, the first since then with its code. The zero
// Execution if none is known.
func (j *journal) runOf(c catalog.Activity) catalog.Execution {
	var args struct{ Code string }
	_ = json.Unmarshal(c.Args, &args) // what is not JSON has none
	id := executionOf(c)
	j.mu.Lock()
	defer j.mu.Unlock()
	var found catalog.Execution
	for _, runs := range j.runs {
		for _, x := range runs {
			switch {
			case id != "" && x.ExecutionID == id:
				return x
			case id == "" && args.Code != "" && x.Code == args.Code && !x.CreatedAt.Before(c.Began) &&
				(found.ExecutionID == "" || x.CreatedAt.Before(found.CreatedAt)):
				found = x
			}
		}
	}
	return found
}

// queued tells whether a call's code has not begun, because other code runs in its session.
func (j *journal) queued(n *state.Snapshot, c catalog.Activity) bool {
	var args struct {
		Code      string
		SessionID string `json:"session_id"`
	}
	if !c.Ended.IsZero() || json.Unmarshal(c.Args, &args) != nil || args.Code == "" {
		return false
	}
	waits := slices.ContainsFunc(n.Sessions, func(s state.Session) bool {
		return s.Queued > 0 && (args.SessionID == "" || args.SessionID == s.SessionID)
	})
	return waits && cmp.Or(j.runOf(c).Status, catalog.StatusQueued) == catalog.StatusQueued
}

// pastCalls is how many calls of earlier days are shown at the start.
const pastCalls = 200

// followCalls keeps the journal until the window closes.
func (a *App) followCalls(ctx context.Context) {
	live := catalog.Activities.Watch(ctx, a.cfg.Bus, 1024) // before the past is read: none falls between
	past, err := a.cfg.Library.Activities(ctx, 0, pastCalls)
	if err != nil && ctx.Err() == nil {
		a.cfg.Log.WarnContext(ctx, "the log of calls cannot be read", "err", err)
	}
	watched, err := a.pastWatched(ctx)
	if err != nil && ctx.Err() == nil {
		a.cfg.Log.WarnContext(ctx, "what others ran cannot be read", "err", err)
	}
	for _, c := range slices.Backward(append(past, watched...)) {
		if c.Ended.IsZero() { // of an Easel that died: it will not end
			c.Ended, c.Status = c.Began, catalog.StatusLost
		}
		if id := executionOf(c); id != "" {
			if x, err := a.cfg.Library.Execution(ctx, id); err == nil {
				a.journal.pastFate(id, x.Status)
			}
		}
		a.journal.past(c)
	}
	a.redraw()
	for c, err := range live {
		if err == nil {
			a.journal.call(c)
			a.redraw()
		}
	}
}

// followRuns keeps what runs until the window closes.
func (a *App) followRuns(ctx context.Context) {
	for c, err := range catalog.Changes.Watch(ctx, a.cfg.Bus, 1024) {
		if err != nil {
			continue // the next change of each execution tells all of it
		}
		if q, ok := c.Object.(catalog.Approval); ok && c.Name == catalog.ApprovalAnswered {
			a.approvalEnded(q)
		}
		if x, ok := c.Object.(catalog.Execution); ok {
			a.journal.run(c.Name, x)
			a.redraw()
		}
	}
}

// redrawAfter is how long changes of the dock are gathered: an execution tells of its plot
// just before the library does.
const redrawAfter = 20 * time.Millisecond

// redraw renders the dock soon; many changes cost one rendering. A plot that the gallery
// is reading goes first: it stands in the same frame, not in the one after.
func (a *App) redraw() {
	if !a.drawing.CompareAndSwap(false, true) {
		return
	}
	var once sync.Once
	draw := func() {
		once.Do(func() {
			a.cfg.Do(func() {
				a.drawing.Store(false)
				if !a.closed && a.snap != nil && a.snap.Window != state.WindowHidden {
					a.shell.dock.render(a.cfg.Store.Snapshot())
				}
			})
		})
	}
	time.AfterFunc(redrawAfter, func() {
		if grid := a.grid.Load(); grid != nil && grid.Await(draw) { // there is none before the first rendering
			time.AfterFunc(heldBack, draw)
		} else {
			draw()
		}
	})
}

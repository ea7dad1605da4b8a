package activity

import (
	"cmp"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"easel/mcphost/catalog"
	"easel/ui/core/state"
)

// mostCalls is the maximum number of calls in a History. The library stores more.
const mostCalls = 2_000

// mostRuns is the maximum number of executions per session in a History.
const mostRuns = 40

// A History contains the calls and executions that the window knows. It outlives the
// dock, which is rebuilt when the language or the colours change. It may be used from
// any goroutine.
type History struct {
	mu       sync.Mutex
	calls    []catalog.Activity             // including code that others ran; newest first
	runs     map[string][]catalog.Execution // by session, oldest first
	ended    map[string]int                 // number of executions that ended, by session
	outcomes map[string]outcome             // of executions, by id
	unseen   []failure                      // since the user last looked at the list
	chosen   choices                        // the list's filter; belongs to the UI goroutine
	drafts   map[string]*draft              // by session; belongs to the UI goroutine

	changed func()
}

// NewHistory returns an empty History. FollowCalls and FollowRuns call changed on their
// goroutine after each change; it must not block.
func NewHistory(changed func()) *History {
	return &History{
		changed: changed, runs: make(map[string][]catalog.Execution), ended: make(map[string]int),
		outcomes: make(map[string]outcome), drafts: make(map[string]*draft),
	}
}

// call records a call that began or ended.
func (h *History) call(c catalog.Activity) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.put(c)
}

// past records a call from the library, unless the bus has already reported it.
func (h *History) past(c catalog.Activity) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !slices.ContainsFunc(h.calls, func(o catalog.Activity) bool { return o.ID == c.ID }) {
		h.put(c)
	}
}

// put is like call. The caller holds h.mu.
func (h *History) put(c catalog.Activity) {
	c.ExecutionID = executionOf(c) // results are long: read them once
	c.SessionID = sessionOf(c)
	if i := slices.IndexFunc(h.calls, func(o catalog.Activity) bool { return o.ID == c.ID }); i >= 0 {
		h.calls[i] = c
		return
	}
	at := slices.IndexFunc(h.calls, func(o catalog.Activity) bool { return !o.Began.After(c.Began) })
	if at < 0 {
		at = len(h.calls)
	}
	h.calls = slices.Insert(h.calls, at, c)
	if len(h.calls) > mostCalls {
		h.calls = h.calls[:mostCalls]
	}
}

// run records the current state of an execution.
func (h *History) run(name catalog.ChangeName, x catalog.Execution) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if name == catalog.ExecutionEnded {
		h.ended[x.SessionID]++
	}
	if f := (failure{x.ExecutionID, x.SessionID}); name == catalog.ExecutionEnded && failedRun(x.Status) && !slices.Contains(h.unseen, f) {
		h.unseen = append(h.unseen, f)
	}
	h.outcomes[x.ExecutionID] = outcomeOf(x)
	if x.Watched != "" {
		h.put(watchedRun(x))
	}
	runs := h.runs[x.SessionID]
	if i := slices.IndexFunc(runs, func(o catalog.Execution) bool { return o.ExecutionID == x.ExecutionID }); i >= 0 {
		runs = slices.Clone(runs)
		runs[i] = x
	} else {
		runs = append(slices.Clone(runs), x)
	}
	h.runs[x.SessionID] = runs[max(len(runs)-mostRuns, 0):]
}

// pastOutcome records what the library knows of an execution, unless the bus has already
// reported it.
func (h *History) pastOutcome(id string, o outcome) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, known := h.outcomes[id]; !known {
		h.outcomes[id] = o
	}
}

// outcome returns what is known of the execution that a call is about.
func (h *History) outcome(c catalog.Activity) (o outcome, known bool) {
	id := executionOf(c)
	if id == "" {
		id = h.runOf(c).ExecutionID
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	o, known = h.outcomes[id]
	return o, known
}

// polls returns how many other calls asked how the execution of a call goes on, and when the last of them began.
func (h *History) polls(of catalog.Activity) (n int, last time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, c := range slices.Backward(h.calls) {
		if c.Tool == pollTool && c.ID != of.ID && c.ExecutionID != "" && c.ExecutionID == of.ExecutionID {
			n, last = n+1, c.Began
		}
	}
	return n, last
}

// sent records an execution that the user requested, unless the bus has reported it already. Code that waits has no events.
func (h *History) sent(x catalog.Execution) {
	h.mu.Lock()
	_, known := h.outcomes[x.ExecutionID]
	h.mu.Unlock()
	if !known {
		h.run(catalog.ExecutionStarted, x)
	}
}

// waiting returns those of the executions that wait for their kernel.
func (h *History) waiting(ids []string) []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool {
		status := h.outcomes[id].status
		return status != catalog.StatusQueued && status != catalog.StatusAwaiting
	})
}

// draft returns what the user types for a session.
func (h *History) draft(session string) *draft {
	if h.drafts[session] == nil {
		h.drafts[session] = &draft{}
	}
	return h.drafts[session]
}

// A failure is an execution that failed.
type failure struct{ execution, session string }

// failures returns the executions that failed and that the user has not seen.
func (h *History) failures() (executions []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, f := range h.unseen {
		executions = append(executions, f.execution)
	}
	return executions
}

// looked records that the user has seen the failures of a session, or of all if session is empty.
func (h *History) looked(session string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.unseen = slices.DeleteFunc(h.unseen, func(f failure) bool { return session == "" || f.session == session })
}

func (h *History) clear() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.calls = nil
}

func (h *History) snapshot() []catalog.Activity {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.calls)
}

// of returns the executions of a session, and how many of them have ended.
func (h *History) of(session string) (runs []catalog.Execution, ended int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.runs[session], h.ended[session]
}

// Ended returns how many executions of a session have ended since the window was opened.
func (h *History) Ended(session string) int {
	_, ended := h.of(session)
	return ended
}

// find returns the current state of a call.
func (h *History) find(id uint64) (catalog.Activity, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	i := slices.IndexFunc(h.calls, func(c catalog.Activity) bool { return c.ID == id })
	if i < 0 {
		return catalog.Activity{}, false
	}
	return h.calls[i], true
}

// runOf returns the execution that a call is about: the one that its result or its
// parameters name. If they name none, it is the first execution of the same code between the
// beginning and the end of the call. runOf returns the zero Execution if none is known.
func (h *History) runOf(c catalog.Activity) catalog.Execution {
	var args struct{ Code string }
	_ = json.Unmarshal(c.Args, &args) // an error means that there is no code
	id := executionOf(c)
	h.mu.Lock()
	defer h.mu.Unlock()
	var found catalog.Execution
	for _, runs := range h.runs {
		for _, x := range runs {
			switch {
			case id != "" && x.ExecutionID == id:
				return x
			case id == "" && args.Code != "" && x.Code == args.Code && !x.CreatedAt.Before(c.Began) &&
				(c.Ended.IsZero() || x.CreatedAt.Before(c.Ended)) && (found.ExecutionID == "" || x.CreatedAt.Before(found.CreatedAt)):
				found = x
			}
		}
	}
	return found
}

// queued reports whether a call's code waits for other code in its session.
func (h *History) queued(n *state.Snapshot, c catalog.Activity) bool {
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
	return waits && cmp.Or(h.runOf(c).Status, catalog.StatusQueued) == catalog.StatusQueued
}

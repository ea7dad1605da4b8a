package window

import (
	"maps"
	"slices"

	"easel/ui/core/state"
	"easel/ui/window/kit"
)

// runOf identifies what runs in a session; "" if nothing does. What another client runs
// may have no id.
func runOf(x state.Session) string {
	switch {
	case !x.Runs():
		return ""
	case x.Running == nil || x.Running.ExecutionID == "":
		return "unnamed"
	default:
		return x.Running.ExecutionID
	}
}

// A stuckRuns knows the code that has not reacted to an interrupt, for as long as it runs.
type stuckRuns struct {
	snapshot func() *state.Snapshot
	changed  func(*state.Snapshot)
	runs     map[string]string // by session; see runOf
}

// add records that the code that runs in sessions has not reacted to an interrupt.
// Banners say so.
func (u *stuckRuns) add(ids []string) {
	n := u.snapshot()
	for _, id := range ids {
		if x, ok := n.Session(id); ok && runOf(x) != "" {
			u.runs[id] = runOf(x)
		}
	}
	u.changed(n)
}

// of returns the sessions whose code has not reacted to an interrupt and runs
// on, and forgets the others.
func (u *stuckRuns) of(n *state.Snapshot) []state.Session {
	maps.DeleteFunc(u.runs, func(id, run string) bool {
		x, ok := n.Session(id)
		return !ok || runOf(x) != run
	})
	return slices.DeleteFunc(slices.Clone(n.Sessions), func(x state.Session) bool {
		_, is := u.runs[x.SessionID]
		return !is
	})
}

// offerUnmoved shows a message with a button while code runs that has not reacted to an
// interrupt.
func (a *App) offerUnmoved(m kit.Mark, text, label string, do func()) {
	a.offerWhile(m, text, label, do, func(n *state.Snapshot) bool { return len(a.stuck.of(n)) > 0 })
}

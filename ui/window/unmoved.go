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

// setUnmoved records that the code that runs in sessions has not reacted to an interrupt.
// Banners say so for as long as it runs.
func (a *App) setUnmoved(ids []string) {
	n := a.cfg.Store.Snapshot()
	for _, id := range ids {
		if x, ok := n.Session(id); ok && runOf(x) != "" {
			a.unmoved[id] = runOf(x)
		}
	}
	if c := a.shell.center; c.banners.render(n) {
		c.arrange(c.root.Size())
	}
}

// stillUnmoved returns the sessions whose code has not reacted to an interrupt and runs
// on, and forgets the others.
func (a *App) stillUnmoved(n *state.Snapshot) []state.Session {
	maps.DeleteFunc(a.unmoved, func(id, run string) bool {
		x, ok := n.Session(id)
		return !ok || runOf(x) != run
	})
	return slices.DeleteFunc(slices.Clone(n.Sessions), func(x state.Session) bool {
		_, is := a.unmoved[x.SessionID]
		return !is
	})
}

// offerUnmoved shows a message with a button while code runs that has not reacted to an
// interrupt.
func (a *App) offerUnmoved(m kit.Mark, text, label string, do func()) {
	a.offerWhile(m, text, label, do, func(n *state.Snapshot) bool { return len(a.stillUnmoved(n)) > 0 })
}

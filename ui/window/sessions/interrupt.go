package sessions

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"

	"fyne.io/fyne/v2"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/state"
	"easel/ui/window/kit"
)

// InterruptRunning interrupts what is running. If that is ambiguous, it lets the user
// choose.
func (c *Control) InterruptRunning() {
	n := c.port.Snapshot()
	among, sure := n.Stops()
	switch {
	case len(among) == 0:
		c.port.Say(kit.MarkIdle, c.port.Kit().T("flash.nothing_runs"))
	case sure:
		c.Interrupt(among[0].SessionID)
	default:
		c.chooseInterrupt()
	}
}

// InterruptAll interrupts all running sessions.
func (c *Control) InterruptAll() {
	var ids []string
	for _, x := range c.port.Snapshot().Busy() {
		ids = append(ids, x.SessionID)
	}
	if len(ids) > 0 {
		c.Interrupt(ids...)
	}
}

// Interrupt interrupts sessions concurrently and reports the outcomes.
func (c *Control) Interrupt(ids ...string) { c.InterruptThen(ids, nil) }

// chooseInterrupt lets the user choose among the running sessions.
func (c *Control) chooseInterrupt() {
	items := c.StopItems(c.port.Snapshot().Busy())
	if len(items) == 0 {
		c.port.Say(kit.MarkIdle, c.port.Kit().T("flash.nothing_runs"))
		return
	}
	if button := c.port.Button(); button != nil {
		c.port.Dialogs().MenuUnder(button, items...)
		return
	}
	c.port.Dialogs().Menu(fyne.NewPos(12, 12), items...)
}

// StopItems returns the rows of the menu that interrupts one of the running sessions.
func (c *Control) StopItems(busy []state.Session) (items []*fyne.MenuItem) {
	var all []string
	for _, x := range busy {
		all = append(all, x.SessionID)
		items = append(items, fyne.NewMenuItem(c.stopLabel(x), func() { c.Interrupt(x.SessionID) }))
	}
	if len(all) > 1 {
		items = append(items, fyne.NewMenuItemSeparator(), fyne.NewMenuItem(c.port.Kit().T("interrupt.all"), func() { c.Interrupt(all...) }))
	}
	return items
}

// stopLabel describes a session in the menu, and whose code is running there.
func (c *Control) stopLabel(x state.Session) string {
	switch {
	case x.Running == nil:
		return x.Title()
	case x.Running.Theirs:
		return c.port.Kit().T("interrupt.theirs", x.Title())
	case x.Running.Client != "":
		return x.Title() + "  ·  " + x.Running.Client
	default:
		return x.Title()
	}
}

// An interruptOutcome is the outcome of interrupting one session.
type interruptOutcome struct {
	id, name string
	waits    bool // more code is waiting to run
	out      catalog.SessionInterruptOut
	err      error
}

// InterruptThen interrupts sessions concurrently and reports the outcomes. Then it calls done, if
// that is not nil: whether it failed for one, and whether the code of one runs on.
func (c *Control) InterruptThen(ids []string, done func(failed, runs bool)) {
	n := c.port.Snapshot()
	all := make([]interruptOutcome, len(ids))
	var names []string
	for i, id := range ids {
		x, ok := n.Session(id)
		all[i] = interruptOutcome{id: id, name: id}
		if ok {
			all[i].name, all[i].waits = x.Title(), x.Queued > 0
		}
		names = append(names, all[i].name)
	}
	c.port.Say(kit.MarkBusy, c.port.Kit().T("flash.interrupting", strings.Join(names, ", ")))
	c.port.Requests.Go(func(ctx context.Context) {
		var calls sync.WaitGroup
		for i := range all {
			calls.Go(func() {
				all[i].out, all[i].err = catalog.SessionInterrupt.Ask(ctx, c.port.Bus, catalog.SessionInterruptIn{SessionID: all[i].id})
			})
		}
		calls.Wait()
		if ctx.Err() == nil {
			c.port.Requests.Post(func() {
				c.tellInterrupts(all)
				if done != nil {
					done(
						slices.ContainsFunc(all, func(x interruptOutcome) bool { return x.err != nil }),
						slices.ContainsFunc(all, func(x interruptOutcome) bool { return x.out.Outcome == catalog.StillRuns }),
					)
				}
			})
		}
	})
}

// tellInterrupts reports the outcomes of interrupts, the most important first; see
// severity.
func (c *Control) tellInterrupts(all []interruptOutcome) {
	k := c.port.Kit()
	mark := kit.MarkCheck
	var lines []string
	still := ""
	var next []string
	slices.SortStableFunc(all, func(x, y interruptOutcome) int { return severity(y) - severity(x) })
	for _, x := range all {
		switch {
		case x.err != nil:
			mark = kit.MarkBad
			c.port.Log.Info("the window's request failed", "tool", "session_interrupt", "err", x.err)
			lines = append(lines, k.T("flash.not_interrupted", x.name, tool.Explain(tool.AsError(x.err))))
		case x.out.Outcome == catalog.StillRuns:
			still = cmp.Or(still, x.id)
			if mark == kit.MarkCheck {
				mark = kit.MarkWait
			}
			lines = append(lines, k.T("flash.still_runs", x.name))
		case x.out.Outcome == catalog.NothingRan:
			lines = append(lines, k.T("flash.nothing_ran", x.name))
		case x.out.Outcome == catalog.EndedItself:
			lines = append(lines, k.T("flash.ended_itself", x.name))
		case x.out.Outcome == catalog.Withdrawn:
			lines = append(lines, k.T("flash.withdrawn", x.name))
		case x.waits:
			next = append(next, x.id)
			lines = append(lines, k.T("flash.interrupted_next", x.name))
		default:
			lines = append(lines, k.T("flash.interrupted", x.name))
		}
	}
	text := strings.Join(lines, " ")
	switch {
	case still != "" && c.unserved(still):
		c.port.Say(mark, text)
	case still != "":
		c.port.OfferWhile(mark, text, k.T("flash.restart"), func() { c.ConfirmRestart(still) },
			func(n *state.Snapshot) bool { return len(n.Unmoved()) > 0 })
	case len(next) > 0:
		c.port.Offer(mark, text, k.T("top.interrupt"), func() { c.Interrupt(next...) })
	default:
		c.port.Say(mark, text)
	}
}

// unserved reports whether Easel cannot restart the kernel of a session.
func (c *Control) unserved(id string) bool {
	x, _ := c.port.Snapshot().Session(id)
	return x.Unserved()
}

// severity orders outcomes by how important they are for the user.
func severity(x interruptOutcome) int {
	switch {
	case x.err != nil:
		return 2
	case x.out.Outcome == catalog.StillRuns:
		return 1
	default:
		return 0
	}
}

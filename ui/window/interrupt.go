package window

import (
	"slices"
	"strings"
	"sync"
	"time"

	"fyne.io/fyne/v2"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/state"
	"easel/ui/window/kit"
)

// pick remembers the session that the user has chosen; "" means none.
func (a *App) pick(id string) {
	if a.cfg.Store.Snapshot().Picked != id {
		a.cfg.Store.Update(func(s *state.Snapshot) { s.Picked = id })
	}
}

// interruptNow interrupts what is running. If that is ambiguous, it lets the user
// choose.
func (a *App) interruptNow() {
	n := a.cfg.Store.Snapshot()
	among, sure := n.Stops()
	switch {
	case len(among) == 0:
		a.shell.flash(kit.MarkIdle, a.shell.k.T("flash.nothing_runs"))
	case sure:
		a.interrupt(among[0].SessionID)
	default:
		a.chooseInterrupt()
	}
}

// interruptBusy interrupts all running sessions.
func (a *App) interruptBusy() {
	var ids []string
	for _, x := range a.cfg.Store.Snapshot().Busy() {
		ids = append(ids, x.SessionID)
	}
	if len(ids) > 0 {
		a.interrupt(ids...)
	}
}

// chooseInterrupt lets the user choose among the running sessions.
func (a *App) chooseInterrupt() {
	s := a.shell
	items := s.stopItems(a.cfg.Store.Snapshot().Busy())
	if len(items) == 0 {
		s.flash(kit.MarkIdle, s.k.T("flash.nothing_runs"))
		return
	}
	if s.full { // there is no button then
		s.pop(fyne.NewPos(12, 12), items...)
		return
	}
	s.popUnder(s.top.interrupt, items...)
}

// stopItems returns the rows of that menu.
func (s *shell) stopItems(busy []state.Session) (items []*fyne.MenuItem) {
	var all []string
	for _, x := range busy {
		all = append(all, x.SessionID)
		items = append(items, fyne.NewMenuItem(s.stopLabel(x), func() { s.a.interrupt(x.SessionID) }))
	}
	if len(all) > 1 {
		items = append(items, fyne.NewMenuItemSeparator(), fyne.NewMenuItem(s.k.T("interrupt.all"), func() { s.a.interrupt(all...) }))
	}
	return items
}

// stopLabel describes a session in the menu, and whose code is running there.
func (s *shell) stopLabel(x state.Session) string {
	switch {
	case x.Running == nil:
		return x.Title()
	case x.Running.Theirs:
		return s.k.T("interrupt.theirs", x.Title())
	case x.Running.Client != "":
		return x.Title() + "  ·  " + x.Running.Client
	default:
		return x.Title()
	}
}

// renderInterrupt shows on the button which session it would interrupt.
func (t *topBar) renderInterrupt(n *state.Snapshot) {
	k := t.s.k
	among, sure := n.Stops()
	t.interrupt.SetEnabled(len(among) > 0)
	kind, tip := kit.Danger, k.T("top.interrupt_choose", state.Titles(among))
	switch {
	case len(among) == 0:
		kind, tip = kit.Quiet, k.T("flash.nothing_runs")
	case sure:
		tip = k.T("top.interrupt_one", among[0].Title())
	}
	t.interrupt.SetKind(kind)
	t.interrupt.SetTip(tip)
}

// A stopped is the outcome of interrupting one session.
type stopped struct {
	id, name string
	waits    bool // more code is waiting to run
	out      catalog.SessionInterruptOut
	err      error
}

// interrupt interrupts sessions concurrently and reports the outcomes.
func (a *App) interrupt(ids ...string) {
	n := a.cfg.Store.Snapshot()
	all := make([]stopped, len(ids))
	var names []string
	for i, id := range ids {
		x, ok := n.Session(id)
		all[i] = stopped{id: id, name: id}
		if ok {
			all[i].name, all[i].waits = x.Title(), x.Queued > 0
		}
		names = append(names, all[i].name)
	}
	a.shell.flash(kit.MarkBusy, a.shell.k.T("flash.interrupting", strings.Join(names, ", ")))
	answered := false // on the UI goroutine
	slow := time.AfterFunc(reactionTime, func() {
		a.cfg.Do(func() {
			if !answered && !a.closed {
				a.setUnmoved(ids)
			}
		})
	})
	a.tasks.Go(func() {
		defer slow.Stop()
		var calls sync.WaitGroup
		for i := range all {
			calls.Go(func() {
				all[i].out, all[i].err = catalog.SessionInterrupt.Ask(asUser(a.ctx), a.cfg.Bus, catalog.SessionInterruptIn{SessionID: all[i].id})
			})
		}
		calls.Wait()
		if a.ctx.Err() == nil {
			a.cfg.Do(func() {
				if answered = true; !a.closed {
					a.tellInterrupts(all)
				}
			})
		}
	})
}

// tellInterrupts reports the outcomes of interrupts, first of what is still running.
func (a *App) tellInterrupts(all []stopped) {
	k := a.shell.k
	mark := kit.MarkCheck
	var lines []string
	still := ""
	var next, unmoved []string
	slices.SortStableFunc(all, func(x, y stopped) int { return severity(y) - severity(x) })
	for _, x := range all {
		switch {
		case x.err != nil:
			mark = kit.MarkBad
			a.cfg.Log.Info("the window's request failed", "tool", "session_interrupt", "err", x.err)
			lines = append(lines, k.T("flash.not_interrupted", x.name, why(x.err)))
		case x.out.Outcome == catalog.StillRuns:
			if still == "" {
				still = x.id
			}
			unmoved = append(unmoved, x.id)
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
	case still != "":
		a.setUnmoved(unmoved)
		a.shell.offer(mark, text, k.T("flash.restart"), func() { a.shell.confirmRestart(still) })
		a.shell.toast.holds = func(n *state.Snapshot) bool { return len(a.stillUnmoved(n)) > 0 }
	case len(next) > 0:
		a.shell.offer(mark, text, k.T("top.interrupt"), func() { a.interrupt(next...) })
	default:
		a.shell.flash(mark, text)
	}
}

// severity orders outcomes by how important they are for the user.
func severity(x stopped) int {
	switch {
	case x.err != nil:
		return 2
	case x.out.Outcome == catalog.StillRuns:
		return 1
	default:
		return 0
	}
}

// why describes an error for the user.
func why(err error) string {
	e := tool.AsError(err)
	return strings.TrimSpace(e.Detail + " " + e.Hint)
}

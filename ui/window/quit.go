package window

import (
	"slices"
	"strings"

	"easel/ui/core/state"
	"easel/ui/window/dialogs"
	"easel/ui/window/kit"
)

// CloseRequested does what the window's close button does: it hides the window if the
// tray can bring it back, and otherwise quits. It asks first if something would be lost.
// It must be called on the UI goroutine.
func (a *App) CloseRequested() {
	hides := a.cfg.Store.Snapshot().Settings.OnClose != "quit"
	if hides && a.cfg.Tray != nil && a.cfg.Tray() {
		a.Hide()
		return
	}
	a.leave(hides)
}

// quitRequested quits, and asks first if something would be lost. A second request does not
// confirm it: a key that is held down repeats.
func (a *App) quitRequested() { a.leave(false) }

// leave quits, and asks first if something would be lost. If stay, the user may also
// keep Easel running without its window; a second start shows it again.
func (a *App) leave(stay bool) {
	if a.cfg.Quit == nil {
		a.Hide()
		return
	}
	if a.shell.leaving() {
		return
	}
	lost := a.cfg.Store.Snapshot().Losses(a.cfg.Now())
	if lost.None() {
		a.cfg.Quit()
		return
	}
	k := a.shell.k
	text := lossText(k, lost)
	if !stay {
		a.shell.quitting = a.shell.dialogs.Choose(k.T("confirm.quit"), text, dialogs.Choice{Text: k.T("confirm.quit_yes"), Do: a.cfg.Quit})
		return
	}
	a.shell.quitting = a.shell.dialogs.Choose(k.T("confirm.quit"), text+" "+k.T("quit.stay_text"),
		dialogs.Choice{Text: k.T("quit.stay"), Do: a.Hide}, dialogs.Choice{Text: k.T("confirm.quit_yes"), Do: a.cfg.Quit})
}

// leaving reports whether the question before quitting is open.
func (s *shell) leaving() bool { return s.quitting != nil && s.quitting.Visible() }

// lossText lists what would be lost, by name.
func lossText(k *kit.Kit, l state.Losses) string {
	var parts []string
	if len(l.Running) > 0 {
		parts = append(parts, k.T("quit.running", state.Titles(l.Running)))
	}
	if all := slices.Concat(l.Running, l.Idle); len(all) > 0 {
		parts = append(parts, k.T("quit.variables", state.Titles(all)))
	}
	if len(l.Clients) > 0 {
		parts = append(parts, k.T("quit.clients", strings.Join(l.Clients, ", ")))
	}
	return strings.Join(append(parts, k.T("quit.plots")), " ")
}

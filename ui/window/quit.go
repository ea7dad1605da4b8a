package window

import (
	"slices"
	"strings"

	"easel/ui/window/dialogs"

	"easel/ui/core/state"
)

// closeRequested handles the window's close button. If there is a tray that can bring
// the window back, it hides the window. Otherwise it quits, and asks first if something
// would be lost.
func (a *App) closeRequested() {
	hides := a.cfg.Store.Snapshot().Settings.OnClose != "quit"
	if hides && a.cfg.Tray != nil && a.cfg.Tray() {
		a.Hide()
		return
	}
	a.leave(hides)
}

// quitRequested quits, and asks first if something would be lost. A second request while
// the question is open confirms it.
func (a *App) quitRequested() {
	if a.shell.leaving() {
		a.cfg.Quit()
		return
	}
	a.leave(false)
}

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
	text := a.lossText(lost)
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
func (a *App) lossText(l state.Losses) string {
	k := a.shell.k
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

package window

import "context"

// The entry points from outside of the window: the tray's menu and the window's
// frame. Call them on the UI goroutine.

// CloseRequested does what the window's close button does: it hides the window
// where the tray leads back to it, and quits elsewhere.
func (a *App) CloseRequested() { a.closeRequested() }

// RequestQuit quits, after asking in the window if something would be lost.
func (a *App) RequestQuit() {
	if !a.cfg.Store.Snapshot().Losses(a.cfg.Now()).None() {
		a.Show() // the question is asked in it
	}
	a.quitRequested()
}

// Autostart has the desktop start Easel at login, or no more.
func (a *App) Autostart(on bool) {
	if a.cfg.Autostart != nil {
		a.background("autostart", func(context.Context) error { return a.cfg.Autostart(on) }, nil)
	}
}

// ShowSettings shows the window with the settings.
func (a *App) ShowSettings() {
	a.Show()
	a.shell.open(pageSettings)
}

// ShowConnect shows the window with the page that tells how clients are set up.
func (a *App) ShowConnect() {
	a.Show()
	a.shell.open(pageConnect)
}

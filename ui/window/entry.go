package window

import "context"

// The methods below are for the tray's menu and the window's frame. They must be called
// on the UI goroutine.

// CloseRequested does what the window's close button does: it hides the window if the
// tray can bring it back, and otherwise quits.
func (a *App) CloseRequested() { a.closeRequested() }

// RequestQuit quits. If something would be lost, it asks first, in the window.
func (a *App) RequestQuit() {
	if !a.cfg.Store.Snapshot().Losses(a.cfg.Now()).None() {
		a.Show() // for the question
	}
	a.quitRequested()
}

// Autostart turns starting Easel at login on or off.
func (a *App) Autostart(on bool) {
	if a.cfg.Autostart != nil {
		a.requests.Background("autostart", func(context.Context) error { return a.cfg.Autostart(on) }, nil)
	}
}

// ShowSettings shows the window with the settings.
func (a *App) ShowSettings() {
	a.Show()
	a.shell.open(pageSettings)
}

// ShowConnect shows the window with the page for setting up clients.
func (a *App) ShowConnect() {
	a.Show()
	a.shell.open(pageConnect)
}

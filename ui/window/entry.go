package window

import (
	"easel/mcphost/catalog"
	"easel/ui/window/tray"
)

// The methods below are for the tray's menu and the window's frame. They must be called
// on the UI goroutine.

// RequestQuit quits. If something would be lost, it asks first, in the window. A second
// request while the question is open confirms it, because the window may be out of reach.
func (a *App) RequestQuit() {
	if a.shell.leaving() {
		a.cfg.Quit()
		return
	}
	if !a.cfg.Store.Snapshot().Losses(a.cfg.Now()).None() {
		a.Show() // for the question
	}
	a.quitRequested()
}

// OpenPath shows a folder on disk, or that of a picture, and says if it cannot.
func (a *App) OpenPath(path string) { a.folders.Open(path) }

// Tray returns what the tray's menu does.
func (a *App) Tray() tray.Actions {
	open := func(p page) func() {
		return func() {
			a.Show()
			a.shell.open(p)
		}
	}
	return tray.Actions{
		Show: a.Show, CloseRequested: a.CloseRequested, Settings: open(pageSettings), Connect: open(pageConnect),
		Autostart: a.Autostart, TogglePause: a.access.TogglePause, Quit: a.RequestQuit, Interrupt: a.sessions.InterruptThen,
		Latest: func() {
			a.Show()
			a.navigate.Open(catalog.Latest)
		},
	}
}

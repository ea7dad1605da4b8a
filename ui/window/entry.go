package window

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

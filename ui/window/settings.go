package window

import (
	"context"

	"easel/ui/core/state"
)

// settings changes the user's settings.
func (a *App) settings(edit func(*state.Settings)) {
	a.cfg.Store.Update(func(s *state.Snapshot) { edit(&s.Settings) })
}

// rotateToken creates a new token and then calls done. It works off the UI goroutine,
// because it writes files. Until it has finished, further requests are ignored.
func (a *App) rotateToken(done func(error)) {
	if a.rotating {
		return
	}
	a.rotating = true
	var failed error
	a.requests.Background("rotate_token", func(context.Context) error {
		failed = a.cfg.RotateToken()
		return nil // done shows the error
	}, func() {
		a.rotating = false
		done(failed)
	})
}

// Autostart turns starting Easel at login on or off. It must be called on the UI
// goroutine.
func (a *App) Autostart(on bool) {
	if a.cfg.Autostart != nil {
		a.requests.Background("autostart", func(context.Context) error { return a.cfg.Autostart(on) }, nil)
	}
}

package window

import (
	"context"

	"easel/ui/core/state"
	"easel/ui/window/requests"
)

// settings changes the user's settings.
func (a *App) settings(edit func(*state.Settings)) {
	a.cfg.Store.Update(func(s *state.Snapshot) { edit(&s.Settings) })
}

// A tokenRotation replaces Easel's token.
type tokenRotation struct {
	requests *requests.Sender
	rotate   func() error
	running  bool
}

// start creates a new token and then calls done. It works off the UI goroutine,
// because it writes files. Until it has finished, further requests are ignored.
func (r *tokenRotation) start(done func(error)) {
	if r.running {
		return
	}
	r.running = true
	var failed error
	r.requests.Background("rotate_token", func(context.Context) error {
		failed = r.rotate()
		return nil // done shows the error
	}, func() {
		r.running = false
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

package window

import (
	"time"

	"easel/ui/core/state"
)

// watchLooks notes when the user looks at the window: while it has the focus. What arrived since the
// end of the last look is new.
func watchLooks(c Config) {
	note := func(change func(state.Looks, time.Time) state.Looks) func() {
		return func() {
			was := c.Store.Snapshot().Settings.Looks
			if now := change(was, c.Now()); now != was {
				c.Store.Update(func(s *state.Snapshot) { s.Settings.Looks = now })
			}
		}
	}
	l := c.App.Lifecycle()
	l.SetOnEnteredForeground(note(state.Looks.Return))
	l.SetOnExitedForeground(note(state.Looks.Leave))
}

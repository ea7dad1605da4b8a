package window

import (
	"time"

	"easel/ui/core/state"
)

// watchLooks notes when the user looks at the window: while it has the focus. What arrived since the
// end of the last look is new.
func watchLooks(c Config) {
	note := func(focused bool, change func(state.Looks, time.Time) state.Looks) func() {
		return func() {
			now := change(c.Store.Snapshot().Settings.Looks, c.Now())
			c.Store.Update(func(s *state.Snapshot) { s.Settings.Looks, s.Focused = now, focused })
		}
	}
	l := c.App.Lifecycle()
	l.SetOnEnteredForeground(note(true, state.Looks.Return))
	l.SetOnExitedForeground(note(false, state.Looks.Leave))
}

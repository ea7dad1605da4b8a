package window

import (
	"errors"
	"testing"
	"time"

	"fyne.io/fyne/v2/test"

	"easel/ui/core/state"
)

// The look that a person picks takes the way of the tool that assistants have: only
// that notes that a person acted.
func TestTheThemeIsSetByItsTool(t *testing.T) {
	w := newWorld(t, wide, galleryOf(1), func(s *state.Snapshot) { s.ByAssistant = "claude-code did something" })
	w.app.shell.open(pageSettings)
	w.settled()
	test.Tap(w.button("Dark"))
	w.settled()
	if s := w.store.Snapshot(); s.Settings.Theme != "dark" || s.ByAssistant != "" {
		t.Errorf("theme %q, by the assistant %q", s.Settings.Theme, s.ByAssistant)
	}
}

// TestASlowDiskDoesNotBlockTheSettings makes a new token while the disk doesn't answer.
func TestASlowDiskDoesNotBlockTheSettings(t *testing.T) {
	release, calls := make(chan struct{}), make(chan error, 2)
	w := newWorld(t, wide, galleryOf(1), nil)
	w.app.cfg.RotateToken = func() (err error) {
		select {
		case <-release:
		case <-time.After(5 * time.Second):
			err = errors.New("the UI goroutine waits for the disk")
		}
		calls <- err
		return err
	}
	w.app.rebuild(w.store.Snapshot())
	w.app.shell.render(w.store.Snapshot())
	w.app.shell.open(pageSettings)
	w.settled()
	for range 2 { // the second one is ignored
		test.Tap(w.button("New token"))
		w.press("New token")
	}
	test.Tap(w.button("Dark"))
	w.q.Until(t, "the dark settings", func() bool { return w.app.shell.k.P.Dark })
	close(release)
	w.said("There is a new token")
	if err := <-calls; err != nil || len(calls) > 0 {
		t.Errorf("%v, %d more calls", err, len(calls))
	}
}

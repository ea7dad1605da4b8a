package window

import (
	"testing"

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

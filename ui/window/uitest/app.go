package uitest

import (
	"sync"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/software"
	"fyne.io/fyne/v2/test"

	"easel/ui/window/theme"
)

// shared is the app of all tests that use [App], and the variant of the theme that it has.
var shared struct {
	app     fyne.App
	variant string
}

// App returns the app for a test, with no windows and listeners of other tests. The tests of a package
// share its fonts: Fyne would read them again for each new app and for each theme that is set,
// which is half of what a window allocates.
func App(tb testing.TB) fyne.App {
	if shared.app == nil {
		shared.app, shared.variant = test.NewApp(), ""
		shared.app.NewWindow("") // the test driver needs one
	}
	fyne.SetCurrentApp(shared.app)
	shared.app.Clipboard().SetContent("")
	// Fyne reads the clock only when it draws. Without this, the first picture of a test that
	// begins long after the last one would drop the test's widgets as expired.
	software.NewCanvas().Capture()
	a := &app{App: shared.app}
	a.settings.Settings = shared.app.Settings()
	before := len(a.Driver().AllWindows()) // those of a test that this one is part of
	tb.Cleanup(func() {
		for windows := a.Driver().AllWindows(); len(windows) > before; windows = a.Driver().AllWindows() {
			windows[before].Close()
		}
	})
	return a
}

// An app is the shared one with listeners of its own.
type app struct {
	fyne.App
	settings settings
}

// Settings implements [fyne.App].
func (a *app) Settings() fyne.Settings { return &a.settings }

type settings struct {
	fyne.Settings
	mu        sync.Mutex
	listeners []func(fyne.Settings)
}

// AddListener implements [fyne.Settings].
func (s *settings) AddListener(f func(fyne.Settings)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listeners = append(s.listeners, f)
}

// SetTheme implements [fyne.Settings].
func (s *settings) SetTheme(t fyne.Theme) {
	own, ok := t.(*theme.Theme)
	if !ok || own.Variant != shared.variant {
		s.Settings.SetTheme(t)
		if shared.variant = ""; ok {
			shared.variant = own.Variant
		}
	}
	s.mu.Lock()
	listeners := s.listeners
	s.mu.Unlock()
	for _, f := range listeners {
		f(s)
	}
}

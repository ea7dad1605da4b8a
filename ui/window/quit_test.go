package window

import (
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"

	"easel/ui/core/state"
	"easel/ui/window/uitest"
)

// quitting returns a world that counts how often it was quit.
func quitting(t *testing.T, edit func(*state.Snapshot)) (w *world, quits *int) {
	t.Helper()
	w, quits = newWorld(t, wide, galleryOf(t, 2), edit), new(int)
	w.app.cfg.Quit = func() { *quits++ }
	return w, quits
}

func idle(s *state.Snapshot) {
	busy(s)
	s.Sessions, s.Clients = s.Sessions[1:], nil
}

// TestClosingAsksBeforeVariablesAreLost covers a window without a tray. Its close button
// quits, which ends idle kernels and their variables.
func TestClosingAsksBeforeVariablesAreLost(t *testing.T) {
	w, quits := quitting(t, idle)
	w.app.CloseRequested()
	w.q.Drain()
	if *quits != 0 {
		t.Fatal("closing quit without a question")
	}
	w.asks("Keep running")
	if text := lossText(w.app.shell.k, w.store.Snapshot().Losses(w.app.cfg.Now())); !strings.Contains(text, "variables of 売上.ipynb") {
		t.Errorf("the question does not name the session whose variables are lost: %s", text)
	}
	uitest.Golden(t, "quit_asks", w.app.win.Canvas())
	w.press("Cancel")
	if *quits != 0 || w.store.Snapshot().Window != state.WindowShown {
		t.Error("Cancel did something")
	}
	w.app.CloseRequested()
	w.press("Keep running")
	if *quits != 0 || w.store.Snapshot().Window != state.WindowHidden {
		t.Errorf("Keep running: quit %d times, the window is %s", *quits, w.store.Snapshot().Window)
	}
	w.app.Show()
	w.app.quitRequested()
	w.press("Quit")
	if *quits != 1 {
		t.Errorf("Quit quit %d times", *quits)
	}
}

// TestTheVariablesOfWhatRunsAreLostToo checks that not only idle sessions count.
func TestTheVariablesOfWhatRunsAreLostToo(t *testing.T) {
	w, _ := quitting(t, busy)
	text := lossText(w.app.shell.k, w.store.Snapshot().Losses(w.app.cfg.Now()))
	for _, want := range []string{"Code running in analysis stops", "variables of analysis, 売上.ipynb will be lost"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q does not say %q", text, want)
		}
	}
}

// TestHoldingQuitAsks checks that a second Ctrl+Q does not confirm quitting, because the key
// repeats while it is held. The tray's Quit does, because the window may be out of reach.
func TestHoldingQuitAsks(t *testing.T) {
	w, quits := quitting(t, idle)
	w.app.CloseRequested()
	w.app.CloseRequested()
	if n := len(w.app.win.Canvas().Overlays().List()); n != 1 || *quits != 0 {
		t.Fatalf("closing twice: %d questions, quit %d times", n, *quits)
	}
	w.press("Cancel")
	quit := &desktop.CustomShortcut{KeyName: fyne.KeyQ, Modifier: fyne.KeyModifierControl}
	w.app.shortcut(quit)
	if *quits != 0 {
		t.Fatal("quit without a question")
	}
	for range 30 {
		w.app.shortcut(quit)
	}
	if n := len(w.app.win.Canvas().Overlays().List()); n != 1 || *quits != 0 {
		t.Errorf("%d questions, quit %d times", n, *quits)
	}
	w.app.RequestQuit()
	if *quits != 1 {
		t.Errorf("quit %d times", *quits)
	}
}

func TestClosingHidesWhereATrayLeadsBack(t *testing.T) {
	w, quits := quitting(t, idle)
	w.app.cfg.Tray = func() bool { return true }
	w.app.CloseRequested()
	if *quits != 0 || w.store.Snapshot().Window != state.WindowHidden {
		t.Errorf("quit %d times, the window is %s", *quits, w.store.Snapshot().Window)
	}
	w.app.RequestQuit()
	if *quits != 0 || w.store.Snapshot().Window != state.WindowShown {
		t.Errorf("the tray's Quit: quit %d times, the window, where it is asked, is %s", *quits, w.store.Snapshot().Window)
	}
}

func TestNothingIsAskedWhereNothingIsLost(t *testing.T) {
	w, quits := quitting(t, nil)
	w.app.CloseRequested()
	if *quits != 1 {
		t.Errorf("quit %d times", *quits)
	}
}

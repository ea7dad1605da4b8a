package window

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"

	"easel/mcphost/catalog"
	"easel/ui/core/state"
	"easel/ui/window/uitest"
)

// kernelsThat answers interrupts with the outcomes, or with an error for "refused".
func kernelsThat(w *world, outcome map[string]string) <-chan string {
	asked := make(chan string, 8)
	catalog.SessionInterrupt.Handle(w.bus, func(_ context.Context, in catalog.SessionInterruptIn) (catalog.SessionInterruptOut, error) {
		asked <- in.SessionID
		if outcome[in.SessionID] == "refused" {
			return catalog.SessionInterruptOut{}, errors.New("the server answered 500")
		}
		if outcome[in.SessionID] == catalog.StillRuns {
			w.doesNotReact(in.SessionID)
		}
		return catalog.SessionInterruptOut{Result: catalog.OK, Outcome: outcome[in.SessionID]}, nil
	}, nil)
	return asked
}

// doesNotReact makes the code of a session ignore an interrupt.
func (w *world) doesNotReact(id string) {
	w.store.Update(func(s *state.Snapshot) {
		s.Sessions = slices.Clone(s.Sessions)
		x := &s.Sessions[slices.IndexFunc(s.Sessions, func(x state.Session) bool { return x.SessionID == id })]
		x.Running, x.Status = &state.RunningCode{ExecutionID: "x", Since: uitest.Start, Unmoved: true}, "busy"
	})
}

// works makes the given sessions run and the others idle.
func (w *world) works(ids ...int) {
	w.store.Update(func(s *state.Snapshot) {
		s.Sessions = slices.Clone(s.Sessions)
		for i := range s.Sessions {
			x := &s.Sessions[i]
			x.Running, x.Status = nil, "idle"
			if slices.ContainsFunc(ids, func(n int) bool { return uitest.SessionID(n) == x.SessionID }) {
				x.Running, x.Status = &state.RunningCode{ExecutionID: "x", Since: uitest.Start}, "busy"
			}
		}
	})
	w.settled()
}

var stopKey = &desktop.CustomShortcut{KeyName: fyne.KeyPeriod, Modifier: fyne.KeyModifierShortcutDefault}

// says waits for a message that contains all parts.
func (w *world) says(parts ...string) {
	w.t.Helper()
	w.q.Until(w.t, "the message "+strings.Join(parts, "…"), func() bool {
		text := w.message()
		return w.saying() && !slices.ContainsFunc(parts, func(p string) bool { return !strings.Contains(text, p) })
	})
}

// TestTheStopButtonStopsWhatRuns covers three cases: one session is shown and another
// begins to run; the user has picked a session; several sessions run.
func TestTheStopButtonStopsWhatRuns(t *testing.T) {
	a, b := uitest.SessionID(0), uitest.SessionID(1)
	w := newWorld(t, wide, galleryOf(t, 2), busy)
	asked := kernelsThat(w, map[string]string{a: catalog.Interrupted, b: catalog.StillRuns})
	button := w.app.shell.top.interrupt

	w.works(1) // the first session, which was shown by itself, has ended
	if !button.Enabled() {
		t.Fatal("a session runs that was not shown, and it cannot be interrupted")
	}
	w.app.shortcut(stopKey)
	if got := <-asked; got != b {
		t.Errorf("interrupted %s, want the one that runs", got)
	}
	w.says("売上.ipynb is still running")
	if w.offers() != "Restart…" {
		t.Error("nothing is offered for code that catches the interrupt")
	}

	w.app.sessions.Pick(a) // it is idle, but the button must not interrupt another one
	w.settled()
	if !button.Enabled() || w.app.shell.top.chosen != a {
		t.Errorf("picked %s: enabled %v, shown %s", a, button.Enabled(), w.app.shell.top.chosen)
	}
	w.app.shortcut(stopKey)
	if w.app.win.Canvas().Overlays().Top() == nil {
		t.Error("the user is not asked whether it may be the one that runs")
	}
	w.app.win.Canvas().Overlays().Top().Hide()
	select {
	case id := <-asked:
		t.Errorf("%s was interrupted though the user picked another", id)
	default:
	}

	w.works(0, 1)
	w.app.shortcut(stopKey) // the picked session is running
	if got := <-asked; got != a {
		t.Errorf("interrupted %s, want the picked one", got)
	}
	w.says("Interrupted analysis")

	w.works()
	if button.Enabled() {
		t.Error("nothing runs, and it can be interrupted")
	}
	w.app.shortcut(stopKey)
	w.says("Nothing is running")
	select {
	case id := <-asked:
		t.Errorf("%s was interrupted while nothing ran", id)
	default:
	}
}

// TestAnInterruptTellsOfTheCodeThatWaited covers a session that continues with waiting
// code, although the user meant to stop it.
func TestAnInterruptTellsOfTheCodeThatWaited(t *testing.T) {
	a := uitest.SessionID(0)
	w := newWorld(t, wide, galleryOf(t, 2), busy)
	asked := kernelsThat(w, map[string]string{a: catalog.Interrupted})
	w.works(0)
	w.store.Update(func(s *state.Snapshot) {
		s.Sessions = slices.Clone(s.Sessions)
		s.Sessions[0].Queued = 1
	})
	w.settled()
	w.app.sessions.InterruptRunning()
	<-asked
	w.says("Interrupted analysis", "that was waiting there runs now")
	w.store.Update(func(s *state.Snapshot) {
		s.Sessions = slices.Clone(s.Sessions)
		s.Sessions[0].Queued = 0
	})
	w.take()
	if got := <-asked; got != a {
		t.Errorf("interrupted %s", got)
	}
	w.q.Until(t, "the message about the last one", func() bool { return w.message() == "Interrupted analysis" })
}

// TestSeveralAreInterruptedAndEachIsToldOf checks that a failure is reported first.
func TestSeveralAreInterruptedAndEachIsToldOf(t *testing.T) {
	a, b := uitest.SessionID(0), uitest.SessionID(1)
	w := newWorld(t, wide, galleryOf(t, 2), busy)
	asked := kernelsThat(w, map[string]string{a: catalog.Interrupted, b: "refused"})
	w.works(0, 1)
	w.app.sessions.InterruptRunning()
	if w.app.win.Canvas().Overlays().Top() == nil {
		t.Fatal("two run, and nobody is asked which")
	}
	rows := w.app.sessions.StopItems(w.store.Snapshot().Busy())
	if len(rows) != 4 || rows[0].Label != "analysis" || rows[1].Label != "売上.ipynb" {
		t.Fatalf("%d rows, want one each, a line, and one for all", len(rows))
	}
	rows[3].Action()
	got := []string{<-asked, <-asked}
	slices.Sort(got)
	want := []string{a, b}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("interrupted %q, want both", got)
	}
	w.says("Could not interrupt 売上.ipynb", "Interrupted analysis")
}

// TestTheTrayActsLikeTheWindow checks that what the tray's menu does is reported in the window,
// too, and that the tray learns the outcome.
func TestTheTrayActsLikeTheWindow(t *testing.T) {
	a, b := uitest.SessionID(0), uitest.SessionID(1)
	w := newWorld(t, wide, galleryOf(t, 2), busy)
	asked := kernelsThat(w, map[string]string{a: catalog.Interrupted, b: catalog.StillRuns})
	var told []bool
	w.app.Tray().Interrupt([]string{a, b}, func(failed, runs bool) { told = append(told, failed, runs) })
	<-asked
	<-asked
	w.says("売上.ipynb is still running", "Interrupted analysis")
	if !slices.Equal(told, []bool{false, true}) {
		t.Errorf("the tray learns %v", told)
	}
	w.app.Tray().TogglePause()
	w.settled()
	if !w.store.Snapshot().Paused {
		t.Error("the tray does not pause")
	}
}

// TestCodeThatDoesNotReactIsReportedUntilItEnds checks that a banner with a button
// appears before the kernel's answer, and stays until the code has ended.
func TestCodeThatDoesNotReactIsReportedUntilItEnds(t *testing.T) {
	a := uitest.SessionID(0)
	w := newWorld(t, wide, galleryOf(t, 2), busy)
	asked, answer := make(chan struct{}), make(chan struct{})
	catalog.SessionInterrupt.Handle(w.bus, func(context.Context, catalog.SessionInterruptIn) (catalog.SessionInterruptOut, error) {
		close(asked)
		<-answer
		return catalog.SessionInterruptOut{Result: catalog.OK, Outcome: catalog.StillRuns}, nil
	}, nil)
	reported := func() bool {
		return slices.ContainsFunc(w.app.shell.gallery.banners.list(w.store.Snapshot()), func(x banner) bool {
			return x.text == "analysis is still running: its code has not reacted to the interrupt." && len(x.act) == 1
		})
	}
	w.works(0)
	w.app.sessions.Interrupt(a)
	<-asked
	if reported() {
		t.Error("it is reported at once")
	}
	w.doesNotReact(a)
	w.q.Until(t, "the report before the answer", func() bool { return len(w.app.shell.gallery.banners.rows) == 1 && reported() })
	close(answer)
	w.says("analysis is still running")
	w.store.Update(func(s *state.Snapshot) { s.Settings.Language = "en"; s.Settings.Theme = "dark" }) // the window is rebuilt
	w.settled()
	if !reported() {
		t.Error("it is no longer reported, and still true")
	}
	w.works()
	if reported() || w.saying() {
		t.Error("it is reported after the code has ended")
	}
	w.works(0)
	if reported() {
		t.Error("it is reported of the next code")
	}
}

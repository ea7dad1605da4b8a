package window

import (
	"context"
	"testing"

	"easel/ui/window/requests"

	"easel/mcphost/catalog"
	"easel/ui/core/state"
	"easel/ui/window/uitest"
)

func TestAStateIsRenderedWhenWhatItBroughtHasBeenRead(t *testing.T) {
	store, q := state.NewStore(state.Snapshot{}), uitest.NewQueue()
	var (
		reading func()
		shown   []int
	)
	stop := Bind(q.Do, store, func(s *state.Snapshot, then func()) bool {
		if s.Unseen == 1 {
			reading = then
		}
		return s.Unseen == 1
	}, func(s *state.Snapshot) { shown = append(shown, s.Unseen) })
	q.Drain()
	store.Update(func(s *state.Snapshot) { s.Unseen = 1 })
	q.Drain()
	if len(shown) != 1 || reading == nil {
		t.Fatalf("rendered %v before the plot was read", shown)
	}
	reading()
	reading() // the answer and the end of the delay
	q.Drain()
	if len(shown) != 2 || shown[1] != 1 {
		t.Fatalf("rendered %v, want the new plot once", shown)
	}
	store.Update(func(s *state.Snapshot) { s.Unseen = 2 })
	q.Drain()
	if len(shown) != 3 {
		t.Fatalf("rendered %v; other states wait for nothing", shown)
	}
	stop()
	reading()
	q.Drain()
	if len(shown) != 3 {
		t.Errorf("rendered %v after the end", shown)
	}
}

// draw adds plots as kernels do, and lets the window render a state after each.
func (w *world) draw(n int) (last string) {
	for range n {
		last = w.lib.Add(0, "", "plot()")
		w.store.Update(func(s *state.Snapshot) { s.Gallery++; s.Newest = last; s.Unseen++ })
		w.q.Drain()
	}
	return last
}

// TestOnlyTheUserStopsTheFollowing covers plots that arrive faster than the window can
// select them, so that the selection lags behind by more than a screen. The user has not
// scrolled.
func TestOnlyTheUserStopsTheFollowing(t *testing.T) {
	for name, c := range map[string]struct{ mode state.Mode }{"in the grid": {state.Grid}, "in the viewer": {state.Viewer}} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, wide, galleryOf(40), func(s *state.Snapshot) {
				busy(s)
				s.Newest, s.Current, s.Selection, s.Mode = "img00040", "img00040", []string{"img00040"}, c.mode
			})
			slow := make(chan struct{})
			catalog.SessionInterrupt.Handle(w.bus, func(context.Context, catalog.SessionInterruptIn) (catalog.SessionInterruptOut, error) {
				<-slow
				return catalog.SessionInterruptOut{}, nil
			}, nil)
			requests.Ask(w.app.requests, catalog.SessionInterrupt, catalog.SessionInterruptIn{}, nil) // makes the window's requests wait
			w.draw(30)
			slow <- struct{}{}
			last := w.draw(30)
			w.settled()
			w.q.Until(t, "the newest plot to be selected", func() bool { return w.store.Snapshot().Current == last })
			w.settled()
			g := w.app.shell.center
			if c.mode == state.Grid && (!g.atEnd || !g.grid.Shows(last) || g.pill.Visible() || w.store.Snapshot().Unseen > 0) {
				t.Errorf("at the newest end: %v, it is in sight: %v, %d unseen", g.atEnd, g.grid.Shows(last), w.store.Snapshot().Unseen)
			}
		})
	}
}

// TestASelectionThatIsNotFollowedIsRevealed covers an assistant that selects an old
// plot.
func TestASelectionThatIsNotFollowedIsRevealed(t *testing.T) {
	w := newWorld(t, wide, galleryOf(60), func(s *state.Snapshot) { busy(s); s.Newest = "img00060" })
	last := w.draw(1)
	w.q.Until(t, "the newest plot to be selected", func() bool { return w.store.Snapshot().Current == last })
	if by := w.store.Snapshot().SelectedBy; by != catalog.ByFollow {
		t.Errorf("the window followed, and the selection is by %q", by)
	}
	w.call(t, catalog.SelectFile.Spec().Name, `{"path": "img00002"}`)
	if by := w.store.Snapshot().SelectedBy; by != catalog.ByAssistant {
		t.Errorf("an assistant selected, and the selection is by %q", by)
	}
	w.q.Until(t, "the selected plot in sight", func() bool { return w.app.shell.center.grid.Shows("img00002") })
	w.draw(1)
	w.settled()
	if got := w.store.Snapshot().Current; got != "img00002" {
		t.Errorf("a new plot took the selection away: %s", got)
	}
}

// TestWhatIsNotInViewIsNotFollowed covers a gallery that shows another session's plots.
func TestWhatIsNotInViewIsNotFollowed(t *testing.T) {
	w := newWorld(t, wide, galleryOf(6), func(s *state.Snapshot) {
		busy(s)
		s.Newest, s.Current, s.Selection = "img00006", "img00006", []string{"img00006"}
		s.Folder = state.Folder{Kind: state.OneSession, ID: uitest.SessionID(1)}
	})
	w.draw(2) // of session 0
	w.settled()
	if got := w.store.Snapshot().Current; got != "img00006" {
		t.Errorf("selected %s, a plot of a session that is not in view", got)
	}
}

// TestAChosenPlotStaysIfAnotherArrivedJustBefore: the window may learn of both in one step.
func TestAChosenPlotStaysIfAnotherArrivedJustBefore(t *testing.T) {
	w := newWorld(t, wide, galleryOf(40), func(s *state.Snapshot) {
		busy(s)
		s.Newest, s.Current, s.Selection, s.FollowLatest = "img00040", "img00040", []string{"img00040"}, true
	})
	w.store.Update(func(s *state.Snapshot) { s.Current, s.Selection = "img00039", []string{"img00039"} })
	w.settled()
	last := w.lib.Add(0, "", "plot()")
	w.store.Update(func(s *state.Snapshot) {
		s.Gallery++
		s.Newest, s.Unseen = last, 1
		s.Mode, s.Current, s.Selection = state.Viewer, "img00040", []string{"img00040"}
	})
	w.settled()
	if n := w.store.Snapshot(); n.Current != "img00040" {
		t.Errorf("%s is shown instead of the chosen plot", n.Current)
	}
}

// TestTheSelectedPlotStaysIfItIsOpened: another that has just arrived was still due.
func TestTheSelectedPlotStaysIfItIsOpened(t *testing.T) {
	w := newWorld(t, wide, galleryOf(40), func(s *state.Snapshot) {
		busy(s)
		s.Newest, s.FollowLatest = "img00040", true
	})
	arrive := func(open bool) string {
		last := w.lib.Add(0, "", "plot()")
		w.store.Update(func(s *state.Snapshot) {
			s.Gallery++
			s.Newest, s.Unseen = last, 1
			if open {
				s.Mode = state.Viewer
			}
		})
		w.settled()
		return last
	}
	first := arrive(false)
	if n := w.store.Snapshot(); n.Current != first {
		t.Fatalf("%q is selected, want %q", n.Current, first)
	}
	arrive(true)
	if n := w.store.Snapshot(); n.Current != first {
		t.Errorf("%q is shown instead of the one that was opened", n.Current)
	}
}

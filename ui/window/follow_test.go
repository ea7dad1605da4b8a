package window

import (
	"context"
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"easel/internal/require"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/announce"
	"easel/ui/core/state"
	"easel/ui/window/requests"
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

// arrive adds a plot as a kernel does. edit, which may be nil, gets its id and edits the state in
// the same step.
func (w *world) arrive(title string, edit func(s *state.Snapshot, id string)) (id string) {
	w.pictures.Turn(func(announce announce.Announcer) {
		id = w.lib.Add(0, title, "plot()")
		announce(func(s *state.Snapshot) {
			if edit != nil {
				edit(s, id)
			}
		})
	})
	return id
}

// draw adds plots as kernels do, and lets the window render a state after each.
func (w *world) draw(n int) (last string) {
	for range n {
		last = w.arrive("", nil)
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
			w := newWorld(t, wide, galleryOf(t, 40), func(s *state.Snapshot) {
				busy(s)
				s.Newest, s.Current, s.Selection, s.Mode = "img00040", "img00040", []string{"img00040"}, c.mode
				s.SelectedBy = catalog.ByFollow
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
			g := w.app.shell.gallery
			if c.mode == state.Grid && (!g.atEnd || !g.grid.Shows(last) || g.pill.Visible() || w.store.Snapshot().Unseen > 0) {
				t.Errorf("at the newest end: %v, it is in sight: %v, %d unseen", g.atEnd, g.grid.Shows(last), w.store.Snapshot().Unseen)
			}
		})
	}
}

// TestASelectionThatIsNotFollowedIsRevealed covers an assistant that selects an old
// plot.
func TestASelectionThatIsNotFollowedIsRevealed(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 60), func(s *state.Snapshot) { busy(s); s.Newest = "img00060" })
	last := w.draw(1)
	w.q.Until(t, "the newest plot to be selected", func() bool { return w.store.Snapshot().Current == last })
	if by := w.store.Snapshot().SelectedBy; by != catalog.ByFollow {
		t.Errorf("the window followed, and the selection is by %q", by)
	}
	w.call(t, catalog.SelectFile.Spec().Name, `{"path": "img00002"}`)
	if by := w.store.Snapshot().SelectedBy; by != catalog.ByAssistant {
		t.Errorf("an assistant selected, and the selection is by %q", by)
	}
	w.q.Until(t, "the selected plot in sight", func() bool { return w.app.shell.gallery.grid.Shows("img00002") })
	w.draw(1)
	w.settled()
	if got := w.store.Snapshot().Current; got != "img00002" {
		t.Errorf("a new plot took the selection away: %s", got)
	}
}

// TestWhatIsNotInViewIsNotFollowed covers a gallery that shows another session's plots.
func TestWhatIsNotInViewIsNotFollowed(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 6), func(s *state.Snapshot) {
		busy(s)
		s.Newest, s.Current, s.Selection, s.SelectedBy = "img00006", "img00006", []string{"img00006"}, catalog.ByFollow
		s.Folder = state.Folder{Kind: state.OneSession, ID: uitest.SessionID(1)}
	})
	w.draw(2) // of session 0
	w.settled()
	if got := w.store.Snapshot().Current; got != "img00006" {
		t.Errorf("selected %s, a plot of a session that is not in view", got)
	}
}

// choosers are ways to choose a plot of a gallery of twelve. Each leaves plots chosen.
func choosers() map[string]func(w *world) {
	click := func(w *world, id string) { w.click(id, 0) }
	return map[string]func(w *world){
		"a click": func(w *world) { click(w, "img00005") },
		"a note": func(w *world) {
			w.app.win.Canvas().Focus(w.field("Add a note…"))
			w.app.win.Canvas().Unfocus()
		},
		"a key for tags":           func(w *world) { w.app.typedRune('t'); w.settled() },
		"a click on the followed":  func(w *world) { click(w, w.store.Snapshot().Newest) },
		"a key":                    func(w *world) { w.key(fyne.KeyRight) },
		"all":                      func(w *world) { selectAll(w.app); w.settled() },
		"the viewer":               func(w *world) { w.key(fyne.KeyReturn) },
		"the viewer, to another":   func(w *world) { w.key(fyne.KeyReturn, fyne.KeyRight, fyne.KeyRight) },
		"the viewer, back":         func(w *world) { w.key(fyne.KeyReturn, fyne.KeyRight, fyne.KeyEscape) },
		"full screen":              func(w *world) { w.key(fyne.KeyReturn, fyne.KeyF11) },
		"the trash, which selects": func(w *world) { w.key(fyne.KeyDelete); w.said("Moved the plot to the trash") },
		"a filter and back": func(w *world) {
			click(w, "img00003") // it has five stars
			w.app.navigate.FilterRating(">=", 4)
			w.settled()
			w.app.navigate.ClearFilters()
		},
		"another order": func(w *world) {
			click(w, "img00005")
			w.app.navigate.Sort("name", true)
			w.settled()
			w.app.navigate.Sort("created", false)
		},
		"a comparison": func(w *world) {
			click(w, "img00005")
			w.click("img00004", fyne.KeyModifierShortcutDefault)
			w.app.typedRune('c')
		},
		"a slide show": func(w *world) {
			click(w, "img00005")
			w.key(fyne.KeyF5)
			w.app.slides.close()
		},
		"another theme": func(w *world) {
			click(w, "img00005")
			w.store.Update(func(s *state.Snapshot) { s.Settings.Theme, s.Settings.Language = "dark", "ja" })
		},
		"an assistant": func(w *world) { w.call(w.t, "select_file", `{"path": "img00005"}`) },
	}
}

// TestWhatSomebodyChoseIsNeverReplaced: neither plots that arrive nor a request to follow
// that is already on its way take the selection away.
func TestWhatSomebodyChoseIsNeverReplaced(t *testing.T) {
	for name, choose := range choosers() {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, wide, galleryOf(t, 12), busy)
			first := w.draw(1)
			w.q.Until(t, "the newest plot to be selected", func() bool { return w.store.Snapshot().Current == first })
			w.settled()
			choose(w)
			w.settled()
			was := w.store.Snapshot()
			if len(was.Selection) == 0 || was.SelectedBy == catalog.ByFollow {
				t.Fatalf("selected %v by %q", was.Selection, was.SelectedBy)
			}
			w.draw(2)
			w.settled()
			last := w.draw(1)
			for _, follow := range []func() error{
				func() error {
					_, err := catalog.SelectFile.Ask(asUser(t), w.bus, catalog.SelectFileIn{Path: last, Follow: true})
					return err
				},
				func() error {
					_, err := catalog.ShowImageViewer.Ask(asUser(t), w.bus, catalog.ShowImageViewerIn{Path: last, Follow: true})
					return err
				},
			} {
				require.NoError(t, follow())
			}
			w.settled()
			n := w.store.Snapshot()
			if !slices.Equal(n.Selection, was.Selection) || n.Current != was.Current || n.SelectedBy != was.SelectedBy || n.Mode != was.Mode {
				t.Errorf("%v by %q, in the %s; chosen were %v by %q, in the %s", n.Selection, n.SelectedBy, n.Mode, was.Selection, was.SelectedBy, was.Mode)
			}
			w.app.typedRune('4')
			w.settled()
			for _, id := range w.app.picks.selected() { // in a comparison, its current side
				if im, err := w.lib.Image(t.Context(), id); err != nil || im.Rating != 4 {
					t.Errorf("%s has %d stars, %v", id, im.Rating, err)
				}
			}
			if im, _ := w.lib.Image(t.Context(), last); im.Rating != 0 {
				t.Error("a plot that nobody chose has stars")
			}
			if !n.FollowPaused() || w.app.shell.top.follow.On() || !strings.HasPrefix(w.app.shell.status.right.Full(), w.app.kit().Keyed(w.app.kit().T("follow.status"))) {
				t.Errorf("the window says %q", w.app.shell.status.right.Full())
			}
			w.app.typedRune('l')
			w.settled()
			if n := w.store.Snapshot(); !slices.Equal(n.Selection, []string{last}) || n.SelectedBy != catalog.ByFollow || n.Mode != was.Mode {
				t.Errorf("L selects %v by %q, in the %s", n.Selection, n.SelectedBy, n.Mode)
			}
			last = w.draw(1)
			w.q.Until(t, "the newest plot to be followed again", func() bool { return w.store.Snapshot().Current == last })
		})
	}
}

func asUser(t *testing.T) context.Context {
	return tool.WithCaller(t.Context(), tool.Caller{Transport: tool.Window})
}

// TestTheWindowSaysOnceThatAChosenPlotStays: when the first plot arrives, with a button
// that goes back to following.
func TestTheWindowSaysOnceThatAChosenPlotStays(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 40), busy)
	w.draw(1)
	w.settled()
	w.key(fyne.KeyDown, fyne.KeyEnd)
	if w.saying() {
		t.Fatalf("it says %q before a plot has arrived", w.message())
	}
	w.draw(1)
	w.settled()
	if !w.saying() || w.message() != w.app.kit().T("follow.paused") {
		t.Fatalf("it says %q", w.message())
	}
	w.store.Update(func(s *state.Snapshot) { s.Selection = nil })
	w.settled()
	if w.saying() {
		t.Errorf("without a selected plot, it says %q", w.message())
	}
	w.key(fyne.KeyDown, fyne.KeyEnd)
	w.draw(1)
	w.settled()
	if !w.saying() {
		t.Error("it does not say it again")
	}
	w.app.shell.messages.Clear()
	last := w.draw(2)
	w.settled()
	if w.saying() {
		t.Errorf("it says it again: %q", w.message())
	}
	pill := w.app.shell.gallery.pill
	if !pill.Visible() || !strings.Contains(pill.Text(), "4 new plots") || !strings.Contains(pill.Text(), "follow again") {
		t.Errorf("the button above the grid says %q", pill.Text())
	}
	test.Tap(pill)
	w.settled()
	if n := w.store.Snapshot(); n.Current != last || n.SelectedBy != catalog.ByFollow || n.Unseen != 0 || !w.app.shell.gallery.grid.Shows(last) {
		t.Errorf("%s is selected by %q, %d are unseen", n.Current, n.SelectedBy, n.Unseen)
	}
}

// TestKeysGoOnFromAPlotThatWasTakenOut of the selection, also after others have arrived.
func TestKeysGoOnFromAPlotThatWasTakenOut(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 12), busy)
	w.settled()
	w.click("img00009", 0)
	for range 2 {
		w.click("img00005", fyne.KeyModifierShortcutDefault)
	}
	w.draw(1)
	w.settled()
	w.key(fyne.KeyReturn)
	if n := w.store.Snapshot(); n.Mode != state.Viewer || n.Current != "img00009" {
		t.Errorf("Enter opens %s, not what is selected", n.Current)
	}
	w.key(fyne.KeyEscape)
	for range 2 {
		w.click("img00005", fyne.KeyModifierShortcutDefault)
	}
	w.draw(1)
	w.settled()
	w.key(fyne.KeyRight)
	if got := w.selection(); !slices.Equal(got, []string{"img00004"}) {
		t.Errorf("right of img00005 is img00004, not %v", got)
	}
}

// TestAKeyMeansWhatTheWindowShows: the state already has the next plot, which the window
// has not drawn yet.
func TestAKeyMeansWhatTheWindowShows(t *testing.T) {
	for _, mode := range []state.Mode{state.Grid, state.Viewer} {
		w := newWorld(t, wide, galleryOf(t, 12), func(s *state.Snapshot) {
			busy(s)
			s.Newest, s.Current, s.Selection, s.Mode, s.SelectedBy = "img00012", "img00012", []string{"img00012"}, mode, catalog.ByFollow
		})
		id := w.arrive("", func(s *state.Snapshot, id string) {
			s.Current, s.Selection = id, []string{id}
		})
		w.app.typedRune('1')
		w.settled()
		was, _ := w.lib.Image(t.Context(), "img00012")
		if now, _ := w.lib.Image(t.Context(), id); was.Rating != 1 || now.Rating != 0 {
			t.Errorf("%s: %d stars for the plot that was shown, %d for the one that was not", mode, was.Rating, now.Rating)
		}
		if mode == state.Viewer { // and a key waits for where the user is going
			w.app.navigate.GoTo("next")
			w.app.typedRune('2')
			w.settled()
			if im, _ := w.lib.Image(t.Context(), w.store.Snapshot().Current); im.Rating != 2 {
				t.Errorf("%d stars for the plot to which the user went", im.Rating)
			}
		}
	}
}

// TestAChosenPlotStaysIfAnotherArrivedJustBefore: the window may learn of both in one step.
func TestAChosenPlotStaysIfAnotherArrivedJustBefore(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 40), func(s *state.Snapshot) {
		busy(s)
		s.Newest, s.Current, s.Selection, s.SelectedBy = "img00040", "img00040", []string{"img00040"}, catalog.ByFollow
	})
	w.settled()
	w.arrive("", func(s *state.Snapshot, _ string) {
		s.Mode, s.SelectedBy = state.Viewer, catalog.ByUser
	})
	w.settled()
	if n := w.store.Snapshot(); n.Current != "img00040" {
		t.Errorf("%s is shown instead of the chosen plot", n.Current)
	}
}

// TestTheSelectedPlotStaysIfItIsOpened: another that has just arrived was still due.
func TestTheSelectedPlotStaysIfItIsOpened(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 40), func(s *state.Snapshot) {
		busy(s)
		s.Newest, s.FollowLatest = "img00040", true
	})
	arrive := func(open bool) string {
		last := w.arrive("", func(s *state.Snapshot, _ string) {
			if open {
				s.Mode, s.SelectedBy = state.Viewer, catalog.ByUser
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

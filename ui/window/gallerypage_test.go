package window

import (
	"context"
	"slices"
	"sync"
	"testing"

	"fyne.io/fyne/v2"

	"easel/internal/require"
	"easel/ui/core/library"
	"easel/ui/core/state"
	"easel/ui/window/uitest"
)

// bestOf returns a window with n plots, all rated four stars and filtered by that.
func bestOf(t *testing.T, n int, edit func(*state.Snapshot)) *world {
	t.Helper()
	lib := galleryOf(t, n)
	ids := make([]string, n)
	for i := range ids {
		ids[i] = plotID(i + 1)
	}
	lib.Rate(4, ids...)
	return newWorld(t, wide, lib, func(s *state.Snapshot) {
		busy(s)
		s.Query.Rating, s.Query.RatingOp, s.Newest = 4, ">=", plotID(n)
		edit(s)
	})
}

func plotID(n int) string {
	return "img" + string([]byte{'0', '0', byte('0' + n/100), byte('0' + n/10%10), byte('0' + n%10)})
}

func TestAPlotRatedOutOfTheFilterGivesItsPlaceInTheGrid(t *testing.T) {
	w := bestOf(t, 40, func(s *state.Snapshot) { s.Selection, s.Current = []string{"img00010"}, "img00010" })
	grid := w.app.shell.gallery.grid
	grid.Reveal("img00010")
	w.settled()
	w.key(fyne.KeyLeft, fyne.KeyRight) // the keys are there
	at, top := grid.CellOf("img00010").Position(), grid.TopID()
	w.app.typedRune('2')
	w.settled()
	if got := w.selection(); !slices.Equal(got, []string{"img00009"}) || grid.Cursor() != "img00009" {
		t.Fatalf("selected %v, the cursor is on %s", got, grid.Cursor())
	}
	if cell := grid.CellOf("img00009"); cell == nil || cell.Position() != at || grid.TopID() != top {
		t.Errorf("the next plot is not in its place, or the grid has moved from %s to %s", top, grid.TopID())
	}
	w.key(fyne.KeyRight)
	if got := w.selection(); !slices.Equal(got, []string{"img00008"}) {
		t.Errorf("→ selects %v", got)
	}
	t.Run("also the first one in sight", func(t *testing.T) {
		top := grid.TopID()
		w.call(t, "select_file", `{"path": "`+top+`"}`)
		at := grid.CellOf(top).Position()
		w.app.typedRune('2')
		w.settled()
		if now := grid.TopID(); now != w.selection()[0] || grid.CellOf(now).Position() != at {
			t.Errorf("%s is the first in sight, %v is selected", now, w.selection())
		}
	})
}

func TestTheViewerKeepsAPlotThatIsRatedOutOfTheFilter(t *testing.T) {
	w := bestOf(t, 12, func(s *state.Snapshot) {
		s.Mode, s.Selection, s.Current = state.Viewer, []string{"img00006"}, "img00006"
	})
	view := w.app.shell.gallery.view
	w.app.typedRune('2')
	w.settled()
	w.q.Until(t, "the new stars in the viewer", func() bool { return view.Image().Rating == 2 })
	if n := w.store.Snapshot(); n.Mode != state.Viewer || view.Image().ImageID != "img00006" || view.Image().Rating != 2 {
		t.Fatalf("%s of %s with %d stars", n.Mode, view.Image().ImageID, view.Image().Rating)
	}
	if got := view.Highlighted(); got != "img00006" {
		t.Errorf("the filmstrip highlights %q", got)
	}
	w.key(fyne.KeyRight)
	if got := view.Image().ImageID; got != "img00005" {
		t.Errorf("→ goes to %s, want the one that followed", got)
	}
	w.app.typedRune('2')
	w.settled()
	w.key(fyne.KeyLeft)
	if got := view.Image().ImageID; got != "img00007" {
		t.Errorf("← goes to %s, want the one before those that left", got)
	}
	w.app.typedRune('2')
	w.settled()
	w.key(fyne.KeyEscape)
	if got := w.selection(); !slices.Equal(got, []string{"img00004"}) {
		t.Errorf("back in the grid %v is selected, want what stands in its place", got)
	}
}

// TestTheArrowsGoOnFromWhatIsStillSelected after a filter has hidden another plot of the selection.
func TestTheArrowsGoOnFromWhatIsStillSelected(t *testing.T) {
	w := bestOf(t, 12, func(s *state.Snapshot) {
		s.Selection, s.Current = []string{"img00007", "img00004"}, "img00004"
	})
	w.app.navigate.FilterTags([]string{"keep"}) // img00012, img00007 and img00002
	w.settled()
	if got := w.selection(); !slices.Equal(got, []string{"img00007"}) {
		t.Fatalf("%v is selected", got)
	}
	w.key(fyne.KeyRight)
	if got := w.selection(); !slices.Equal(got, []string{"img00002"}) {
		t.Errorf("→ selects %v, want the plot after img00007", got)
	}
}

func TestWhatASearchHidesIsNotDeleted(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 12), func(s *state.Snapshot) {
		busy(s)
		s.Selection, s.Current = []string{"img00001", "img00003"}, "img00001"
	})
	w.app.navigate.Search("売上") // every third plot of four
	w.settled()
	if got := w.selection(); !slices.Equal(got, []string{"img00003"}) {
		t.Errorf("selected %v, want what is in sight", got)
	}
	w.key(fyne.KeyDelete)
	w.said("Moved the plot to the trash")
	if im, err := w.lib.Image(t.Context(), "img00001"); err != nil || !im.Trashed.IsZero() {
		t.Errorf("a plot that was out of sight is in the trash, %v", err)
	}
	w.app.navigate.ClearFilters()
	w.settled()
	if slices.Contains(w.selection(), "img00001") {
		t.Error("it is selected again")
	}
}

// sortedMeanwhile is a library whose first answer to a search comes when the order was changed.
type sortedMeanwhile struct {
	*uitest.Library

	sort func()
	once sync.Once
}

func (l *sortedMeanwhile) List(ctx context.Context, q library.Query) ([]library.ListEntry, error) {
	listed, err := l.Library.List(ctx, q)
	if q.Text != "" {
		l.once.Do(l.sort)
	}
	return listed, err
}

func TestWhatASearchHidesIsDeselectedByALaterAnswer(t *testing.T) {
	lib := galleryOf(t, 12)
	seen := &sortedMeanwhile{Library: lib}
	w := newWorldWith(t, wide, lib, seen, func(s *state.Snapshot) {
		busy(s)
		s.Selection, s.Current = []string{"img00001", "img00003"}, "img00001"
	})
	seen.sort = func() { w.store.Update(func(s *state.Snapshot) { s.Query.Asc = true }) }
	w.app.navigate.Search("売上")
	w.settled()
	if got := w.selection(); !w.store.Snapshot().Query.Asc || !slices.Equal(got, []string{"img00003"}) {
		t.Errorf("selected %v, want what is in sight", got)
	}
}

// TestWhatIsGoneIsNotSelected covers an image that has disappeared, such as a file that
// was deleted on disk.
func TestWhatIsGoneIsNotSelected(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 6), func(s *state.Snapshot) {
		busy(s)
		s.Selection, s.Current = []string{"img00003"}, "img00003"
	})
	require.NoError(t, w.lib.Delete(t.Context(), []string{"img00003"}))
	w.q.Until(t, "the next plot to be selected", func() bool { return slices.Equal(w.selection(), []string{"img00002"}) })
}

// redraw adds a version of a figure, as a kernel does.
func (w *world) redraw(id string) string {
	now := w.lib.Update(id, "h.update(fig)")
	w.pictures.Announce()
	w.q.Drain()
	return now
}

func TestAnUpdateChangesItsCardInPlace(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 40), func(s *state.Snapshot) {
		busy(s)
		s.Newest, s.Selection, s.Current = "img00040", []string{"img00033"}, "img00033"
	})
	grid := w.app.shell.gallery.grid
	at, scrolled := grid.CellOf("img00035").Position(), grid.TopID()
	now := "img00035"
	for range 5 {
		now = w.redraw(now)
	}
	w.settled()
	if cell := grid.CellOf(now); cell == nil || cell.Position() != at || grid.TopID() != scrolled {
		t.Errorf("the card moved, or the grid did: %v, %s", cell, grid.TopID())
	}
	if !grid.Pictured(now) || grid.CellOf("img00035") != nil {
		t.Error("the card shows no picture, or there is one of the older version")
	}
	if s := w.store.Snapshot(); s.Unseen != 0 || s.Current != "img00033" || s.Matching != 40 || w.app.shell.gallery.pill.Visible() {
		t.Errorf("%d new, current %s, %d matching", s.Unseen, s.Current, s.Matching)
	}
	t.Run("the selection and the cursor stay on it", func(t *testing.T) {
		w.call(t, "select_file", `{"path": "`+now+`"}`)
		now = w.redraw(now)
		w.settled()
		if grid.Cursor() != now || !slices.Equal(w.selection(), []string{now}) {
			t.Errorf("cursor %s, selection %v, want %s", grid.Cursor(), w.selection(), now)
		}
		w.key(fyne.KeyRight)
		if grid.Cursor() != "img00034" {
			t.Errorf("the key goes to %s", grid.Cursor())
		}
	})
	t.Run("and the user may have scrolled away", func(t *testing.T) {
		w.call(t, "select_file", `{"path": "`+now+`"}`)
		w.app.shell.gallery.grid.Reveal("img00001")
		w.settled()
		top := grid.TopID()
		now = w.redraw(now)
		w.settled()
		if grid.TopID() != top {
			t.Errorf("the grid jumped from %s to %s", top, grid.TopID())
		}
	})
	t.Run("an update of the newest plot selects nothing", func(t *testing.T) {
		w.call(t, "select_file", `{"path": "img00012"}`)
		w.redraw("img00040")
		w.settled()
		if !slices.Equal(w.selection(), []string{"img00012"}) {
			t.Errorf("selected %v", w.selection())
		}
	})
}

func TestTheViewerPlaysVersions(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 6), func(s *state.Snapshot) {
		busy(s)
		s.Newest, s.Mode, s.Selection, s.Current = "img00006", state.Viewer, []string{"img00003"}, "img00003"
	})
	view := w.app.shell.gallery.view
	now := "img00003"
	for range 3 {
		now = w.redraw(now)
	}
	w.settled()
	if view.Image().ImageID != now || view.Image().Versions != 4 {
		t.Fatalf("shows %+v", view.Image())
	}
	w.app.typedRune('[')
	w.settled()
	older := view.Image().ImageID
	now = w.redraw(now)
	w.settled()
	if view.Image().ImageID != older || view.Older() != older || w.store.Snapshot().Current != now {
		t.Errorf("shows %s, want %s still; current %s", view.Image().ImageID, older, w.store.Snapshot().Current)
	}
	w.app.typedRune(']')
	w.app.typedRune(']')
	w.settled()
	if view.Image().ImageID != now {
		t.Errorf("shows %s, want %s", view.Image().ImageID, now)
	}
	w.app.typedRune('V')
	w.q.Until(t, "the versions to be played", func() bool { return view.Image().ImageID != now })
	w.q.Until(t, "their end", func() bool { return view.Image().ImageID == now && view.Settled() })
	w.app.typedRune('[')
	w.settled()
	w.key(fyne.KeyEscape)
	w.app.navigate.Open(now)
	w.settled()
	if view.Image().ImageID != now {
		t.Errorf("opened again with %s", view.Image().ImageID)
	}
}

func TestVersionsLookAsTheyShould(t *testing.T) {
	for name, c := range map[string]struct {
		size       fyne.Size
		lang, mode string
		theme      string
	}{
		"versions_viewer":              {wide, "en", string(state.Viewer), "light"},
		"versions_viewer_dark_ja":      {narrowed, "ja", string(state.Viewer), "dark"},
		"versions_grid_dark_ja_narrow": {narrowed, "ja", string(state.Grid), "dark"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, c.size, galleryOf(t, 6), func(s *state.Snapshot) {
				busy(s)
				s.Settings.Language, s.Settings.Theme, s.Mode = c.lang, c.theme, state.Mode(c.mode)
				s.Newest, s.Selection, s.Current = "img00006", []string{"img00003"}, "img00003"
			})
			now := "img00003"
			for range 11 {
				now = w.redraw(now)
			}
			w.settled()
			if state.Mode(c.mode) == state.Viewer {
				for range 4 {
					w.app.typedRune('[')
					w.settled()
				}
				w.redraw(now)
				w.settled()
			}
			uitest.Golden(t, name, w.app.win.Canvas())
		})
	}
}

// TestAFailedSelectionEnds checks that the state's selection replaces the grid's own
// after the request to select has failed.
func TestAFailedSelectionEnds(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 3), func(s *state.Snapshot) { s.FollowLatest = false })
	require.NoError(t, w.bus.Close(t.Context()))
	w.app.shell.gallery.selected([]string{"img00001"}, "")
	w.settled()
	if got := w.app.shell.gallery.acting; got != 0 {
		t.Errorf("%d selections are still on their way", got)
	}
}

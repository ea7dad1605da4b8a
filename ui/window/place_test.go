package window

import (
	"slices"
	"testing"

	"fyne.io/fyne/v2"

	"easel/ui/core/state"
)

// bestOf returns a window over n plots, all with four stars and filtered by them.
func bestOf(t *testing.T, n int, edit func(*state.Snapshot)) *world {
	t.Helper()
	lib := galleryOf(n)
	ids := make([]string, n)
	for i := range ids {
		ids[i] = plotID(i + 1)
	}
	if _, err := lib.SetRating(t.Context(), ids, 4); err != nil {
		t.Fatal(err)
	}
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
	grid := w.app.shell.center.grid
	grid.Reveal("img00010")
	w.settled()
	w.key(fyne.KeyLeft, fyne.KeyRight) // the keys have the focus
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
	view := w.app.shell.center.view
	w.app.typedRune('2')
	w.settled()
	w.q.Until(t, "the new stars in the viewer", func() bool { return view.Image().Rating == 2 })
	if n := w.store.Snapshot(); n.Mode != state.Viewer || view.Image().ImageID != "img00006" || view.Image().Rating != 2 {
		t.Fatalf("%s of %s with %d stars", n.Mode, view.Image().ImageID, view.Image().Rating)
	}
	if got := view.Marked(); got != "img00006" {
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

func TestWhatASearchHidesIsNotDeleted(t *testing.T) {
	w := newWorld(t, wide, galleryOf(12), func(s *state.Snapshot) {
		busy(s)
		s.Selection, s.Current = []string{"img00001", "img00003"}, "img00001"
	})
	w.app.search("売上") // every third of four plots
	w.settled()
	if got := w.selection(); !slices.Equal(got, []string{"img00003"}) {
		t.Errorf("selected %v, want what is in sight", got)
	}
	w.key(fyne.KeyDelete)
	w.said("Moved the plot to the trash")
	if im, err := w.lib.Image(t.Context(), "img00001"); err != nil || !im.Trashed.IsZero() {
		t.Errorf("a plot that was out of sight is in the trash, %v", err)
	}
	w.app.clearFilters()
	w.settled()
	if slices.Contains(w.selection(), "img00001") {
		t.Error("it is selected again")
	}
}

// TestWhatIsGoneIsNotSelected covers a file that is deleted on disk.
func TestWhatIsGoneIsNotSelected(t *testing.T) {
	w := newWorld(t, wide, galleryOf(6), func(s *state.Snapshot) {
		busy(s)
		s.Selection, s.Current = []string{"img00003"}, "img00003"
	})
	if err := w.lib.Delete(t.Context(), []string{"img00003"}); err != nil {
		t.Fatal(err)
	}
	w.store.Update(func(s *state.Snapshot) { s.Gallery++ })
	w.q.Until(t, "the next plot to be selected", func() bool { return slices.Equal(w.selection(), []string{"img00002"}) })
}

package window

import (
	"slices"
	"testing"

	"fyne.io/fyne/v2"

	"easel/ui/core/state"
	"easel/ui/core/tools"
	"easel/ui/window/uitest"
)

// redraw adds a version of a figure, as a kernel does.
func (w *world) redraw(id string) string {
	now := w.lib.Update(id, "h.update(fig)")
	im, err := w.lib.Image(w.t.Context(), now)
	if err != nil {
		w.t.Fatal(err)
	}
	tools.Publish(w.bus, w.store).Image(im)
	w.q.Drain()
	return now
}

func TestAnUpdateChangesItsCardInPlace(t *testing.T) {
	w := newWorld(t, wide, galleryOf(40), func(s *state.Snapshot) {
		busy(s)
		s.Newest, s.Selection, s.Current = "img00040", []string{"img00033"}, "img00033"
	})
	grid := w.app.shell.center.grid
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
	if s := w.store.Snapshot(); s.Unseen != 0 || s.Current != "img00033" || s.Matching != 40 || w.app.shell.center.pill.Visible() {
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
		w.app.shell.center.grid.Reveal("img00001")
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
	w := newWorld(t, wide, galleryOf(6), func(s *state.Snapshot) {
		busy(s)
		s.Newest, s.Mode, s.Selection, s.Current = "img00006", state.Viewer, []string{"img00003"}, "img00003"
	})
	view := w.app.shell.center.view
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
	w.app.openViewer(now)
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
			w := newWorld(t, c.size, galleryOf(6), func(s *state.Snapshot) {
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

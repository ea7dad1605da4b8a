package window

import (
	"slices"
	"testing"

	"fyne.io/fyne/v2"

	"easel/ui/core/state"
	"easel/ui/window/keymap"
	"easel/ui/window/kit"
)

// TestTheHeadingNamesTheView checks that the heading is not cut off, also in a small
// window.
func TestTheHeadingNamesTheView(t *testing.T) {
	for name, x := range map[string]struct {
		lang, op string
		rating   int
		want     string
	}{
		"all":        {"en", ">=", -1, "All plots"},
		"unrated":    {"en", "=", 0, "Unrated"},
		"best":       {"en", ">=", 4, "Four stars and up"},
		"three":      {"en", ">=", 3, "All plots"},
		"all ja":     {"ja", ">=", -1, "すべてのプロット"},
		"unrated ja": {"ja", "=", 0, "未評価"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, narrowed, galleryOf(t, 6), func(s *state.Snapshot) {
				busy(s)
				s.Settings.Language, s.Query.RatingOp, s.Query.Rating = x.lang, x.op, x.rating
			})
			title := w.app.shell.gallery.bar.title
			if title.Full() != x.want || title.Size().Width < title.PreferredWidth() {
				t.Errorf("the heading is %q, %v wide of %v, want %q", title.Full(), title.Size().Width, title.PreferredWidth(), x.want)
			}
		})
	}
}

// TestWhatTheBarHasNoRoomForIsInItsMenu: the order, the stars and the size of the cells. The bar of a small window has the button.
func TestWhatTheBarHasNoRoomForIsInItsMenu(t *testing.T) {
	w := newWorld(t, fyne.NewSize(760, 500), galleryOf(t, 12), busy)
	bar := w.app.shell.gallery.bar
	choose := func(labels ...string) {
		t.Helper()
		items := bar.more.Items()
		for i, label := range labels {
			at := slices.IndexFunc(items, func(m *fyne.MenuItem) bool { return m.Label == label })
			switch {
			case at < 0:
				t.Fatalf("there is no %q", label)
			case i < len(labels)-1:
				items = items[at].ChildMenu.Items
			default:
				items[at].Action()
			}
		}
		w.settled()
	}
	if bar.sort.Visible() || bar.slide.Visible() || !bar.more.Visible() {
		t.Fatalf("at 760, the order is shown: %v, the slider: %v, the button: %v", bar.sort.Visible(), bar.slide.Visible(), bar.more.Visible())
	}
	choose("Sort by", "Name")
	choose("Reverse the order")
	choose("Size of plots", "Largest")
	if n := w.store.Snapshot(); n.Query.SortBy != "name" || n.Query.Asc || n.Settings.ThumbSize != 340 {
		t.Errorf("the order is %s, ascending %v, the size %d", n.Query.SortBy, n.Query.Asc, n.Settings.ThumbSize)
	}
	w.app.keyboard.choose(map[string][]keymap.Chord{"sort_size": {"F8"}})
	items := bar.more.Items()[0].ChildMenu.Items
	if at := slices.IndexFunc(items, func(m *fyne.MenuItem) bool { return m.Shortcut == kit.Hint("F8") }); at < 0 || items[at].Label != "Size" {
		t.Error("the menu does not have the user's key")
	}
	bar.arrange(nil, fyne.NewSize(240, filterH))
	if bar.stars.Visible() {
		t.Fatal("at 240, the stars are shown")
	}
	choose("Filter by stars", "≥ 4 stars")
	if n := w.store.Snapshot(); n.Query.RatingOp != ">=" || n.Query.Rating != 4 {
		t.Errorf("filtered by %s %d", n.Query.RatingOp, n.Query.Rating)
	}
	w.app.win.Resize(wide)
	w.settled()
	if bar.more.Visible() || !bar.sort.Visible() {
		t.Error("in a wide window, there is a menu")
	}
}

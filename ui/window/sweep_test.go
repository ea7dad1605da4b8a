package window

import "testing"

// TestAWindowThatComesBackShowsItsPictures covers hiding, which releases all pictures.
func TestAWindowThatComesBackShowsItsPictures(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 12), busy)
	grid := w.app.shell.gallery.grid
	if !grid.Pictured("img00012") {
		t.Fatal("no picture to begin with")
	}
	for range 3 {
		w.app.Hide()
		w.q.Until(t, "the hidden window", func() bool { return w.app.snap.Window == w.store.Snapshot().Window })
		if grid.Pictured("img00012") {
			t.Fatal("a hidden window keeps its pictures")
		}
		w.app.Sweep()
		w.app.Show()
		w.q.Until(t, "the picture in the window that came back", func() bool { return grid.Pictured("img00012") && grid.Settled() })
		w.app.Sweep()
	}
}

package window

import (
	"slices"
	"testing"

	"easel/mcphost/catalog"
)

// TestANewVersionTakesThePlaceOfTheChosenOne: it is the same figure.
func TestANewVersionTakesThePlaceOfTheChosenOne(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 12), busy)
	w.draw(1)
	w.settled()
	w.click("img00005", 0)
	next := w.lib.Update("img00005", "")
	w.pictures.Announce()
	w.app.shell.gallery.depart(w.app.shell.gallery.ids) // a list that was read before
	w.settled()
	if n := w.store.Snapshot(); !slices.Equal(n.Selection, []string{next}) || n.SelectedBy != catalog.ByUser {
		t.Fatalf("selected %v by %q", n.Selection, n.SelectedBy)
	}
	w.draw(1)
	w.settled()
	if got := w.selection(); !slices.Equal(got, []string{next}) {
		t.Errorf("selected %v", got)
	}
}

// TestASearchHidesANewVersion: the selected plot gets a new version while a search that hides it
// is answered.
func TestASearchHidesANewVersion(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 12), busy)
	w.settled()
	w.click("img00005", 0)
	w.lib.Update("img00005", "")
	w.app.navigate.Search("nothing has this")
	w.pictures.Announce()
	w.settled()
	if n := w.store.Snapshot(); len(n.Selection) > 0 || n.Current != "" {
		t.Errorf("%v is selected and %q is current, in an empty list", n.Selection, n.Current)
	}
}

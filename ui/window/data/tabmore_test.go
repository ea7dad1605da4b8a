package data

import (
	"fmt"
	"testing"

	"fyne.io/fyne/v2"
)

// TestTabsWithoutRoomAreInTheMenu: the one that is shown has room, and each is reached.
func TestTabsWithoutRoomAreInTheMenu(t *testing.T) {
	w := newWorld(t, 10, 3, fyne.NewSize(500, 300), "en", "light")
	bar := w.p.tabs
	for i := range 12 {
		w.p.Open(session, fmt.Sprint("frame", i))
	}
	shown := func() (n int, has bool) {
		for i, o := range bar.row.Objects {
			if !o.Visible() {
				continue
			}
			n++
			has = has || bar.of[i].shown
			if end := o.Position().X + o.Size().Width; end > bar.more.Position().X-bar.row.Position().X {
				t.Errorf("tab %d ends at %v, where the button is", i, end)
			}
		}
		return n, has
	}
	n, has := shown()
	if n < 3 || n > 5 || !has || !bar.more.Visible() || n+len(bar.more.Items()) != 12 {
		t.Fatalf("%d tabs, the current one among them: %v, and %d in the menu", n, has, len(bar.more.Items()))
	}
	first := bar.more.Items()[0]
	if first.Label != "frame0  ·  Sales of May" {
		t.Errorf("the first is %q", first.Label)
	}
	first.Action()
	if _, has := shown(); !has || w.p.tables.shown.name != "frame0" {
		t.Errorf("shown is %s, with a tab: %v", w.p.tables.shown.name, has)
	}
}

package window

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fyne.io/fyne/v2"

	"easel/ui/core/library"
	"easel/ui/core/state"
	"easel/ui/window/kit"
	"easel/ui/window/uitest"
)

// TestThePlotsDataIsSaved saves what a plot shows in numbers, from its menu.
func TestThePlotsDataIsSaved(t *testing.T) {
	dir := t.TempDir()
	w := newWorld(t, wide, galleryOf(t, 3), func(s *state.Snapshot) {
		busy(s)
		s.Settings.SaveDir = dir
	})
	w.lib.Change("img00001", func(im *library.Image) { im.Title, im.Facts = "North/South", &library.StoredForm{} })
	w.settled()
	texts := func() string { return strings.Join(uitest.Texts(w.app.win.Canvas()), "\n") }

	w.app.shell.imageMenu("img00002", fyne.NewPos(300, 100))
	if !strings.Contains(texts(), "Save data… (no values stored)") {
		t.Errorf("the menu of a plot without values is %q", texts())
	}
	w.key(fyne.KeyEscape)
	for i, sample := range []bool{false, true} {
		w.sample = sample
		name := fmt.Sprintf("%d.csv", i)

		w.app.shell.imageMenu("img00001", fyne.NewPos(300, 100))
		w.item("Save data…")
		w.q.Until(t, "the dialog", func() bool { return strings.Contains(texts(), "Save data of North/South") })
		w.q.Until(t, "the folder", func() bool {
			_, is := seek(w, func(f *kit.Field) bool { return f.Text == dir })
			return is
		})
		w.typeInto("North-South.csv", name)
		w.press("Save")
		said := "Saved " + name
		if sample {
			said += ": a sample, because the kernel no longer has all values"
		}
		w.said(said)
		if data, err := os.ReadFile(filepath.Join(dir, name)); string(data) != "x,y\r\n" {
			t.Errorf("%q, %v", data, err)
		}
	}
}

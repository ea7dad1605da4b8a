package window

import (
	"math"
	"testing"

	"fyne.io/fyne/v2"

	"easel/ui/core/state"
	"easel/ui/window/kit"
)

// TestAMessageLeavesTheFilmstripFree also covers the row of versions, which may appear
// while the message is shown.
func TestAMessageLeavesTheFilmstripFree(t *testing.T) {
	lib := galleryOf(t, 6)
	w := newWorld(t, wide, lib, busy)
	sh := w.app.shell
	edge := func() float32 { return sh.toast.root.Position().Y + sh.toast.root.Size().Height }
	bottom := func() float32 { return topH + sh.gallery.root.Size().Height }
	sh.flash(kit.MarkCheck, "Saved")
	inGrid := func() bool { return math.Abs(float64(edge()-bottom()+16)) < 1 }
	if !inGrid() {
		t.Errorf("over the grid it ends at %v, want %v", edge(), bottom()-16)
	}
	w.app.navigate.Open("img00003")
	w.settled()
	strip := sh.gallery.view.Foot()
	if strip <= 0 || edge() > bottom()-strip {
		t.Errorf("it ends at %v, over the filmstrip of %v", edge(), strip)
	}
	id := lib.Update("img00003", "")
	w.pictures.Announce()
	w.store.Update(func(s *state.Snapshot) { s.Current, s.Selection = id, []string{id} })
	w.settled()
	w.store.Update(func(s *state.Snapshot) { s.Unseen++ }) // the next state
	w.settled()
	if foot := sh.gallery.view.Foot(); foot <= strip || edge() > bottom()-foot {
		t.Errorf("it ends at %v, over the versions that begin at %v", edge(), bottom()-foot)
	}
	w.key(fyne.KeyEscape)
	if !inGrid() {
		t.Errorf("back in the grid it ends at %v, want %v", edge(), bottom()-16)
	}
}

// A frameWindow counts the frames that are requested of a window.
type frameWindow struct {
	fyne.Window
	canvas *frameCanvas
}

func (w frameWindow) Canvas() fyne.Canvas { return w.canvas }

type frameCanvas struct {
	fyne.Canvas
	frames int
}

func (c *frameCanvas) SetDirty() { c.frames++ }

// TestANoticeIsDrawnAtOnce: Fyne draws nothing when a container is shown where it was hidden,
// so a notice could be invisible until the mouse moved.
func TestANoticeIsDrawnAtOnce(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 1), nil)
	c := &frameCanvas{Canvas: w.app.win.Canvas()}
	w.app.win = frameWindow{w.app.win, c}
	for i := range 2 {
		w.app.say(kit.MarkBad, "The browser could not be opened.")
		if c.frames != i+1 {
			t.Errorf("notice %d: %d frames", i+1, c.frames)
		}
		w.app.shell.toast.root.Hide()
	}
}

package window

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"fyne.io/fyne/v2"
	"github.com/google/go-cmp/cmp"

	"easel/eventbus"
	"easel/internal/require"
	"easel/ui/core/state"
	"easel/ui/window/kit"
	"easel/ui/window/requests"
	"easel/ui/window/uitest"
)

// TestAMessageLeavesTheFilmstripFree also covers the row of versions, which may appear
// while the message is shown.
func TestAMessageLeavesTheFilmstripFree(t *testing.T) {
	lib := galleryOf(t, 6)
	w := newWorld(t, wide, lib, busy)
	sh := w.app.shell
	edge := func() float32 { return sh.messages.Object().Position().Y + sh.messages.Object().Size().Height }
	bottom := func() float32 { return topH + sh.gallery.root.Size().Height }
	sh.flash(kit.MarkCheck, "Saved")
	inGrid := func() bool { return math.Abs(float64(edge()-bottom()+10)) < 1 }
	if !inGrid() {
		t.Errorf("over the grid it ends at %v, want %v", edge(), bottom()-10)
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
		t.Errorf("back in the grid it ends at %v, want %v", edge(), bottom()-10)
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
		if c.frames == 0 {
			t.Errorf("notice %d: no frame", i+1)
		}
		c.frames = 0
		w.app.shell.messages.Clear()
		c.frames = 0
	}
}

// TestAChangeOfManyPlotsCanBeCancelled: before it begins, too. Then nothing is changed.
func TestAChangeOfManyPlotsCanBeCancelled(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 120), busy)
	hold, held := eventbus.NewTopic[struct{}, struct{}]("hold"), make(chan struct{})
	hold.Handle(w.bus, func(context.Context, struct{}) (struct{}, error) {
		<-held
		return struct{}{}, nil
	}, nil)
	requests.AskTopic(w.app.requests, "hold", hold, struct{}{}, nil)
	ids := slices.Clone(w.app.shell.gallery.ids)
	marks := func() (all []string) {
		images, err := w.lib.Get(t.Context(), ids...)
		require.NoError(t, err)
		for _, im := range images {
			all = append(all, fmt.Sprint(im.ImageID, im.Rating, im.Tags, im.Trashed))
		}
		return all
	}
	before := marks()
	for i, c := range []struct {
		says string
		do   func()
	}{
		{"Rating 120 plots…", func() { w.app.edits.Rate(ids, 5) }},
		{"Changing the tags of 120 plots…", func() { w.app.edits.Tag(ids, []string{"new"}, nil) }},
		{"Moving 120 plots to the trash…", func() { w.app.edits.Trash(ids) }},
	} {
		c.do()
		if w.message() != c.says || w.offers() != "Cancel" {
			t.Errorf("it says %q, with %q", w.message(), w.offers())
		}
		if i == 0 {
			uitest.Golden(t, "rating_many", w.app.win.Canvas())
		}
		if w.take(); w.saying() {
			t.Errorf("after Cancel, it still says %q", w.message())
		}
	}
	close(held)
	w.said("Cancelled: nothing was changed.")
	w.settled()
	if diff := cmp.Diff(before, marks()); diff != "" {
		t.Errorf("the marks changed: %s", diff)
	}
	if text, label := w.app.shell.messages.Newest(); label != "" {
		t.Errorf("it still says %q", text)
	}
	w.app.edits.Rate(ids, 2)
	w.said("2 stars on 120 plots")
}

// TestTheDeletionOfManyIsStopped: a message says that it is being done, and what came of it.
func TestTheDeletionOfManyIsStopped(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 120), nil)
	w.settled()
	ids := slices.Clone(w.app.shell.gallery.ids)
	w.app.edits.Trash(ids)
	w.said("Moved 120 plots to the trash")
	w.app.navigate.OpenTrash()
	w.settled()
	w.app.shell.messages.Clear()
	held := make(chan struct{})
	hold := eventbus.NewTopic[struct{}, struct{}]("hold")
	hold.Handle(w.bus, func(context.Context, struct{}) (struct{}, error) {
		<-held
		return struct{}{}, nil
	}, nil)
	requests.AskTopic(w.app.requests, "hold", hold, struct{}{}, nil)
	w.app.edits.DeletePermanently(ids)
	w.asks("Delete permanently")
	w.press("Delete permanently")
	if w.message() != "Deleting 120 plots…" || w.offers() != "Cancel" {
		t.Errorf("it says %q, with %q", w.message(), w.offers())
	}
	if w.take(); w.saying() {
		t.Errorf("after Cancel, it still says %q", w.message())
	}
	close(held)
	w.said("Stopped. 0 plots are deleted, 120 stay in the trash.")
	w.settled()
	if n := len(w.app.shell.gallery.ids); n != 120 {
		t.Errorf("%d plots are in the trash", n)
	}
	w.app.edits.DeletePermanently(ids)
	w.asks("Delete permanently")
	w.press("Delete permanently")
	w.said("120 plots deleted")
}

// TestTwoMessagesAreTwoLines, and captions stay in view above them.
func TestTwoMessagesAreTwoLines(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 12), busy)
	c := w.app.shell.gallery
	free := c.grid.Size().Height
	w.app.say(kit.MarkCheck, "Copied the image")
	one := c.grid.Size().Height
	w.app.say(kit.MarkBad, "The browser could not be opened.")
	two := c.grid.Size().Height
	if !w.inSight("Copied the image") || !w.inSight("The browser could not be opened.") || one >= free || two >= one {
		t.Errorf("the grid is %v, %v and %v high; the window shows %q", free, one, two, uitest.Texts(w.app.win.Canvas()))
	}
	w.app.say(kit.MarkCheck, "Saved") // the oldest gives way
	w.app.say(kit.MarkCheck, "Saved")
	if w.inSight("Copied the image") || !w.inSight("The browser could not be opened.") || c.grid.Size().Height != two {
		t.Errorf("the window shows %q", uitest.Texts(w.app.win.Canvas()))
	}
	w.app.say(kit.MarkBusy, "Starting…") // and its result
	w.app.say(kit.MarkCheck, "Started")
	if w.inSight("Starting…") || !w.inSight("Saved") || !w.inSight("Started") {
		t.Errorf("the window shows %q", uitest.Texts(w.app.win.Canvas()))
	}
	w.app.shell.messages.Clear()
	if got := c.grid.Size().Height; got != free {
		t.Errorf("without messages, the grid is %v high, not %v", got, free)
	}
}

// saying reports whether there is a message.
func (w *world) saying() bool { return w.app.shell.messages.Object().Visible() }

// message returns the text of the newest message.
func (w *world) message() string {
	text, _ := w.app.shell.messages.Newest()
	return text
}

// offers returns the label of the button of the newest message.
func (w *world) offers() string {
	_, label := w.app.shell.messages.Newest()
	return label
}

// take clicks the button of the newest message.
func (w *world) take() { w.app.shell.messages.Accept() }

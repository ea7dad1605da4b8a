package window

import (
	"slices"
	"testing"
	"time"

	"fyne.io/fyne/v2"

	"easel/ui/core/library"
	"easel/ui/core/state"
	"easel/ui/window/uitest"
)

// A slideClock is the clock of a slide show, which the test moves.
type slideClock struct {
	set    time.Duration // of the timer that runs; 0 if none does
	due    func()
	awake  int // number of requests to keep the screen on that were not released
	failed []string
}

// slideshowOf makes a window whose slide show has a clock of the test.
func slideshowOf(t *testing.T, size fyne.Size, lib *uitest.Library, edit func(*state.Snapshot)) (*world, *slideClock) {
	t.Helper()
	w := newWorld(t, size, lib, edit)
	c := &slideClock{}
	port := &w.app.slides.port
	port.after = func(d time.Duration, f func()) func() {
		c.set, c.due = d, f
		return func() { c.set, c.due = 0, nil }
	}
	port.awake = func() func() {
		c.awake++
		return func() { c.awake-- }
	}
	port.say = func(text string) { c.failed = append(c.failed, text) }
	return w, c
}

// slide waits until the show has an image on the screen.
func (w *world) slide(id string) {
	w.t.Helper()
	w.q.Until(w.t, "the slide "+id, func() bool { return w.app.slides.id == id && w.app.slides.screen.Finished() })
}

// press presses keys in the show's window.
func (s *slideshow) press(names ...fyne.KeyName) {
	for _, n := range names {
		s.key(&fyne.KeyEvent{Name: n})
	}
}

func TestSlideShow(t *testing.T) {
	w, clock := slideshowOf(t, wide, galleryOf(t, 4), nil)
	show := w.app.slides
	w.key(fyne.KeyF5)
	if !show.open() || !show.win.FullScreen() || clock.awake != 1 {
		t.Fatalf("open: %v, %d requests to keep the screen on", show.open(), clock.awake)
	}
	ids := w.app.shell.gallery.ids
	w.slide(ids[0])
	if clock.set != 5*time.Second {
		t.Errorf("the time of an image is %s", clock.set)
	}
	clock.due()
	w.slide(ids[1])
	show.press(fyne.KeyRight, fyne.KeyRight)
	w.slide(ids[3])
	clock.due()
	w.slide(ids[0])
	show.press(fyne.KeyLeft)
	w.slide(ids[3])
	show.press(fyne.KeyHome)
	w.slide(ids[0])
	show.press(fyne.KeySpace)
	if clock.due != nil || clock.awake != 0 {
		t.Errorf("while it is paused, a timer runs: %v; %d requests", clock.due != nil, clock.awake)
	}
	show.press(fyne.KeyEnd)
	w.slide(ids[3])
	if clock.due != nil {
		t.Error("a step ends the pause")
	}
	show.press(fyne.KeySpace)
	if clock.due == nil || clock.awake != 1 {
		t.Errorf("after the pause, a timer runs: %v; %d requests", clock.due != nil, clock.awake)
	}
	window := show.win
	w.key(fyne.KeyF5)
	if show.win != window || clock.awake != 1 {
		t.Error("a second start opens another window")
	}
	show.press(fyne.KeyEscape)
	if show.open() || clock.due != nil || clock.awake != 0 {
		t.Errorf("after Escape, open: %v, a timer runs: %v, %d requests", show.open(), clock.due != nil, clock.awake)
	}
	if w.store.Snapshot().Window != state.WindowShown || w.store.Snapshot().Fullscreen {
		t.Error("the main window has changed")
	}
}

func TestSlideShowStartsWithTheSelectedPlot(t *testing.T) {
	w, _ := slideshowOf(t, wide, galleryOf(t, 4), nil)
	w.call(t, "select_file", `{"path":"img00002"}`)
	w.key(fyne.KeyF5)
	w.slide("img00002")
	w.app.slides.close()
	w.app.slides.start("img00003") // from the menu
	w.slide("img00003")
}

func TestSlideShowOfAnEmptyGallery(t *testing.T) {
	w, clock := slideshowOf(t, wide, uitest.NewLibrary(t), nil)
	w.key(fyne.KeyF5)
	if w.app.slides.open() || !slices.Equal(clock.failed, []string{"There are no plots to show."}) {
		t.Errorf("open: %v; it said %q", w.app.slides.open(), clock.failed)
	}
}

func TestSlideShowRemembersItsTime(t *testing.T) {
	w, clock := slideshowOf(t, wide, galleryOf(t, 2), nil)
	show := w.app.slides
	w.key(fyne.KeyF5)
	for _, step := range []struct {
		char rune
		want time.Duration
	}{{'+', 10}, {'+', 30}, {'+', 30}, {'-', 10}, {'-', 5}, {'-', 3}, {'-', 3}} {
		show.typedRune(step.char)
		if clock.set != step.want*time.Second {
			t.Fatalf("after %c, the time is %s, want %d s", step.char, clock.set, step.want)
		}
	}
	show.close()
	w.settled()
	w.key(fyne.KeyF5)
	if clock.set != 3*time.Second {
		t.Errorf("the next time, it is %s", clock.set)
	}
}

// TestSlideShowFollowsTheGallery covers new plots, which come last although the gallery
// shows the newest first, new versions, and plots that are deleted.
func TestSlideShowFollowsTheGallery(t *testing.T) {
	w, clock := slideshowOf(t, wide, galleryOf(t, 3), nil)
	show := w.app.slides
	w.key(fyne.KeyF5)
	ids := slices.Clone(w.app.shell.gallery.ids)
	w.slide(ids[0])
	fresh := w.draw(1)
	w.q.Until(t, "the new plot", func() bool { return len(show.ids) == 4 })
	if want := append(slices.Clone(ids), fresh); !slices.Equal(show.ids, want) {
		t.Fatalf("the order is %v, want %v", show.ids, want)
	}
	w.slide(ids[0])
	w.call(t, "select_file", `{"path":"`+ids[0]+`"}`)
	w.app.edits.Trash(ids[:1])
	w.slide(ids[1])
	if clock.due == nil || len(show.ids) != 3 {
		t.Errorf("after the plot was deleted, a timer runs: %v; the list is %v", clock.due != nil, show.ids)
	}
	w.app.edits.Trash(show.ids)
	w.q.Until(t, "the end of the show", func() bool { return !show.open() })
}

func TestSlideShowLooks(t *testing.T) {
	for name, c := range map[string]struct {
		size fyne.Size
		edit func(*state.Snapshot)
	}{
		"slides":                {wide, nil},
		"slides_dark_ja_narrow": {narrowed, func(s *state.Snapshot) { s.Settings.Language, s.Settings.Theme = "ja", "dark" }},
	} {
		t.Run(name, func(t *testing.T) {
			lib := galleryOf(t, 3)
			lib.Change("img00003", func(im *library.Image) { im.Note = "The peak\nat 3.5 needs a second look" })
			w, _ := slideshowOf(t, c.size, lib, c.edit)
			show := w.app.slides
			show.start("img00003")
			show.win.Resize(c.size)
			w.slide("img00003")
			uitest.Golden(t, name, show.win.Canvas())
			show.press(fyne.KeySpace)
			if all := uitest.Texts(show.win.Canvas()); len(all) != 2 {
				t.Errorf("the caption is %q", all)
			}
			show.typedRune('c')
			if all := uitest.Texts(show.win.Canvas()); len(all) != 0 {
				t.Errorf("without the caption, it shows %q", all)
			}
		})
	}
}

package viewer

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"slices"
	"testing"

	"easel/ui/core/library"
	"easel/ui/core/picture"
	"easel/ui/window/uitest"
)

// animated is a library with an animation of n frames and a plot.
func animated(t testing.TB, n, loop int) (lib *uitest.Library, movie, plot string) {
	lib = uitest.NewLibrary(t)
	lib.AddSession(0, "s", "c")
	movie = lib.AddAnimation(0, "wave", n, loop)
	return lib, movie, lib.Add(0, "plot", "")
}

// frame tells which frame is shown, and reports it if picture, words and slider are not of it.
func (v *View) frame(t *testing.T) int {
	t.Helper()
	m, at, of := v.Frame()
	if m == nil {
		t.Fatal("nothing moves")
	}
	if want := uitest.Plot(v.shown.N+at-1, v.shown.Width, v.shown.Height); !bytes.Equal(m.Pix, want.Pix) {
		t.Errorf("frame %d is shown with another one's picture", at)
	}
	if want := fmt.Sprintf("%d / %d", at, of); v.movie.place.Full() != want || v.movie.slider.Value != float64(at) {
		t.Errorf("frame %d is at %q and %v", at, v.movie.place.Full(), v.movie.slider.Value)
	}
	return at
}

// look opens an image, and lets it play.
func look(t *testing.T, v *View, q *uitest.Queue, id string, ids ...string) {
	t.Helper()
	v.Open(id, ids, 1)
	q.Until(t, "the animation to play", func() bool { return v.shown.ImageID == id && v.movie.playing })
}

// steady lets what was asked for be shown.
func steady(t *testing.T, v *View, q *uitest.Queue) int {
	t.Helper()
	q.Until(t, "the frame", v.Settled)
	return v.frame(t)
}

func TestAnAnimationPlaysWhenItIsOpened(t *testing.T) {
	lib, movie, plot := animated(t, 5, 0)
	v, q, _ := newTestView(t, lib)
	look(t, v, q, movie, movie, plot)
	if !v.moves() || v.Foot() != trackHeight {
		t.Errorf("the row of frames is shown: %v; the foot is %v", v.moves(), v.Foot())
	}
	v.stage.zoomTo(2, v.stage.middle())
	v.stage.pan(40, 30)
	x, y := v.stage.center()
	turns, seen := 0, []int{1}
	q.Until(t, "two turns", func() bool {
		if at := v.frame(t); at != seen[len(seen)-1] {
			if at < seen[len(seen)-1] {
				turns++
			}
			seen = append(seen, at)
		}
		return turns == 2
	})
	if cx, cy := v.stage.center(); v.stage.current() != 2 || cx != x || cy != y {
		t.Errorf("after two turns the zoom is %v at %v, %v", v.stage.current(), cx, cy)
	}
	if !v.movie.playing {
		t.Error("it has stopped")
	}
}

func TestPauseHoldsTheFrame(t *testing.T) {
	lib, movie, plot := animated(t, 5, 0)
	v, q, _ := newTestView(t, lib)
	look(t, v, q, movie, movie, plot)
	q.Until(t, "the third frame", func() bool { return v.frame(t) == 3 })
	v.Animate()
	if v.movie.playing || v.stage.playing {
		t.Fatal("it plays")
	}
	held := v.frame(t)
	// What was asked for before comes now.
	v.movie.ready(movieFrame{of: v.movie.of, at: 3, turn: v.movie.turn - 1, pixels: uitest.Plot(4, 640, 480)})
	if at := v.frame(t); at != held || !v.Settled() {
		t.Errorf("at frame %d, was paused at %d", at, held)
	}
	v.Animate()
	q.Until(t, "it to go on", func() bool { return v.frame(t) != held })
}

func TestFramesStepByStepAndByTheSlider(t *testing.T) {
	lib, movie, plot := animated(t, 5, 0)
	v, q, _ := newTestView(t, lib)
	look(t, v, q, movie, movie, plot)
	v.Animate()
	v.movie.slider.SetValue(1)
	steady(t, v, q)
	for _, tc := range []struct{ by, want int }{{1, 2}, {1, 3}, {-1, 2}, {-1, 1}, {-1, 5}, {1, 1}} {
		v.StepFrame(tc.by)
		if at := steady(t, v, q); at != tc.want {
			t.Errorf("%+d leads to frame %d, want %d", tc.by, at, tc.want)
		}
	}
	v.StepFrame(1)
	v.StepFrame(1) // before the first is there
	if at := steady(t, v, q); at != 3 {
		t.Errorf("two steps at once lead to frame %d, want 3", at)
	}
	for _, want := range []int{5, 1, 4, 2} {
		v.Animate()
		v.movie.slider.SetValue(float64(want))
		if at := steady(t, v, q); at != want || v.movie.playing {
			t.Errorf("the slider leads to frame %d, want %d; plays: %v", at, want, v.movie.playing)
		}
		out := v.stage.draw(640, 480).(*image.RGBA)
		if want := uitest.Plot(v.shown.N+want-1, 640, 480); v.stage.current() == 1 && !bytes.Equal(out.Pix, want.Pix) {
			t.Errorf("frame %d is not on the screen", want)
		}
	}
}

func TestAnAnimationEndsAfterItsTurns(t *testing.T) {
	for loop, turns := range map[int]int{-1: 1, 1: 2} {
		lib, movie, plot := animated(t, 3, loop)
		v, q, _ := newTestView(t, lib)
		look(t, v, q, movie, movie, plot)
		for range 2 { // and again, from the first frame
			q.Until(t, "its end", func() bool { return !v.movie.playing })
			if at := v.frame(t); at != 3 || v.movie.plays != turns {
				t.Errorf("loop count %d: ends at frame %d after %d turns", loop, at, v.movie.plays)
			}
			v.Animate()
		}
	}
}

func TestAnAnimationStopsWhenItIsNotSeen(t *testing.T) {
	lib, movie, plot := animated(t, 5, 0)
	v, q, _ := newTestView(t, lib)
	stopped := func(t *testing.T) {
		t.Helper()
		q.Drain()
		if v.movie.playing || v.movie.next != nil {
			t.Error("it plays")
		}
	}
	for name, leave := range map[string]func(){
		"the window is hidden": v.Drop,
		"another page is open": v.Pause,
		"the gallery is shown": v.Rest,
	} {
		t.Run(name, func(t *testing.T) {
			look(t, v, q, movie, movie, plot)
			leave()
			stopped(t)
			held := v.frame(t)
			v.StepFrame(1)
			if at := steady(t, v, q); at != held%5+1 {
				t.Errorf("a step from frame %d leads to %d", held, at)
			}
			open(t, v, q, plot, movie, plot)
			if v.moves() || v.stage.pixels == nil {
				t.Error("a plot moves")
			}
		})
	}
	t.Run("another image is chosen", func(t *testing.T) {
		look(t, v, q, movie, movie, plot)
		v.Open(plot, []string{movie, plot}, 1)
		stopped(t)
		q.Until(t, "the plot", v.Settled)
		if want := uitest.Plot(v.shown.N, 640, 480); !bytes.Equal(v.stage.pixels.Pix, want.Pix) {
			t.Error("the plot is not shown")
		}
	})
	t.Run("it plays when it is opened again", func(t *testing.T) {
		look(t, v, q, movie, movie, plot)
		v.Rest()
		look(t, v, q, movie, movie, plot)
	})
}

// TestAStarDoesNotDisturbAnAnimation: what is said of it changes, and it plays on.
func TestAStarDoesNotDisturbAnAnimation(t *testing.T) {
	lib, movie, plot := animated(t, 5, 0)
	v, q, _ := newTestView(t, lib)
	look(t, v, q, movie, movie, plot)
	q.Until(t, "the third frame", func() bool { return v.frame(t) == 3 })
	of := v.movie.of
	lib.Rate(4, movie)
	v.Open(movie, []string{movie, plot}, lib.Changes().Last())
	q.Until(t, "the star", func() bool { return v.shown.Rating == 4 })
	if v.movie.of != of || !v.movie.playing {
		t.Error("it began anew")
	}
	v.Animate()
	held := v.frame(t)
	lib.Rate(2, movie)
	v.Open(movie, []string{movie, plot}, lib.Changes().Last())
	q.Until(t, "the other star", func() bool { return v.shown.Rating == 2 })
	if at := v.frame(t); at != held || v.movie.playing {
		t.Errorf("at frame %d, was paused at %d; plays: %v", at, held, v.movie.playing)
	}
}

// An edited library changes the bytes that are read of it.
type edited struct {
	*uitest.Library
	edit func([]byte) []byte
}

func (e *edited) Read(ctx context.Context, id string) ([]byte, library.Image, error) {
	data, im, err := e.Library.Read(ctx, id)
	return e.edit(data), im, err
}

// readThrough makes the viewer read what edit makes of the bytes of an image.
func (v *View) readThrough(lib *uitest.Library, q *uitest.Queue, edit func([]byte) []byte) {
	v.load.close()
	v.load = newLoader(&edited{lib, edit}, q.Do, v.show)
}

// TestADamagedAnimationIsAStillPicture: its first frame, and a line that says so.
func TestADamagedAnimationIsAStillPicture(t *testing.T) {
	lib, movie, plot := animated(t, 4, 0)
	v, q, _ := newTestView(t, lib)
	v.readThrough(lib, q, func(b []byte) []byte {
		last := bytes.LastIndex(b, []byte("\x2c\x00\x00\x00\x00\x80\x02\xe0\x01"))
		b[last+10+3<<(b[last+9]&7+1)] = 99 // no code has so many bits
		return b
	})
	v.Open(movie, []string{movie, plot}, 1)
	q.Until(t, "the damaged frame", func() bool { return v.movie.damaged })
	if m, at, _ := v.Frame(); at != 1 || !bytes.Equal(m.Pix, uitest.Plot(v.shown.N, 640, 480).Pix) || !v.Settled() {
		t.Errorf("frame %d is shown", at)
	}
	if slices.Equal(v.movie.body.Objects, v.movie.controls) {
		t.Error("nothing says so")
	}
	v.Animate()
	v.StepFrame(1)
	if v.movie.playing || !v.Settled() {
		t.Error("it can be played")
	}
}

// TestACutAnimationIsAStillPicture if less than two frames are whole.
func TestACutAnimationIsAStillPicture(t *testing.T) {
	lib, movie, plot := animated(t, 3, 0)
	v, q, _ := newTestView(t, lib)
	v.readThrough(lib, q, func(b []byte) []byte { return b[:len(b)/2] })
	open(t, v, q, movie, movie, plot)
	if v.moves() || v.problem != nil || !bytes.Equal(v.stage.pixels.Pix, uitest.Plot(v.shown.N, 640, 480).Pix) {
		t.Errorf("moves: %v", v.moves())
	}
}

// TestTheSecondScreenPlays: it shows the frames of what is presented.
func TestTheSecondScreenPlays(t *testing.T) {
	lib, movie, plot := animated(t, 3, 0)
	v, q, _ := newTestView(t, lib)
	s := NewScreen(v.k, lib)
	defer s.Close()
	s.Present(movie, 1)
	q.Until(t, "the third frame", func() bool { return s.movie.at == 2 && bytes.Equal(s.stage.pixels.Pix, uitest.Plot(3, 640, 480).Pix) })
	s.Present(plot, 1)
	q.Until(t, "the plot", func() bool { return s.Shown() == plot })
	if s.movie.has() || !bytes.Equal(s.stage.pixels.Pix, uitest.Plot(2, 640, 480).Pix) {
		t.Error("the plot is not shown")
	}
}

// TestAnAnimationIsNotDrawnAgain: its kernel would draw one picture over all frames.
func TestAnAnimationIsNotDrawnAgain(t *testing.T) {
	lib, movie, plot := animated(t, 3, 0)
	for _, id := range []string{movie, plot} { // an APNG, and a plot
		lib.Change(id, func(im *library.Image) { im.MIMEType = picture.PNG })
	}
	v, q, _ := newTestView(t, lib)
	v.act.Redraw = func(library.Image, Drawing, func(*image.RGBA, string)) func() { return func() {} }
	look(t, v, q, movie, movie, plot)
	v.Animate()
	v.stage.zoomTo(2, v.stage.middle())
	if _, ok := v.sharp.scale(); ok {
		t.Error("it is drawn again")
	}
	open(t, v, q, plot, movie, plot)
	v.stage.zoomTo(2, v.stage.middle())
	if _, ok := v.sharp.scale(); !ok {
		t.Error("a plot is not drawn again")
	}
}

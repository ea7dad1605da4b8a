package viewer

import (
	"runtime"
	"slices"
	"testing"

	"easel/ui/window/i18n"
	"easel/ui/window/kit"
	"easel/ui/window/theme"
	"easel/ui/window/uitest"
)

// TestASlidePlaysAnAnimationOnce uses an animation that repeats forever.
func TestASlidePlaysAnAnimationOnce(t *testing.T) {
	lib, movie, plot := animated(t, 4, 0)
	q := uitest.NewQueue()
	s := NewScreen(&kit.Kit{P: &theme.Light, Tr: i18n.New("en"), Do: q.Do}, lib)
	defer s.Close()
	s.Slide(movie, 1, "1 of 2", plot)
	q.Until(t, "the animation", s.movie.has)
	if s.movie.playing && s.Finished() {
		t.Error("it is finished while it plays")
	}
	q.Until(t, "the animation to end", s.Finished)
	if s.movie.at != 3 || s.movie.plays != 1 {
		t.Errorf("it ended at frame %d after %d turns", s.movie.at, s.movie.plays)
	}
	q.Until(t, "the next image to be decoded", func() bool {
		q.Do(runtime.Gosched) // nothing else wakes the test: it is not shown
		s.load.mu.Lock()
		defer s.load.mu.Unlock()
		return slices.ContainsFunc(s.load.kept, func(k loadedImage) bool { return k.im.ImageID == plot && k.pixels != nil })
	})
	s.Slide(plot, 1, "2 of 2", movie)
	q.Until(t, "the next image", s.Finished)
	if s.Shown() != plot || s.detail.Full() != "2 of 2" {
		t.Errorf("it shows %s, %q", s.Shown(), s.detail.Full())
	}
	s.Slide(plot, 1, "2 of 3", movie)
	if s.detail.Full() != "2 of 3" {
		t.Errorf("the line says %q", s.detail.Full())
	}
}

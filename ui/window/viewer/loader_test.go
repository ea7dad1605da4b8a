package viewer

import (
	"context"
	"fmt"
	"image"
	"testing"

	"easel/mcphost/catalog"
	"easel/ui/core/library"
	"easel/ui/window/i18n"
	"easel/ui/window/kit"
	"easel/ui/window/theme"
	"easel/ui/window/uitest"
)

// late is a library that reads an image, then waits for the test before it returns.
type late struct {
	*uitest.Library
	began chan string
	let   chan struct{}
}

func (l *late) Read(ctx context.Context, id string) ([]byte, library.Image, error) {
	data, im, err := l.Library.Read(ctx, id)
	l.began <- id
	<-l.let
	return data, im, err
}

// TestWhatChangesWhileItIsReadIsReadAgain covers a first answer that is out of date
// when it arrives.
func TestWhatChangesWhileItIsReadIsReadAgain(t *testing.T) {
	lib := &late{Library: twoPlots(t), began: make(chan string, 8), let: make(chan struct{}, 8)}
	v, q, _ := newTestView(t, lib.Library)
	v.load.close()
	v.load = newLoader(lib, q.Do, v.show)
	v.Open("img00001", []string{"img00001"}, 1)
	<-lib.began
	lib.Rate(5, "img00001")
	v.Open("img00001", []string{"img00001"}, lib.Changes().Last())
	close(lib.let)
	q.Until(t, "the change to be shown", func() bool { return v.shown.Rating == 5 })
}

// TestAnOlderAnswerDoesNotReplaceANewerOne covers answers that were still in the queue
// of the UI goroutine.
func TestAnOlderAnswerDoesNotReplaceANewerOne(t *testing.T) {
	lib := twoPlots(t)
	v, q, _ := newTestView(t, lib)
	open(t, v, q, "img00001", "img00001")
	s := NewScreen(&kit.Kit{P: &theme.Light, Tr: i18n.New("en"), Do: q.Do}, lib)
	t.Cleanup(s.Close)
	s.Present("img00001", 1)
	q.Until(t, "the image on the screen", func() bool { return s.Shown() == "img00001" })
	of := func(n int, as uint64, preview bool) loadedImage {
		k := loadedImage{im: v.shown, pixels: uitest.Plot(n, 64, 48), as: as, preview: preview}
		k.im.Rating = n
		return k
	}
	newer := of(4, 9, false)
	for name, k := range map[string]loadedImage{"older": of(1, 8, false), "a preview of it": of(2, 9, true)} {
		v.show(newer)
		v.show(k)
		s.show(newer)
		s.show(k)
		if v.stage.pixels != newer.pixels || v.shown.Rating != 4 {
			t.Errorf("%s: the viewer shows it", name)
		}
		if s.stage.pixels != newer.pixels || s.im.Rating != 4 {
			t.Errorf("%s: the second screen shows it", name)
		}
	}
	newest := of(3, 10, false)
	v.show(newest)
	if v.stage.pixels != newest.pixels {
		t.Error("a newer one is not shown")
	}
}

func TestKeptPicturesAreBoundedByBytes(t *testing.T) {
	of := func(id, edge int) loadedImage {
		return loadedImage{im: library.Image{Image: catalog.Image{ImageID: fmt.Sprint(id)}}, pixels: image.NewRGBA(image.Rect(0, 0, edge, edge))}
	}
	for name, c := range map[string]struct {
		edges []int // sizes of the pictures; the first and the last one are shown
		want  string
	}{
		"small ones by number":                    {[]int{10, 10, 10, 10, 10, 10, 10}, "[2 3 4 5 6]"},
		"a neighbour does not push out the shown": {[]int{4000, 4000, 10}, "[0 2]"},
		"the shown one pushes out the others":     {[]int{3000, 3000, 4000}, "[1 2]"},
		"one beyond the bound is kept alone":      {[]int{10, 10, 6000}, "[2]"},
	} {
		l := &loader{}
		for i, edge := range c.edges {
			l.keep(of(i, edge), i == 0 || i == len(c.edges)-1)
		}
		var kept []string
		for _, k := range l.kept {
			kept = append(kept, k.im.ImageID)
		}
		if got := fmt.Sprint(kept); got != c.want {
			t.Errorf("%s: %s are kept, want %s", name, got, c.want)
		}
	}
}

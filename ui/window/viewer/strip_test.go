package viewer

import (
	"context"
	"image"
	"math"
	"slices"
	"testing"

	"fyne.io/fyne/v2/canvas"

	"easel/ui/core/library"
	"easel/ui/window/gallery"
	"easel/ui/window/uitest"
)

// TestARecycledStillShowsItsOwnImage moves the strip by one image, thirty times, and
// then to other images. Each thumbnail must be that of its image.
func TestARecycledStillShowsItsOwnImage(t *testing.T) {
	lib := uitest.NewLibrary(t)
	lib.AddSession(0, "s", "c")
	var ids []string
	for i := range 40 {
		ids = append(ids, lib.AddSized(0, "", "", 300+40*(i%7), 200+90*(i%5)))
	}
	v, q, _ := newTestView(t, lib)
	v.SetStrip(true)
	right := func(in []string, at int) {
		t.Helper()
		v.Open(in[at], in, 1)
		q.Until(t, "the filmstrip", v.Settled)
		if len(v.strip.row) != 8 {
			t.Fatalf("%d small pictures, want 8", len(v.strip.row))
		}
		for _, f := range v.strip.row {
			w, h := v.strip.box()
			images, _ := lib.Get(t.Context(), f.id)
			want := float64(images[0].Width) / float64(images[0].Height)
			size, im := f.picture.Pixels().Bounds().Size(), f.picture.Object().(*canvas.Image)
			if f.request != (gallery.ThumbRequest{ID: f.id, W: w, H: h}) || v.strip.thumbs.Get(f.request) != f.picture.Pixels() {
				t.Fatalf("at %d: the still of %s shows another picture, of %v", at, f.id, f.request)
			}
			if got := float64(im.Aspect()); math.Abs(got-float64(size.X)/float64(size.Y)) > 0.001 || math.Abs(got-want)/want > 0.05 {
				t.Fatalf("at %d: %s, of %.2f, is painted as %.2f", at, f.id, want, got)
			}
			if f.now != (f.id == in[at]) {
				t.Fatalf("at %d: the mark is at %s", at, f.id)
			}
		}
	}
	for at := range 30 {
		right(ids, at)
	}
	back := slices.Clone(ids[20:])
	slices.Reverse(back)
	right(back, 3)
	right(ids[:9], 8)
}

// slowly is a library that waits for the test before it reads a file.
type slowly struct {
	*uitest.Library
	begun, let chan struct{}
}

func (s *slowly) Read(ctx context.Context, id string) ([]byte, library.Image, error) {
	select {
	case s.begun <- struct{}{}:
	default:
	}
	select {
	case <-s.let:
	case <-ctx.Done():
	}
	return s.Library.Read(ctx, id)
}

func threeLargePlots(t testing.TB) *uitest.Library {
	lib := uitest.NewLibrary(t)
	lib.AddSession(0, "s", "c")
	for _, title := range []string{"first", "second", "third"} {
		lib.AddSized(0, title, "", 3000, 2000)
	}
	return lib
}

// TestAPictureThatTakesLongIsNotShownUnderAnotherName covers a user who steps on while
// large pictures are being decoded.
func TestAPictureThatTakesLongIsNotShownUnderAnotherName(t *testing.T) {
	slow := &slowly{Library: threeLargePlots(t), begun: make(chan struct{}, 1), let: make(chan struct{})}
	v, q, _ := newTestView(t, slow.Library)
	v.load.close()
	v.load = newLoader(slow, q.Do, v.show)
	ids := []string{"img00001", "img00002", "img00003"}
	v.Open(ids[0], ids[:1], 1)
	slow.let <- struct{}{}
	<-slow.begun
	q.Until(t, "the first picture", v.Settled)
	first := v.stage.pixels

	v.Open(ids[1], ids, 1) // its file is not read before slow.let is closed
	if v.title.Full() != "first" || v.count.Full() != "1 / 3" || v.stage.pixels != first || v.stage.blank {
		t.Errorf("at once: %q, %s: words of one picture over another", v.title.Full(), v.count.Full())
	}
	q.Until(t, "the preview of the second", func() bool { return v.small })
	if v.title.Full() != "second" || v.count.Full() != "2 / 3" || v.stage.pixels == first || v.stage.size != image.Pt(3000, 2000) {
		t.Errorf("the preview is shown as %q, %s, %v large", v.title.Full(), v.count.Full(), v.stage.size)
	}
	<-slow.begun // the second is being read as a whole and delays the third
	v.Open(ids[2], ids, 1)
	q.Until(t, "the picture that was left to go", func() bool { return v.blank })
	if v.title.Full() != "" || v.count.Full() != "3 / 3" || !v.stage.blank {
		t.Errorf("meanwhile: %q, %s", v.title.Full(), v.count.Full())
	}
	close(slow.let)
	q.Until(t, "the last picture", v.Settled)
	if v.title.Full() != "third" || v.stage.blank || v.stage.pixels == first {
		t.Errorf("at the end: %q", v.title.Full())
	}
}

package gallery

import (
	"context"
	"fmt"
	"image"
	"slices"
	"testing"
	"time"

	"fyne.io/fyne/v2"

	"easel/ui/window/uitest"
)

func TestThumbnailsAreBoundedByBytes(t *testing.T) {
	th := NewThumbs(nil, func(f func()) { f() }, func(ThumbRequest, image.Image, error) {})
	defer th.Close()
	held := func() (bytes int) {
		for _, e := range th.kept {
			bytes += len(e.Value.(*keptThumb).image.(*image.RGBA).Pix)
		}
		return bytes
	}
	for i := range 2_000 {
		th.mu.Lock()
		th.keep(ThumbRequest{ID: fmt.Sprint(i)}, image.NewRGBA(image.Rect(0, 0, 256, 192)))
		th.mu.Unlock()
	}
	if n := held(); n > thumbBytes || n < thumbBytes/2 {
		t.Errorf("2,000 thumbnails hold %d bytes, want %d at most", n, thumbBytes)
	}
	th.Shrink(restBytes)
	if n := held(); n > restBytes {
		t.Errorf("at rest they hold %d bytes, want %d at most", n, restBytes)
	}
	if th.Get(ThumbRequest{ID: "1999"}) == nil {
		t.Error("the last one that was used was let go")
	}
	if th.Drop(); held() != 0 || th.bytes != 0 {
		t.Error("dropped, they hold something")
	}
}

// a thumber tells what it reads, and waits for the test.
type thumber struct {
	began chan string
	let   chan struct{}
}

func (r *thumber) Thumb(ctx context.Context, id string, _ int) (image.Image, error) {
	select {
	case r.began <- id:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	select {
	case <-r.let:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return image.NewRGBA(image.Rect(0, 0, 8, 6)), nil
}

func requests(ids ...string) (ws []ThumbRequest) {
	for _, id := range ids {
		ws = append(ws, ThumbRequest{ID: id, W: 8, H: 6})
	}
	return ws
}

func TestOnlyWhatIsVisibleIsReadFromTheTop(t *testing.T) {
	r := &thumber{began: make(chan string), let: make(chan struct{})}
	q := uitest.NewQueue()
	var ready []string
	th := NewThumbs(r, q.Do, func(w ThumbRequest, _ image.Image, _ error) { ready = append(ready, w.ID) })
	defer th.Close()
	th.Show(requests("a", "b", "c", "d", "e"))
	if first := []string{<-r.began, <-r.began}; !slices.Contains(first, "a") || !slices.Contains(first, "b") {
		t.Errorf("%v are read first, want a and b", first)
	}
	th.Show(requests("b", "x", "y")) // c, d and e were scrolled away
	r.let <- struct{}{}
	if next := <-r.began; next != "x" {
		t.Errorf("then %s is read, want x", next)
	}
	r.let <- struct{}{}
	if next := <-r.began; next != "y" {
		t.Errorf("then %s is read, want y", next)
	}
	close(r.let)
	q.Until(t, "all that was read", func() bool { return len(ready) == 4 })
	if th.Cached(requests("x")[0]) == nil || th.Cached(requests("c")[0]) != nil {
		t.Error("not what was visible is cached")
	}
}

func TestNothingIsReadWhileTheUserScrollsPast(t *testing.T) {
	r := &thumber{began: make(chan string, 9), let: make(chan struct{}, 9)}
	q := uitest.NewQueue()
	ready := 0
	th := NewThumbs(r, q.Do, func(ThumbRequest, image.Image, error) { ready++ })
	defer th.Close()
	var rests []func()
	th.after = func(_ time.Duration, f func()) { rests = append(rests, f) }
	th.Pass()
	th.Show(requests("a", "b"))
	th.Pass()
	rests[0]() // the user went on before this rest
	th.Show(requests("c"))
	if len(r.began) > 0 {
		t.Fatal("something is read while the user scrolls")
	}
	r.let <- struct{}{}
	rests[1]()
	if got := <-r.began; got != "c" {
		t.Errorf("at rest, %s is read, want c", got)
	}
	q.Until(t, "the thumbnail", func() bool { return ready == 1 })
	if len(r.began) > 0 {
		t.Errorf("%s is read, too, which was scrolled away", <-r.began)
	}
}

// A wheel that turns through a hundred rows has the thumbnails of the first and the last page read.
func TestAWheelReadsNoThumbnailOfWhatItPasses(t *testing.T) {
	g, q, _, _ := newTestGrid(t, 300)
	q.Until(t, "the first page", g.Settled)
	var rest func()
	g.thumbs.after = func(_ time.Duration, f func()) { rest = f }
	now := time.Now()
	g.now = func() time.Time { return now }
	g.movedAt = now
	read := make(map[string]bool)
	ready := g.thumbs.ready
	g.thumbs.ready = func(w ThumbRequest, m image.Image, err error) { read[w.ID] = true; ready(w, m, err) }
	for range 400 {
		now = now.Add(30 * time.Millisecond)
		g.scroll.Scrolled(&fyne.ScrollEvent{Scrolled: fyne.NewDelta(0, -25)})
		q.Drain()
	}
	if g.scroll.Below() > 0 || rest == nil {
		t.Fatalf("the wheel has not reached the end: %v below", g.scroll.Below())
	}
	rest()
	q.Until(t, "the last page", g.Settled)
	for id := range read {
		if !g.Shows(id) {
			t.Errorf("%s was read, which only passed", id)
		}
	}
	if len(read) == 0 {
		t.Error("nothing was read")
	}
}

// TestWhatIsVisibleHasRoom checks that thumbnails of a large window are not read again because others of it were.
func TestWhatIsVisibleHasRoom(t *testing.T) {
	th := NewThumbs(uitest.NewLibrary(t), uitest.NewQueue().Do, nil)
	defer th.Close()
	large := image.NewRGBA(image.Rect(0, 0, 1000, 1000)) // 4 MB
	requests := make([]ThumbRequest, 20)
	for i := range requests {
		requests[i] = ThumbRequest{string(rune('a' + i)), "", 1000, 1000}
	}
	kept := func() (n int) {
		th.Drop()
		th.mu.Lock()
		for _, w := range requests {
			th.keep(w, large)
		}
		th.mu.Unlock()
		for _, w := range requests {
			if th.Cached(w) != nil {
				n++
			}
		}
		return n
	}
	if n := kept(); n != 3 {
		t.Errorf("%d of 4 MB are kept in %d MB", n, thumbBytes>>20)
	}
	th.Reserve(len(requests) * 4 * 1000 * 1000)
	if n := kept(); n != len(requests) {
		t.Errorf("%d of %d that are visible are kept", n, len(requests))
	}
	th.Reserve(1)
	if n := kept(); n != 3 {
		t.Errorf("%d are kept when few are visible", n)
	}
}

package gallery

import (
	"container/list"
	"context"
	"fmt"
	"image"
	"strings"
	"sync"

	"easel/ui/core/folders"
	"easel/ui/core/library"
	"easel/ui/core/picture"
	"easel/ui/window/kit"
)

// thumbBytes is how much memory decoded thumbnails may take. A thumbnail of 256
// pixels takes 200 kB: this holds some 120, four screens.
const thumbBytes = 24 << 20

// restBytes is how much of that is left when nothing happens: a screen.
const restBytes = 4 << 20

// workers is how many thumbnails are read at once.
const workers = 2

// A ThumbRequest is a thumbnail that a cell waits for, to be fitted into a box of w by h
// pixels. The stamp tells the versions of a file apart; see Stamp.
type ThumbRequest struct {
	ID    string
	Stamp string
	W, H  int
}

// Mutable tells whether the bytes behind an id may become others: those of a file on
// disk may, those of the library do not, but for a figure that gets a picture.
func Mutable(id string) bool { return strings.HasPrefix(id, folders.Scheme) }

// Stamp is the same as long as an image's bytes are the same.
func Stamp(im library.Image) string {
	if !Mutable(im.ImageID) {
		if library.Undrawn(im) { // it may get a picture
			return "undrawn"
		}
		return ""
	}
	return fmt.Sprint(im.Modified.UnixNano(), im.Bytes)
}

// A Thumber makes thumbnails.
type Thumber interface {
	// Thumb is a small picture of an image, edge pixels on its longer side at most.
	Thumb(ctx context.Context, id string, edge int) (image.Image, error)
}

// Thumbs reads thumbnails off the UI goroutine, newest request first, and keeps the
// last used ones.
type Thumbs struct {
	lib    Thumber
	do     kit.Dispatcher
	ctx    context.Context //nolint:containedctx // the life of the workers; Close ends it
	cancel context.CancelFunc
	ended  sync.WaitGroup
	ready  func(w ThumbRequest, m image.Image, err error) // on the UI goroutine

	mu     sync.Mutex
	wake   *sync.Cond
	stack  []ThumbRequest // last in, first out
	atWork map[ThumbRequest]bool
	kept   map[ThumbRequest]*list.Element
	used   *list.List // of kept, most recent first
	bytes  int
	closed bool
}

type keptThumb struct {
	ThumbRequest
	image image.Image
	bytes int
}

// NewThumbs starts the workers. ready is told, on the UI goroutine, of each
// thumbnail that was read.
func NewThumbs(lib Thumber, do kit.Dispatcher, ready func(w ThumbRequest, m image.Image, err error)) *Thumbs {
	ctx, cancel := context.WithCancel(context.Background())
	t := &Thumbs{
		lib: lib, do: do, ctx: ctx, cancel: cancel, ready: ready,
		atWork: make(map[ThumbRequest]bool), kept: make(map[ThumbRequest]*list.Element), used: list.New(),
	}
	t.wake = sync.NewCond(&t.mu)
	for range workers {
		t.ended.Go(t.work)
	}
	return t
}

// Close ends the workers and waits for them.
func (t *Thumbs) Close() {
	t.cancel()
	t.mu.Lock()
	t.closed = true
	t.mu.Unlock()
	t.wake.Broadcast()
	t.ended.Wait()
}

// Get gives the thumbnail at once if it is kept, else nil, and reads it.
func (t *Thumbs) Get(w ThumbRequest) image.Image {
	t.mu.Lock()
	defer t.mu.Unlock()
	if e, ok := t.kept[w]; ok {
		t.used.MoveToFront(e)
		return e.Value.(*keptThumb).image
	}
	if t.atWork[w] {
		return nil
	}
	for i, s := range t.stack {
		if s == w { // wished again: to the top
			t.stack = append(append(t.stack[:i:i], t.stack[i+1:]...), w)
			return nil
		}
	}
	if len(t.stack) >= backlog {
		t.stack = append(t.stack[:0:0], t.stack[1:]...)
	}
	t.stack = append(t.stack, w)
	t.wake.Signal()
	return nil
}

// prepare reads thumbnails now, on its caller's goroutine, so that Get has them.
func (t *Thumbs) prepare(requests []ThumbRequest) {
	for _, w := range requests {
		t.mu.Lock()
		_, kept := t.kept[w]
		t.mu.Unlock()
		if kept {
			continue
		}
		if m, err := t.lib.Thumb(t.ctx, w.ID, stored(w)); err == nil {
			m = fitted(m, w.W, w.H)
			t.mu.Lock()
			if _, kept := t.kept[w]; !kept {
				t.keep(w, m)
			}
			t.mu.Unlock()
		}
	}
}

// Drop forgets everything, as when the window is hidden.
func (t *Thumbs) Drop() {
	t.mu.Lock()
	defer t.mu.Unlock()
	clear(t.kept)
	t.used.Init()
	t.stack, t.bytes = nil, 0
}

func (t *Thumbs) work() {
	for {
		t.mu.Lock()
		for len(t.stack) == 0 && !t.closed {
			t.wake.Wait()
		}
		if t.closed {
			t.mu.Unlock()
			return
		}
		w := t.stack[len(t.stack)-1]
		t.stack = t.stack[:len(t.stack)-1]
		t.atWork[w] = true
		t.mu.Unlock()

		m, err := t.lib.Thumb(t.ctx, w.ID, stored(w))
		if err == nil {
			m = fitted(m, w.W, w.H)
		}

		t.mu.Lock()
		delete(t.atWork, w)
		if err == nil {
			t.keep(w, m)
		}
		t.mu.Unlock()
		if t.ctx.Err() == nil {
			t.do(func() { t.ready(w, m, err) })
		}
	}
}

// stored is the edge of the thumbnail that the library keeps on disk for a request:
// few sizes, so that it makes few files.
func stored(w ThumbRequest) int {
	for _, edge := range []int{192, 384} {
		if max(w.W, w.H) <= edge {
			return edge
		}
	}
	return 768
}

// fitted scales m down to fit w by h; what is smaller stays as it is. It is done
// here, off the UI goroutine, and well, so that the canvas need not scale at all.
func fitted(m image.Image, w, h int) image.Image {
	b := m.Bounds()
	f := min(float64(w)/float64(b.Dx()), float64(h)/float64(b.Dy()))
	if f >= 1 {
		return m
	}
	return picture.Area(m, max(int(float64(b.Dx())*f+0.5), 1), max(int(float64(b.Dy())*f+0.5), 1))
}

// keep puts m in and lets the longest unused go; t.mu is held.
func (t *Thumbs) keep(w ThumbRequest, m image.Image) {
	b := m.Bounds()
	k := &keptThumb{w, m, 4 * b.Dx() * b.Dy()}
	t.kept[w] = t.used.PushFront(k)
	t.bytes += k.bytes
	t.shrink(thumbBytes)
}

// Shrink lets the longest unused go, down to so many bytes: what is not scrolled to soon
// is read again.
func (t *Thumbs) Shrink(bytes int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.shrink(bytes)
}

// shrink is Shrink; t.mu is held.
func (t *Thumbs) shrink(bytes int) {
	for t.bytes > bytes && t.used.Len() > 1 {
		last := t.used.Back()
		old := last.Value.(*keptThumb)
		t.used.Remove(last)
		delete(t.kept, old.ThumbRequest)
		t.bytes -= old.bytes
	}
}

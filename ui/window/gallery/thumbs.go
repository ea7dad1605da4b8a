package gallery

import (
	"container/list"
	"context"
	"fmt"
	"image"
	"slices"
	"strings"
	"sync"
	"time"

	"easel/ui/core/folders"
	"easel/ui/core/library"
	"easel/ui/core/library/thumbnails"
	"easel/ui/core/picture"
	"easel/ui/window/kit"
)

// thumbBytes is the maximum memory for decoded thumbnails, unless they are large or many: see
// Thumbs.Reserve. A thumbnail 256 pixels wide takes about 200 kB, so this is enough for about 60 thumbnails.
const thumbBytes = 12 << 20

// restBytes is what Grid.Rest keeps of that: one screen.
const restBytes = 4 << 20

// workers is the number of thumbnails that are read at the same time.
const workers = 2

// A ThumbRequest is a request for a thumbnail that fits into a box of W by H pixels.
// Stamp distinguishes the versions of a file; see [Stamp].
type ThumbRequest struct {
	ID    string
	Stamp string
	W, H  int
}

// stored returns the size of the thumbnail to request from the library, which is scaled down here.
func (w ThumbRequest) stored() int { return thumbnails.StoredEdge(max(w.W, w.H)) }

// Mutable reports whether the bytes of an image can change. This is true for files on
// disk, and false for the library, except that a figure may get a picture; see [Stamp].
func Mutable(id string) bool { return strings.HasPrefix(id, folders.Scheme) }

// Stamp returns a string that changes when an image's bytes change.
func Stamp(im library.Image) string {
	if !Mutable(im.ImageID) {
		if library.Undrawn(im) { // it may get a picture
			return "undrawn"
		}
		return ""
	}
	return fmt.Sprint(im.Modified.UnixNano(), im.Bytes)
}

// A Thumber provides thumbnails.
type Thumber interface {
	// Thumb returns a picture of an image whose longer side has at most edge pixels.
	Thumb(ctx context.Context, id string, edge int) (image.Image, error)
}

// passRest is how long the user must stay with what is visible until its thumbnails are read, if
// they have scrolled past something just before.
const passRest = 60 * time.Millisecond

// Thumbs reads thumbnails off the UI goroutine and caches the most recently used ones. A caller
// either says what is visible (Show), or requests one after the other (Get): then the newest
// request is the first.
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
	room   int // maximum of bytes
	closed bool

	passing int                         // how often Pass was called without a rest after it; 0: the user stays
	after   func(time.Duration, func()) // time.AfterFunc, or a test's
}

type keptThumb struct {
	ThumbRequest
	image image.Image
	bytes int
}

// NewThumbs returns a Thumbs and starts its workers. ready is called on the UI
// goroutine for each thumbnail that was read, or failed. The caller must call Close.
func NewThumbs(lib Thumber, do kit.Dispatcher, ready func(w ThumbRequest, m image.Image, err error)) *Thumbs {
	ctx, cancel := context.WithCancel(context.Background())
	t := &Thumbs{
		lib: lib, do: do, ctx: ctx, cancel: cancel, ready: ready,
		atWork: make(map[ThumbRequest]bool), kept: make(map[ThumbRequest]*list.Element), used: list.New(), room: thumbBytes,
		after: func(d time.Duration, f func()) { time.AfterFunc(d, f) },
	}
	t.wake = sync.NewCond(&t.mu)
	for range workers {
		t.ended.Go(t.work)
	}
	return t
}

// Close stops the workers and waits for them.
func (t *Thumbs) Close() {
	t.cancel()
	t.mu.Lock()
	t.closed = true
	t.mu.Unlock()
	t.wake.Broadcast()
	t.ended.Wait()
}

// Get returns a thumbnail if it is cached. If not, it returns nil and the thumbnail
// will be read.
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
		if s == w { // requested again: move it to the top
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

// Cached returns a thumbnail if it is cached, and otherwise nil.
func (t *Thumbs) Cached(w ThumbRequest) image.Image {
	t.mu.Lock()
	defer t.mu.Unlock()
	if e, ok := t.kept[w]; ok {
		t.used.MoveToFront(e)
		return e.Value.(*keptThumb).image
	}
	return nil
}

// Show requests the thumbnails that are visible and not cached, the first one first. What was
// requested before and is not among them was scrolled away, and is not read.
func (t *Thumbs) Show(ws []ThumbRequest) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stack = t.stack[:0:0]
	for _, w := range slices.Backward(ws) {
		if !t.atWork[w] {
			t.stack = append(t.stack, w)
		}
	}
	t.wake.Broadcast()
}

// Pass says that the user scrolls past what is visible. Until they rest, nothing is read: it would be
// out of sight when it is, and scrolling needs the processors.
func (t *Thumbs) Pass() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.passing++
	now := t.passing
	t.after(passRest, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.passing == now {
			t.passing = 0
			t.wake.Broadcast()
		}
	})
}

// prepare reads thumbnails into the cache on the caller's goroutine.
func (t *Thumbs) prepare(requests []ThumbRequest) {
	for _, w := range requests {
		t.mu.Lock()
		_, kept := t.kept[w]
		t.mu.Unlock()
		if kept {
			continue
		}
		if m, err := t.lib.Thumb(t.ctx, w.ID, w.stored()); err == nil {
			m = fitted(m, w.W, w.H)
			t.mu.Lock()
			if _, kept := t.kept[w]; !kept {
				t.keep(w, m)
			}
			t.mu.Unlock()
		}
	}
}

// Drop empties the cache and drops the requests, for example when the window is hidden.
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
		for (len(t.stack) == 0 || t.passing > 0) && !t.closed {
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

		m, err := t.lib.Thumb(t.ctx, w.ID, w.stored())
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

// fitted scales m down to fit w by h. It returns m if it fits already. The scaling is
// done here, off the UI goroutine and in high quality, so that the canvas need not
// scale.
func fitted(m image.Image, w, h int) image.Image {
	b := m.Bounds()
	f := min(float64(w)/float64(b.Dx()), float64(h)/float64(b.Dy()))
	if f >= 1 {
		return m
	}
	return picture.Area(m, max(int(float64(b.Dx())*f+0.5), 1), max(int(float64(b.Dy())*f+0.5), 1))
}

// keep adds m to the cache and releases the least recently used thumbnails. The caller
// holds t.mu.
func (t *Thumbs) keep(w ThumbRequest, m image.Image) {
	b := m.Bounds()
	k := &keptThumb{w, m, 4 * b.Dx() * b.Dy()}
	t.kept[w] = t.used.PushFront(k)
	t.bytes += k.bytes
	t.shrink(t.room)
}

// Reserve sets how much memory thumbnails may take, if that is more than usual: those that are visible must have room,
// or they would be read again and again.
func (t *Thumbs) Reserve(bytes int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.room = max(bytes, thumbBytes)
}

// Shrink releases the least recently used thumbnails until the cache takes at most
// bytes. They are read again when they are needed.
func (t *Thumbs) Shrink(bytes int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.shrink(bytes)
}

// shrink is like Shrink. The caller holds t.mu.
func (t *Thumbs) shrink(bytes int) {
	for t.bytes > bytes && t.used.Len() > 1 {
		last := t.used.Back()
		old := last.Value.(*keptThumb)
		t.used.Remove(last)
		delete(t.kept, old.ThumbRequest)
		t.bytes -= old.bytes
	}
}

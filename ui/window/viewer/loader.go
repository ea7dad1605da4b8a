package viewer

import (
	"context"
	"image"
	"image/draw"
	"slices"
	"sync"

	"easel/ui/core/library"
	"easel/ui/core/picture"
	"easel/ui/window/gallery"
	"easel/ui/window/kit"
)

// Library is what the viewer reads.
type Library interface {
	// Get reads images; those that are gone are left out.
	Get(ctx context.Context, ids ...string) ([]library.Image, error)
	// Read gives an image's bytes as the kernel sent them.
	Read(ctx context.Context, id string) ([]byte, library.Image, error)
	// Versions are the ids of all versions of an image's figure, oldest first.
	Versions(ctx context.Context, id string) ([]string, error)
	// ReadForm gives the bytes of another form of an image.
	ReadForm(ctx context.Context, im library.Image, mime string) ([]byte, error)
	gallery.Thumber
}

// A loaded image is one with its pixels, or with why there are none; a figure that
// only a browser can draw has neither.
type loaded struct {
	im       library.Image
	versions []string // of its figure, oldest first; nil: there is one
	pixels   *image.RGBA
	err      error
	as       uint64 // the state of the library that it is of
	preview  bool   // the pixels are few; all of them follow
}

// How many decoded images are kept, the one shown and those around it, and how many bytes
// of pixels: three screens of 3840×2160. One that is larger is kept while it is shown.
const (
	keptImages = 5
	keptBytes  = 100 << 20
)

// A loader reads and decodes images off the UI goroutine: first the one that is to
// be shown, then its neighbours.
type loader struct {
	lib    Library
	do     kit.Dispatcher
	ctx    context.Context //nolint:containedctx // the life of the reader; close ends it
	cancel context.CancelFunc
	ended  sync.WaitGroup
	wake   chan struct{} // one slot: there is a request
	ready  func(loaded)  // on the UI goroutine

	mu   sync.Mutex
	want []string // still to be read, in this order
	owed string   // the image that ready is to be told of
	kept []loaded // most recent last
	now  uint64   // grows when what is kept may be out of date
}

func newLoader(lib Library, do kit.Dispatcher, ready func(loaded)) *loader {
	ctx, cancel := context.WithCancel(context.Background())
	l := &loader{lib: lib, do: do, ctx: ctx, cancel: cancel, wake: make(chan struct{}, 1), ready: ready}
	l.ended.Go(l.read)
	return l
}

func (l *loader) close() {
	l.cancel()
	l.ended.Wait()
}

// load gives the image at once if it is kept; else it is read, then told to
// ready. The neighbours are read after it.
func (l *loader) load(id string, neighbours []string) (loaded, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.want = append([]string{id}, neighbours...)
	k, ok := l.find(id)
	l.owed = ""
	if !ok || k.as != l.now { // it may be at work already, as a neighbour
		l.owed = id
	}
	select {
	case l.wake <- struct{}{}:
	default:
	}
	return k, ok
}

// renew has what is kept looked at again before it is taken for the truth: stars
// may have changed, or, on disk, the picture itself.
func (l *loader) renew() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.now++
}

// state is the state of the library that is to be read now.
func (l *loader) state() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.now
}

// forget drops what is kept of an image, or of all for "".
func (l *loader) forget(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.kept = slices.DeleteFunc(l.kept, func(k loaded) bool { return id == "" || k.im.ImageID == id })
}

// find looks among the kept; l.mu is held.
func (l *loader) find(id string) (loaded, bool) {
	i := slices.IndexFunc(l.kept, func(k loaded) bool { return k.im.ImageID == id })
	if i < 0 {
		return loaded{}, false
	}
	k := l.kept[i]
	l.kept = append(slices.Delete(l.kept, i, i+1), k)
	return k, true
}

func (l *loader) read() {
	for {
		select {
		case <-l.wake:
		case <-l.ctx.Done():
			return
		}
		for {
			id := l.next()
			if id == "" {
				break
			}
			if p, ok := l.preview(id); ok {
				l.do(func() { l.ready(p) })
				if !l.owes(id) {
					continue // another one is wanted by now
				}
			}
			k := l.readImage(id)
			if l.ctx.Err() != nil {
				return
			}
			l.mu.Lock()
			shown := l.owed == id
			if k.as == l.now { // else it may be out of date, and is read once more
				l.settle(id)
			}
			l.keep(k, shown)
			l.mu.Unlock()
			if shown {
				l.do(func() { l.ready(k) })
			}
		}
	}
}

// settle notes that ready is told of an image; l.mu is held.
func (l *loader) settle(id string) {
	if l.owed == id {
		l.owed = ""
	}
}

// keep keeps an image in place of the oldest ones; one that is not shown is not worth
// letting go of the shown one. l.mu is held.
func (l *loader) keep(k loaded, shown bool) {
	l.kept = slices.DeleteFunc(l.kept, func(o loaded) bool { return o.im.ImageID == k.im.ImageID })
	bytes := k.bytes()
	for _, o := range l.kept {
		bytes += o.bytes()
	}
	if bytes > keptBytes && !shown {
		return
	}
	for len(l.kept) > 0 && (bytes > keptBytes || len(l.kept) >= keptImages) {
		bytes -= l.kept[0].bytes()
		l.kept = slices.Delete(l.kept, 0, 1)
	}
	l.kept = append(l.kept, k)
}

// older tells whether k was read before o, which is of the same image and is shown. What was
// read first may come last.
func (k loaded) older(o loaded) bool {
	return k.im.ImageID == o.im.ImageID && (k.as < o.as || k.as == o.as && k.preview && !o.preview && o.pixels != nil)
}

// bytes is what the pixels take.
func (k loaded) bytes() int {
	if k.pixels == nil {
		return 0
	}
	return len(k.pixels.Pix)
}

// owes tells whether ready is still to be told of an image.
func (l *loader) owes(id string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.owed == id
}

// What takes long to decode is shown small first: somebody who steps through large
// pictures sees each of them, and only the one where they stop is read as a whole.
const (
	previewFrom = 1_500_000 // pixels
	previewEdge = 384       // the library keeps thumbnails of this size
)

// preview reads an image's thumbnail, if it is waited for and large.
func (l *loader) preview(id string) (loaded, bool) {
	l.mu.Lock()
	_, kept := l.find(id)
	owed, now := l.owed == id, l.now
	l.mu.Unlock()
	if !owed || kept {
		return loaded{}, false
	}
	images, err := l.lib.Get(l.ctx, id)
	if err != nil || len(images) != 1 || images[0].Width*images[0].Height < previewFrom || images[0].MIMEType == picture.SVG {
		return loaded{}, false
	}
	im := images[0]
	m, err := l.lib.Thumb(l.ctx, id, previewEdge)
	if err != nil || !similar(m.Bounds().Size(), image.Pt(im.Width, im.Height)) || l.ctx.Err() != nil {
		return loaded{}, false
	}
	return loaded{im: im, versions: l.versions(im, now), pixels: rgba(m), as: now, preview: true}, true
}

// similar tells whether two sizes have the same proportions, but for rounding.
func similar(small, large image.Point) bool {
	d := small.X*large.Y - small.Y*large.X
	return max(d, -d) <= max(large.X, large.Y)
}

// next is the next image to read; empty if there is none.
func (l *loader) next() (id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.want) > 0 {
		id, l.want = l.want[0], l.want[1:]
		if k, ok := l.find(id); !ok || k.as != l.now {
			return id
		}
	}
	return ""
}

// readImage reads an image; its pixels only where they are not known.
func (l *loader) readImage(id string) loaded {
	l.mu.Lock()
	k, ok := l.find(id)
	now := l.now
	l.mu.Unlock()
	if ok && k.pixels != nil {
		if images, err := l.lib.Get(l.ctx, id); err == nil && len(images) == 1 && gallery.Stamp(images[0]) == gallery.Stamp(k.im) {
			k.im, k.versions, k.as = images[0], l.versions(images[0], now), now
			return k
		}
	}
	k = decode(l.ctx, l.lib, id)
	k.versions, k.as = l.versions(k.im, now), now
	return k
}

// versions are the versions of an image's figure in a state of the library.
func (l *loader) versions(im library.Image, now uint64) []string {
	if im.Versions < 2 && im.ReplacedBy == "" {
		return nil
	}
	l.mu.Lock()
	i := slices.IndexFunc(l.kept, func(k loaded) bool { return k.as == now && slices.Contains(k.versions, im.ImageID) })
	var known []string
	if i >= 0 {
		known = l.kept[i].versions
	}
	l.mu.Unlock()
	if known != nil {
		return known
	}
	ids, err := l.lib.Versions(l.ctx, im.ImageID)
	if err != nil {
		return nil // deleted meanwhile
	}
	return ids
}

// vectorEdge is the most pixels that an SVG is drawn with: it can be zoomed into.
const vectorEdge = 2400

// decode reads an image's pixels.
func decode(ctx context.Context, lib Library, id string) loaded {
	data, im, err := lib.Read(ctx, id)
	if err != nil {
		im.ImageID = id
		return loaded{im: im, err: err}
	}
	if im.Interactive != "" {
		return loaded{im: im} // whole on the disk, and without pixels
	}
	if im.MIMEType == picture.SVG { // the kernel's PNG is the true picture; where there is none, ours
		raster, err := lib.ReadForm(ctx, im, picture.PNG)
		if err != nil {
			m, err := picture.Vector(data, min(2*max(im.Width, im.Height, 400), vectorEdge))
			return loaded{im: im, pixels: m, err: err}
		}
		data = raster
	}
	m, err := picture.Decode(data)
	if err != nil {
		return loaded{im: im, err: err}
	}
	return loaded{im: im, pixels: rgba(m)}
}

func rgba(m image.Image) *image.RGBA {
	b := m.Bounds()
	if m, ok := m.(*image.RGBA); ok && b.Min == (image.Point{}) {
		return m
	}
	out := image.NewRGBA(image.Rect(0, 0, b.Dx(), b.Dy()))
	draw.Draw(out, out.Rect, m, b.Min, draw.Src)
	return out
}

package viewer

import (
	"context"
	"fmt"
	"image"
	"image/draw"
	"slices"
	"sync"

	"easel/internal/wake"
	"easel/ui/core/library"
	"easel/ui/core/library/feed"
	"easel/ui/core/picture"
	"easel/ui/core/picture/animation"
	"easel/ui/core/picture/axes"
	"easel/ui/window/gallery"
	"easel/ui/window/kit"
)

// Library is the part of the library that the viewer uses.
type Library interface {
	// Get returns images. It leaves out those that do not exist.
	Get(ctx context.Context, ids ...string) ([]library.Image, error)
	// Read returns an image's bytes as the kernel sent them.
	Read(ctx context.Context, id string) ([]byte, library.Image, error)
	// Versions returns the ids of all versions of an image's figure, oldest first.
	Versions(ctx context.Context, id string) ([]string, error)
	// ReadForm returns the bytes of an image in another MIME type.
	ReadForm(ctx context.Context, im library.Image, mime string) ([]byte, error)
	// Questions returns the user's questions about an image's figure, oldest first.
	Questions(ctx context.Context, image string) ([]library.Question, error)
	gallery.Thumber
	// Changes returns the feed of what changes in the library.
	Changes() *feed.Feed
}

// A loadedImage is an image with its pixels, or with the error that prevented decoding. A
// figure that only a browser can draw has neither.
type loadedImage struct {
	im       library.Image
	versions []string // of its figure, oldest first; nil if there is only one
	pixels   *image.RGBA
	moves    *animation.Animation // pixels is its first frame; nil for a still picture
	err      error
	as       uint64      // the loader's state when reading began; see renew
	preview  bool        // reduced pixels; the full ones follow
	axes     axes.Figure // where the axes are in it; without axes if that is unknown
	notes    []library.Question
}

// Limits for the decoded images in memory, the one shown and its neighbours. keptBytes
// is the size of three 3840×2160 images. A larger image is kept only while it is shown.
const (
	keptImages = 5
	keptBytes  = 100 << 20
)

// A loader reads and decodes images off the UI goroutine: first the image to show, then
// its neighbours.
type loader struct {
	lib    Library
	do     kit.Dispatcher
	ctx    context.Context //nolint:containedctx // the life of the reader; close ends it
	cancel context.CancelFunc
	ended  sync.WaitGroup
	wake   wake.Signal       // one slot: there is a request
	ready  func(loadedImage) // on the UI goroutine

	mu   sync.Mutex
	want []string      // still to be read, in this order
	owed string        // the image to pass to ready; empty if none
	kept []loadedImage // most recent last
	now  uint64        // increases when kept may be out of date
}

func newLoader(lib Library, do kit.Dispatcher, ready func(loadedImage)) *loader {
	ctx, cancel := context.WithCancel(context.Background())
	l := &loader{lib: lib, do: do, ctx: ctx, cancel: cancel, wake: wake.New(), ready: ready}
	l.ended.Go(l.read)
	return l
}

func (l *loader) close() {
	l.cancel()
	l.ended.Wait()
}

// load returns the image at once if it is in memory. If not, or if it may be out of
// date, the loader reads it and passes it to ready. The loader reads the neighbours
// afterwards.
func (l *loader) load(id string, neighbours []string) (loadedImage, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.want = append([]string{id}, neighbours...)
	k, ok := l.find(id)
	l.owed = ""
	if !ok || k.as != l.now { // it may already be being read, as a neighbour
		l.owed = id
	}
	l.wake.Notify()
	return k, ok
}

// renew marks the kept images that have changed, and what is being read, as out of date, so that
// load reads them again: stars may have changed or, on disk, the picture itself.
func (l *loader) renew(changes feed.Summary) {
	if changes.What == 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.now++
	for i, k := range l.kept {
		if k.as == l.now-1 && changes.Of(k.im.ImageID) == 0 && changes.Of(k.versions...) == 0 {
			l.kept[i].as = l.now
		}
	}
}

// state returns the current state. It increases with each renew.
func (l *loader) state() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.now
}

// forget releases an image, or all images if id is empty.
func (l *loader) forget(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.kept = slices.DeleteFunc(l.kept, func(k loadedImage) bool { return id == "" || k.im.ImageID == id })
}

// find returns a kept image and marks it as the most recently used. The caller holds
// l.mu.
func (l *loader) find(id string) (loadedImage, bool) {
	i := slices.IndexFunc(l.kept, func(k loadedImage) bool { return k.im.ImageID == id })
	if i < 0 {
		return loadedImage{}, false
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
					continue // another image is wanted now
				}
			}
			k := l.readImage(id)
			if l.ctx.Err() != nil {
				return
			}
			l.mu.Lock()
			shown := l.owed == id
			if k.as == l.now { // else it may be out of date and will be read again
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

// settle records that an image no longer has to be passed to ready. The caller holds
// l.mu.
func (l *loader) settle(id string) {
	if l.owed == id {
		l.owed = ""
	}
}

// keep adds an image and releases the least recently used ones to make room. An image
// that is not shown is not kept if keptBytes would be exceeded. The caller holds l.mu.
func (l *loader) keep(k loadedImage, shown bool) {
	l.kept = slices.DeleteFunc(l.kept, func(o loadedImage) bool { return o.im.ImageID == k.im.ImageID })
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

// older reports whether k is staler than o, which is the same image and is shown: k was
// read from an earlier state, or is only a preview. Images may arrive in another order
// than they were read.
func (k loadedImage) older(o loadedImage) bool {
	return k.im.ImageID == o.im.ImageID && (k.as < o.as || k.as == o.as && k.preview && !o.preview && o.pixels != nil)
}

// bytes returns the size of the pixels in memory, and of an animation's file.
func (k loadedImage) bytes() int {
	switch {
	case k.pixels == nil:
		return 0
	case k.moves != nil:
		return len(k.pixels.Pix) + int(k.im.Bytes)
	default:
		return len(k.pixels.Pix)
	}
}

// owes reports whether an image must still be passed to ready.
func (l *loader) owes(id string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.owed == id
}

// A large image is shown as a preview until it is decoded. A user who steps quickly
// through large images sees each preview; only the image where they stop is decoded.
const (
	previewFrom = 1_500_000 // pixels
	previewEdge = 384       // the library stores thumbnails of this size
)

// preview reads the thumbnail of a large image that must be passed to ready. It reports
// false if there is no need for a preview, or if the thumbnail does not have the
// image's proportions.
func (l *loader) preview(id string) (loadedImage, bool) {
	l.mu.Lock()
	_, kept := l.find(id)
	owed, now := l.owed == id, l.now
	l.mu.Unlock()
	if !owed || kept {
		return loadedImage{}, false
	}
	images, err := l.lib.Get(l.ctx, id)
	if err != nil || len(images) != 1 || images[0].Width*images[0].Height < previewFrom || images[0].MIMEType == picture.SVG {
		return loadedImage{}, false
	}
	im := images[0]
	m, err := l.lib.Thumb(l.ctx, id, previewEdge)
	if err != nil || !similar(m.Bounds().Size(), image.Pt(im.Width, im.Height)) || l.ctx.Err() != nil {
		return loadedImage{}, false
	}
	return loadedImage{im: im, versions: l.versions(im, now), pixels: rgba(m), as: now, preview: true}, true
}

// similar reports whether two sizes have the same proportions, except for rounding.
func similar(small, large image.Point) bool {
	d := small.X*large.Y - small.Y*large.X
	return max(d, -d) <= max(large.X, large.Y)
}

// next removes and returns the next image to read. It returns an empty string if there
// is none.
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

// readImage reads an image. It decodes the pixels only if they are not in memory or out
// of date.
func (l *loader) readImage(id string) loadedImage {
	l.mu.Lock()
	k, ok := l.find(id)
	now := l.now
	l.mu.Unlock()
	if ok && k.pixels != nil {
		if images, err := l.lib.Get(l.ctx, id); err == nil && len(images) == 1 && gallery.Stamp(images[0]) == gallery.Stamp(k.im) {
			k.im, k.versions, k.as = images[0], l.versions(images[0], now), now
			k.notes, _ = l.lib.Questions(l.ctx, id) // on an error, none are shown
			return k
		}
	}
	k = decode(l.ctx, l.lib, id)
	k.versions, k.as = l.versions(k.im, now), now
	k.notes, _ = l.lib.Questions(l.ctx, id) // on an error, none are shown
	return k
}

// versions returns the ids of all versions of an image's figure, oldest first. It
// returns nil if there is only one or the image was deleted. If another version was
// read in the state now, its list is used.
func (l *loader) versions(im library.Image, now uint64) []string {
	if im.Versions < 2 && im.ReplacedBy == "" {
		return nil
	}
	l.mu.Lock()
	i := slices.IndexFunc(l.kept, func(k loadedImage) bool { return k.as == now && slices.Contains(k.versions, im.ImageID) })
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

// decode reads an image and decodes its pixels.
func decode(ctx context.Context, lib Library, id string) loadedImage {
	data, im, err := lib.Read(ctx, id)
	if err != nil {
		im.ImageID = id
		return loadedImage{im: im, err: err}
	}
	if im.Interactive != "" {
		return loadedImage{im: im} // intact, but without pixels
	}
	if im.MIMEType == picture.SVG {
		if data, err = lib.ReadForm(ctx, im, picture.PNG); err != nil {
			return loadedImage{im: im, err: fmt.Errorf("%w: %w", picture.ErrNoRaster, err)}
		}
	}
	if a, err := animation.Open(data); err == nil {
		m, err := a.Frame(ctx, 0)
		a.Release()
		if err == nil {
			return loadedImage{im: im, pixels: m, moves: a}
		}
	}
	m, err := picture.Decode(data)
	if err != nil {
		return loadedImage{im: im, err: err}
	}
	k := loadedImage{im: im, pixels: rgba(m)}
	k.axes, _ = axes.Parse(data)
	return k
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

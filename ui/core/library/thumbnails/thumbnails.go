// Package thumbnails keeps images scaled down, in a directory that may be deleted at any time.
//
// # Goroutines
//
// Run starts two, which write thumbnails and make those of new images ahead; they end when
// done is closed. All methods of Thumbnails are safe for concurrent use.
package thumbnails

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"easel/internal/system"
	"easel/ui/core/library/naming"
	"easel/ui/core/picture"
)

// edges are the sizes of stored thumbnails, in pixels of the long edge. Other sizes
// are scaled from the next larger one, so that the size slider does not fill the disk.
var edges = []int{192, 384, 768}

// StoredEdge returns the smallest stored size that has at least edge pixels, or else the largest.
func StoredEdge(edge int) int {
	for _, e := range edges {
		if e >= edge {
			return e
		}
	}
	return edges[len(edges)-1]
}

// A Form is one form of an image, stored in a file that is named by the hash of its bytes.
type Form struct {
	MIME  string
	Path  string
	Bytes int64
}

// Thumbnails makes thumbnails, a few at the same time, each one only once. Create it with New.
type Thumbnails struct {
	dir, temp string
	images    sync.Locker // while it is held, no file of an image is deleted
	now       func() time.Time
	log       *slog.Logger

	slots chan struct{} // capacity: how many are generated at the same time
	locks [16]sync.Mutex

	pregenerate chan job     // unbuffered: a job is accepted immediately or dropped
	edge        atomic.Int64 // requested last
	asked       atomic.Int64 // time of the last request, in seconds

	todo   chan unkept // generated, not yet on the disk
	mu     sync.Mutex
	unkept map[string]image.Image // the same, by path
	kept   *sync.Cond             // on mu: one was written or dropped
}

// An unkept thumbnail has been generated and is still to be written. It can be shown
// before that.
type unkept struct {
	form  Form
	path  string
	image image.Image
}

const (
	// parallelThumbs is small, to leave processors to the kernels.
	parallelThumbs = 2
	// mostUnkept limits the number of thumbnails in memory. Beyond it, a thumbnail is
	// written before it is returned.
	mostUnkept = 16
)

// Options configure Thumbnails.
type Options struct {
	Dir    string           // of the thumbnails
	Temp   string           // an existing directory on the same file system
	Images sync.Locker      // while it is held, no file of an image is deleted
	Now    func() time.Time // the time
	Log    *slog.Logger
}

// New returns the thumbnails in a directory.
func New(o Options) *Thumbnails {
	t := &Thumbnails{
		dir: o.Dir, temp: o.Temp, images: o.Images, now: o.Now, log: o.Log,
		slots:       make(chan struct{}, parallelThumbs),
		pregenerate: make(chan job),
		todo:        make(chan unkept, mostUnkept),
		unkept:      make(map[string]image.Image),
	}
	t.kept = sync.NewCond(&t.mu)
	return t
}

// lock returns the lock that is held while a thumbnail of an image is generated.
func (t *Thumbnails) lock(id string) *sync.Mutex {
	return &t.locks[naming.Spread(id)%uint32(len(t.locks))]
}

// Thumb returns the image with an id, scaled down so that its long edge has at most edge pixels.
// It never scales up. forms are the image's forms, of which read returns the bytes. A thumbnail is
// generated once and then stored. The error for an image without a form that can be scaled is
// picture.ErrNoRaster.
func (t *Thumbnails) Thumb(ctx context.Context, id string, forms []Form, edge int, read func(Form) ([]byte, error)) (image.Image, error) {
	kept := max(edge, StoredEdge(edge))
	t.edge.Store(int64(kept))
	t.asked.Store(t.now().Unix())
	m := t.lock(id)
	m.Lock()
	defer m.Unlock()
	if thumb := t.keptThumb(scalable(forms), kept); thumb != nil {
		return picture.Shrink(thumb, edge), nil
	}
	select {
	case t.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-t.slots }()
	thumb, err := t.makeThumb(id, forms, kept, read)
	if err != nil {
		return nil, err
	}
	return picture.Shrink(thumb, edge), nil
}

func (t *Thumbnails) path(f Form, edge int) string {
	hash := strings.TrimSuffix(filepath.Base(f.Path), filepath.Ext(f.Path))
	return filepath.Join(t.dir, hash[:2], fmt.Sprintf("%s-%d.png", hash, edge))
}

// keptThumb returns a stored thumbnail, or nil if there is none or its file is damaged.
func (t *Thumbnails) keptThumb(forms []Form, edge int) image.Image {
	for _, f := range forms {
		path := t.path(f, edge)
		t.mu.Lock()
		im, ok := t.unkept[path]
		t.mu.Unlock()
		if ok {
			return im
		}
		data, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		if im, err := png.Decode(bytes.NewReader(data)); err == nil {
			return im
		}
	}
	return nil
}

// makeThumb generates a thumbnail from the best form.
func (t *Thumbnails) makeThumb(id string, forms []Form, edge int, read func(Form) ([]byte, error)) (image.Image, error) {
	err := fmt.Errorf("%w: %s", picture.ErrNoRaster, forms[0].MIME)
	for _, f := range scalable(forms) {
		if !strings.HasPrefix(f.MIME, "image/") {
			continue
		}
		data, readErr := read(f)
		if readErr != nil {
			err = readErr
			continue
		}
		thumb, decodeErr := picture.Thumb(data, edge)
		if decodeErr != nil {
			err = fmt.Errorf("thumbnail of %s: %w", id, decodeErr)
			continue
		}
		if edge <= edges[len(edges)-1] { // larger ones are not stored
			t.keepThumb(f, edge, thumb)
		}
		return thumb, nil
	}
	return nil, err
}

// scalable returns the forms from which a thumbnail can be generated: SVG only if no
// form has pixels.
func scalable(forms []Form) []Form {
	if slices.ContainsFunc(forms, func(f Form) bool { return HasPixels(f.MIME) }) {
		return slices.DeleteFunc(slices.Clone(forms), func(f Form) bool { return f.MIME == picture.SVG })
	}
	return forms
}

// Run writes thumbnails, and makes those of new images ahead, until done is closed.
func (t *Thumbnails) Run(done <-chan struct{}) {
	var both sync.WaitGroup
	both.Go(func() { t.keepThumbs(done) })
	both.Go(func() { t.makeAhead(done) })
	both.Wait()
}

// Settle waits until every thumbnail that was made is on the disk.
func (t *Thumbnails) Settle() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for len(t.unkept) > 0 {
		t.kept.Wait()
	}
}

// keepThumb queues a thumbnail for writing.
func (t *Thumbnails) keepThumb(f Form, edge int, thumb image.Image) {
	u := unkept{f, t.path(f, edge), thumb}
	t.mu.Lock()
	t.unkept[u.path] = thumb
	t.mu.Unlock()
	select {
	case t.todo <- u:
	default:
		t.writeThumb(u)
	}
}

// thumbRest delays writing a single thumbnail while it is being drawn on the screen, which
// may use all processors.
const thumbRest = 300 * time.Millisecond

// keepThumbs writes thumbnails until done is closed. Those not written by then are generated again
// on request.
func (t *Thumbnails) keepThumbs(done <-chan struct{}) {
	for {
		select {
		case <-done:
			return
		case u := <-t.todo:
			select {
			case <-done:
				return
			case <-time.After(thumbRest):
			case next := <-t.todo:
				t.writeThumb(next)
			}
			t.writeThumb(u)
		}
	}
}

// writeThumb writes a thumbnail. If that fails, it is generated again next time.
func (t *Thumbnails) writeThumb(u unkept) {
	defer func() {
		t.mu.Lock()
		delete(t.unkept, u.path)
		t.mu.Unlock()
		t.kept.Broadcast()
	}()
	data, err := picture.EncodeThumb(u.image)
	if err != nil {
		return
	}
	t.images.Lock() // discard waits for it, then deletes this file, too
	defer t.images.Unlock()
	if _, err := os.Stat(u.form.Path); err != nil {
		return // the image was deleted meanwhile
	}
	temp, err := os.CreateTemp(t.temp, "*")
	if err != nil {
		return
	}
	_, err = temp.Write(data)
	if closed := temp.Close(); err == nil {
		err = closed
	}
	if err == nil {
		if err = os.MkdirAll(filepath.Dir(u.path), 0o700); err == nil {
			err = system.Rename(temp.Name(), u.path)
		}
	}
	if err != nil {
		_ = os.Remove(temp.Name())
		t.log.Debug("library: thumbnail not kept", "err", err)
	}
}

// Forget deletes the thumbnails of an image file.
func (t *Thumbnails) Forget(hash string) {
	for _, edge := range edges {
		_ = os.Remove(filepath.Join(t.dir, hash[:2], fmt.Sprintf("%s-%d.png", hash, edge)))
	}
}

// HasPixels reports whether a form has pixels. They are more faithful than an SVG drawn by
// Easel.
func HasPixels(mime string) bool { return strings.HasPrefix(mime, "image/") && mime != picture.SVG }

package library

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"easel/ui/core/picture"
)

// thumbEdges are the sizes, in pixels of the long edge, in which thumbnails are
// kept. Others are made from the next larger one: a size slider must not fill the
// disk.
var thumbEdges = []int{192, 384, 768}

// thumbs makes thumbnails, a few at once, each once.
type thumbs struct {
	slots chan struct{} // cap: how many are made at once
	locks [16]sync.Mutex

	pregenerate chan thumbJob // to be made before it is asked for; taken at once or not at all
	edge        atomic.Int64  // that was asked for last
	asked       atomic.Int64  // when, in seconds

	todo   chan unkept // made, and not yet on disk
	mu     sync.Mutex
	unkept map[string]image.Image // the same, by path
	kept   *sync.Cond             // of mu: one more is on disk, or was given up
}

// An unkept thumbnail is to be written to the disk: whoever waits for it to be shown
// does not wait for that.
type unkept struct {
	form  StoredForm
	path  string
	image image.Image
}

const (
	// parallelThumbs leaves processors to the kernels.
	parallelThumbs = 2
	// mostUnkept bounds the memory of what waits for the disk; beyond it whoever makes
	// a thumbnail writes it.
	mostUnkept = 16
)

func (t *thumbs) init() {
	t.slots = make(chan struct{}, parallelThumbs)
	t.pregenerate = make(chan thumbJob)
	t.todo = make(chan unkept, mostUnkept)
	t.unkept = make(map[string]image.Image)
	t.kept = sync.NewCond(&t.mu)
}

// lock is held while a thumbnail of an image is made.
func (t *thumbs) lock(id string) *sync.Mutex { return &t.locks[spread(id)%uint32(len(t.locks))] }

// Thumb is an image scaled down, never up, so that its long edge is at most edge
// pixels. It is made once and then kept on disk. An image that has pixels in none of
// its forms, as an SVG alone, is picture.ErrNoRaster.
func (l *Library) Thumb(ctx context.Context, id string, edge int) (image.Image, error) {
	im, err := l.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	if len(im) == 0 {
		return nil, fmt.Errorf("%w: image %.200q", ErrNotFound, id)
	}
	kept := edge
	for _, e := range thumbEdges {
		if e >= edge {
			kept = e
			break
		}
	}
	l.thumbs.edge.Store(int64(kept))
	l.thumbs.asked.Store(l.now().Unix())
	m := l.thumbs.lock(im[0].ImageID)
	m.Lock()
	defer m.Unlock()
	if thumb := l.keptThumb(thumbForms(im[0].Forms), kept); thumb != nil {
		return picture.Shrink(thumb, edge), nil
	}
	select {
	case l.thumbs.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-l.thumbs.slots }()
	thumb, err := l.makeThumb(ctx, im[0], kept)
	if err != nil {
		return nil, err
	}
	return picture.Shrink(thumb, edge), nil
}

func (l *Library) thumbPath(f StoredForm, edge int) string {
	hash := strings.TrimSuffix(filepath.Base(f.Path), filepath.Ext(f.Path))
	return l.path(thumbsDir, hash[:2], fmt.Sprintf("%s-%d.png", hash, edge))
}

// keptThumb is a thumbnail that was made before; nil if there is none, or the file is
// broken.
func (l *Library) keptThumb(forms []StoredForm, edge int) image.Image {
	for _, f := range forms {
		path := l.thumbPath(f, edge)
		l.thumbs.mu.Lock()
		im, ok := l.thumbs.unkept[path]
		l.thumbs.mu.Unlock()
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

// makeThumb makes a thumbnail from the best form.
func (l *Library) makeThumb(ctx context.Context, im Image, edge int) (image.Image, error) {
	err := fmt.Errorf("%w: %s", picture.ErrNoRaster, im.MIMEType)
	for _, f := range thumbForms(im.Forms) {
		if !strings.HasPrefix(f.MIME, "image/") {
			continue
		}
		data, readErr := l.readForm(ctx, im, f)
		if readErr != nil {
			err = readErr
			continue
		}
		thumb, decodeErr := picture.Thumb(data, f.MIME, edge)
		if decodeErr != nil {
			err = fmt.Errorf("thumbnail of %s: %w", im.ImageID, decodeErr)
			continue
		}
		if edge <= thumbEdges[len(thumbEdges)-1] { // others are neither counted nor forgotten
			l.keepThumb(f, edge, thumb)
		}
		return thumb, nil
	}
	return nil, err
}

// thumbForms are the forms of which a thumbnail may be made: an SVG only where nothing has
// pixels.
func thumbForms(forms []StoredForm) []StoredForm {
	if slices.ContainsFunc(forms, func(f StoredForm) bool { return raster(f.MIME) }) {
		return slices.DeleteFunc(slices.Clone(forms), func(f StoredForm) bool { return f.MIME == picture.SVG })
	}
	return forms
}

// raster tells whether a form has pixels: they are truer than an SVG that we draw.
func raster(mime string) bool { return strings.HasPrefix(mime, "image/") && mime != picture.SVG }

// keepThumb has a thumbnail written to the disk, later.
func (l *Library) keepThumb(f StoredForm, edge int, thumb image.Image) {
	u := unkept{f, l.thumbPath(f, edge), thumb}
	l.thumbs.mu.Lock()
	l.thumbs.unkept[u.path] = thumb
	l.thumbs.mu.Unlock()
	select {
	case l.thumbs.todo <- u:
	default:
		l.writeThumb(u)
	}
}

// thumbRest is how long a thumbnail that came alone is not written: it is being shown, and
// drawing it may take all processors.
const thumbRest = 300 * time.Millisecond

// keepThumbs runs until Close. What then waits for the disk is made again when it is
// wanted.
func (l *Library) keepThumbs() {
	for {
		select {
		case <-l.done:
			return
		case u := <-l.thumbs.todo:
			select {
			case <-l.done:
				return
			case <-time.After(thumbRest):
			case next := <-l.thumbs.todo:
				l.writeThumb(next)
			}
			l.writeThumb(u)
		}
	}
}

// writeThumb writes a thumbnail; where that fails it is made again next time.
func (l *Library) writeThumb(u unkept) {
	defer func() {
		l.thumbs.mu.Lock()
		delete(l.thumbs.unkept, u.path)
		l.thumbs.mu.Unlock()
		l.thumbs.kept.Broadcast()
	}()
	data, err := picture.EncodeThumb(u.image)
	if err != nil {
		return
	}
	l.files.RLock() // discard waits, and deletes this too
	defer l.files.RUnlock()
	if _, err := os.Stat(u.form.Path); err != nil {
		return // the image was deleted meanwhile
	}
	temp, err := os.CreateTemp(l.path(tempDir), "*")
	if err != nil {
		return
	}
	_, err = temp.Write(data)
	if closed := temp.Close(); err == nil {
		err = closed
	}
	if err == nil {
		if err = os.MkdirAll(filepath.Dir(u.path), 0o700); err == nil {
			err = os.Rename(temp.Name(), u.path)
		}
	}
	if err != nil {
		_ = os.Remove(temp.Name())
		l.log.Debug("library: thumbnail not kept", "err", err)
	}
}

// forget deletes the thumbnails of a file.
func (t *thumbs) forget(l *Library, hash string) {
	for _, edge := range thumbEdges {
		_ = os.Remove(l.path(thumbsDir, hash[:2], fmt.Sprintf("%s-%d.png", hash, edge)))
	}
}

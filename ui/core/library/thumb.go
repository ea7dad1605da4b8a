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

	"easel/internal/system"
	"easel/ui/core/picture"
)

// thumbEdges are the sizes of stored thumbnails, in pixels of the long edge. Other sizes
// are scaled from the next larger one, so that the size slider does not fill the disk.
var thumbEdges = []int{192, 384, 768}

// thumbs generates thumbnails, a few at the same time, each one only once.
type thumbs struct {
	slots chan struct{} // capacity: how many are generated at the same time
	locks [16]sync.Mutex

	pregenerate chan thumbJob // unbuffered: a job is accepted immediately or dropped
	edge        atomic.Int64  // requested last
	asked       atomic.Int64  // time of the last request, in seconds

	todo   chan unkept // generated, not yet on the disk
	mu     sync.Mutex
	unkept map[string]image.Image // the same, by path
	kept   *sync.Cond             // on mu: one was written or dropped
}

// An unkept thumbnail has been generated and is still to be written. It can be shown
// before that.
type unkept struct {
	form  StoredForm
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

func (t *thumbs) init() {
	t.slots = make(chan struct{}, parallelThumbs)
	t.pregenerate = make(chan thumbJob)
	t.todo = make(chan unkept, mostUnkept)
	t.unkept = make(map[string]image.Image)
	t.kept = sync.NewCond(&t.mu)
}

// lock returns the lock that is held while a thumbnail of an image is generated.
func (t *thumbs) lock(id string) *sync.Mutex { return &t.locks[spread(id)%uint32(len(t.locks))] }

// Thumb returns an image scaled down so that its long edge has at most edge pixels. It
// never scales up. A thumbnail is generated once and then stored. The error for an image
// without a form that can be scaled is picture.ErrNoRaster.
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

// keptThumb returns a stored thumbnail, or nil if there is none or its file is damaged.
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

// makeThumb generates a thumbnail from the best form.
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
		if edge <= thumbEdges[len(thumbEdges)-1] { // larger ones are not stored
			l.keepThumb(f, edge, thumb)
		}
		return thumb, nil
	}
	return nil, err
}

// thumbForms returns the forms from which a thumbnail can be generated: SVG only if no
// form has pixels.
func thumbForms(forms []StoredForm) []StoredForm {
	if slices.ContainsFunc(forms, func(f StoredForm) bool { return raster(f.MIME) }) {
		return slices.DeleteFunc(slices.Clone(forms), func(f StoredForm) bool { return f.MIME == picture.SVG })
	}
	return forms
}

// raster reports whether a form has pixels. They are more faithful than an SVG drawn by
// Easel.
func raster(mime string) bool { return strings.HasPrefix(mime, "image/") && mime != picture.SVG }

// keepThumb queues a thumbnail for writing.
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

// thumbRest delays writing a single thumbnail while it is being drawn on the screen, which
// may use all processors.
const thumbRest = 300 * time.Millisecond

// keepThumbs writes thumbnails until Close. Those not written by then are generated again
// on request.
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

// writeThumb writes a thumbnail. If that fails, it is generated again next time.
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
	l.files.RLock() // discard waits for it, then deletes this file, too
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
			err = system.Rename(temp.Name(), u.path)
		}
	}
	if err != nil {
		_ = os.Remove(temp.Name())
		l.log.Debug("library: thumbnail not kept", "err", err)
	}
}

// forget deletes the thumbnails of an image file.
func (t *thumbs) forget(l *Library, hash string) {
	for _, edge := range thumbEdges {
		_ = os.Remove(l.path(thumbsDir, hash[:2], fmt.Sprintf("%s-%d.png", hash, edge)))
	}
}

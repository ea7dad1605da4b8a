package library

import (
	"strings"
	"sync"
	"time"

	"easel/ui/core/picture"
)

// thumbDemandTTL is how long after a request for a thumbnail the thumbnails of new images
// are generated in advance, because the gallery is probably visible.
const thumbDemandTTL = 10 * time.Minute

// A thumbJob is a thumbnail to be generated while its image is being written, so that it
// is ready when the image has been stored.
type thumbJob struct {
	form StoredForm
	data []byte
	edge int
	made *sync.Mutex // the lock of the image's thumbnails, locked; the job unlocks it
	kept chan bool   // receives once whether the image was stored
}

// pregenerate starts generating the thumbnail of an image that is being added, unless no
// thumbnails were requested recently or the generator is busy. The caller sends to the
// returned channel whether the image was stored.
func (l *Library) pregenerate(r imageRecord, n NewImage) (kept func(bool)) {
	edge := int(l.thumbs.edge.Load())
	if edge == 0 || l.now().Sub(time.Unix(l.thumbs.asked.Load(), 0)) > thumbDemandTTL {
		return func(bool) {}
	}
	for i, f := range r.Forms {
		if !strings.HasPrefix(f.MIME, "image/") || f.MIME == picture.SVG {
			continue
		}
		m := l.thumbs.lock(r.ID)
		if !m.TryLock() {
			break
		}
		e := thumbJob{StoredForm{MIME: f.MIME, Path: l.formPath(f)}, n.Forms[i].Data, edge, m, make(chan bool, 1)}
		select {
		case l.thumbs.pregenerate <- e:
			return func(is bool) { e.kept <- is }
		default:
			m.Unlock()
		}
		break
	}
	return func(bool) {}
}

// runPregeneration runs until Close.
func (l *Library) runPregeneration() {
	for {
		select {
		case e := <-l.thumbs.pregenerate:
			thumb, err := picture.Thumb(e.data, e.form.MIME, e.edge)
			if <-e.kept && err == nil {
				l.keepThumb(e.form, e.edge, thumb)
			}
			e.made.Unlock()
		case <-l.done:
			return
		}
	}
}

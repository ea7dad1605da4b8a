package library

import (
	"strings"
	"sync"
	"time"

	"easel/ui/core/picture"
)

// thumbDemandTTL is how long after a thumbnail was asked for those of new images are made
// without being asked: somebody is looking.
const thumbDemandTTL = 10 * time.Minute

// A thumbJob is a thumbnail to be made of an image that is on its way to the disk: its pixels are
// ready when it has come there.
type thumbJob struct {
	form StoredForm
	data []byte
	edge int
	made *sync.Mutex // of the image's thumbnails, held; to be unlocked
	kept chan bool   // told once: whether the image is on the disk now
}

// pregenerate has the thumbnail of an image made that is just being added, unless nobody looks
// or one is being made. What it gives is to be told whether the image was kept.
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

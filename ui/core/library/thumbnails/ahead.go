package thumbnails

import (
	"slices"
	"sync"
	"time"

	"easel/ui/core/picture"
)

// demandTTL is how long after a request for a thumbnail the thumbnails of new images
// are generated in advance, because the gallery is probably visible.
const demandTTL = 10 * time.Minute

// A job is a thumbnail to be generated while its image is being written, so that it
// is ready when the image has been stored.
type job struct {
	form Form
	data []byte
	edge int
	made *sync.Mutex // the lock of the image's thumbnails, locked; the job unlocks it
	kept chan bool   // receives once whether the image was stored
}

// MakeAhead starts generating the thumbnail of an image that is being added, unless no
// thumbnails were requested recently or the generator is busy. data has the bytes of its forms.
// The caller tells the returned function whether the image was stored.
func (t *Thumbnails) MakeAhead(id string, forms []Form, data func(i int) []byte) (kept func(bool)) {
	edge := int(t.edge.Load())
	if edge == 0 || t.now().Sub(time.Unix(t.asked.Load(), 0)) > demandTTL {
		return func(bool) {}
	}
	i := slices.IndexFunc(forms, func(f Form) bool { return HasPixels(f.MIME) })
	m := t.lock(id)
	if i < 0 || !m.TryLock() {
		return func(bool) {}
	}
	j := job{forms[i], data(i), edge, m, make(chan bool, 1)}
	select {
	case t.pregenerate <- j:
		return func(is bool) { j.kept <- is }
	default:
		m.Unlock()
		return func(bool) {}
	}
}

// makeAhead makes the thumbnails of new images until done is closed.
func (t *Thumbnails) makeAhead(done <-chan struct{}) {
	for {
		select {
		case j := <-t.pregenerate:
			thumb, err := picture.Thumb(j.data, j.edge)
			if <-j.kept && err == nil {
				t.keepThumb(j.form, j.edge, thumb)
			}
			j.made.Unlock()
		case <-done:
			return
		}
	}
}

package gallery

import (
	"fmt"
	"image"
	"testing"
)

func TestThumbnailsAreBoundedByBytes(t *testing.T) {
	th := NewThumbs(nil, func(f func()) { f() }, func(ThumbRequest, image.Image, error) {})
	defer th.Close()
	held := func() (bytes int) {
		for _, e := range th.kept {
			bytes += len(e.Value.(*keptThumb).image.(*image.RGBA).Pix)
		}
		return bytes
	}
	for i := range 2_000 {
		th.mu.Lock()
		th.keep(ThumbRequest{ID: fmt.Sprint(i)}, image.NewRGBA(image.Rect(0, 0, 256, 192)))
		th.mu.Unlock()
	}
	if n := held(); n > thumbBytes || n < thumbBytes/2 {
		t.Errorf("2,000 thumbnails hold %d bytes, want %d at most", n, thumbBytes)
	}
	th.Shrink(restBytes)
	if n := held(); n > restBytes {
		t.Errorf("at rest they hold %d bytes, want %d at most", n, restBytes)
	}
	if th.Get(ThumbRequest{ID: "1999"}) == nil {
		t.Error("the last one that was used was let go")
	}
	if th.Drop(); held() != 0 || th.bytes != 0 {
		t.Error("dropped, they hold something")
	}
}

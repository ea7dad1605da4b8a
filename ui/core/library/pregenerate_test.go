package library

import (
	"context"
	"easel/ui/core/library/disk"
	"os"
	"testing"
	"time"
)

// While somebody looks, the thumbnail of a new image is made of the bytes that come: the
// file need not be read.
func TestTheThumbOfANewImageIsMadeBeforeItIsAskedFor(t *testing.T) {
	l, ctx := open(t, t.TempDir(), Options{}), t.Context()
	if _, err := l.Thumb(ctx, add(t, l, 1).ImageID, 100); err != nil {
		t.Fatal(err)
	}
	for seed := 2; seed < 1000; seed++ { // the maker may not yet be there, or be busy: then it is not waited for
		im := add(t, l, seed)
		if err := os.Remove(im.Forms[0].Path); err != nil {
			t.Fatal(err)
		}
		thumb, err := l.Thumb(ctx, im.ImageID, 100)
		if err == nil {
			if got := thumb.Bounds().Dx(); got != 64 {
				t.Errorf("it is %d wide, want the picture's 64", got)
			}
			return
		}
	}
	t.Error("no thumbnail was made beforehand")
}

// An image that did not come to the disk leaves no thumbnail, and nobody waiting.
func TestNoThumbIsKeptOfAnImageThatWasNot(t *testing.T) {
	l := open(t, t.TempDir(), Options{})
	if _, err := l.Thumb(t.Context(), add(t, l, 1).ImageID, 100); err != nil {
		t.Fatal(err)
	}
	files := make(map[string]disk.File)
	n := NewImage{SessionID: "s1", Forms: []Form{{"image/png", picturePNG(t, 2, 0)}}}
	r, err := l.newRecord(context.Background(), n, files)
	if err != nil {
		t.Fatal(err)
	}
	l.pregenerate(r, n)(false)
	made := l.thumbs.lock(r.ID)
	made.Lock()
	defer made.Unlock()
	if got := l.keptThumb([]StoredForm{{MIME: "image/png", Path: l.formPath(r.Forms[0])}}, thumbEdges[0]); got != nil {
		t.Errorf("there is a thumbnail, %v", got.Bounds())
	}
}

// Nobody looks: nothing is made.
func TestNoThumbIsPregeneratedWhileNobodyLooks(t *testing.T) {
	now := time.Now()
	l := open(t, t.TempDir(), Options{now: func() time.Time { return now }})
	requested := add(t, l, 1)
	for _, step := range []struct {
		what    string
		request func()
	}{
		{"before the first", func() {}},
		{"long after the last", func() {
			if _, err := l.Thumb(t.Context(), requested.ImageID, 100); err != nil {
				t.Fatal(err)
			}
			now = now.Add(thumbDemandTTL + time.Second)
		}},
	} {
		step.request()
		im := add(t, l, 2)
		made := l.thumbs.lock(im.ImageID)
		made.Lock() // whoever made one has ended
		got := l.keptThumb(im.Forms, thumbEdges[0])
		made.Unlock()
		if got != nil {
			t.Errorf("%s: there is a thumbnail", step.what)
		}
	}
}

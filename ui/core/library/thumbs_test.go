package library

import (
	"os"
	"testing"
)

// While somebody looks, the thumbnail of a new image is made of the bytes that come: the
// file need not be read.
func TestTheThumbOfANewImageIsMadeBeforeItIsAskedFor(t *testing.T) {
	l, ctx := open(t, t.TempDir(), Options{}), t.Context()
	if _, err := l.Images.Thumb(ctx, add(t, l, 1).ImageID, 100); err != nil {
		t.Fatal(err)
	}
	for seed := 2; seed < 1000; seed++ { // the maker may not yet be there, or be busy: then it is not waited for
		im := add(t, l, seed)
		if err := os.Remove(im.Forms[0].Path); err != nil {
			t.Fatal(err)
		}
		thumb, err := l.Images.Thumb(ctx, im.ImageID, 100)
		if err == nil {
			if got := thumb.Bounds().Dx(); got != 64 {
				t.Errorf("it is %d wide, want the picture's 64", got)
			}
			return
		}
	}
	t.Error("no thumbnail was made beforehand")
}

package library

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"easel/internal/require"
	"easel/ui/core/picture"
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
		require.NoError(t, os.Remove(im.Forms[0].Path))
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

func TestThumbsAreKeptAndMadeAnew(t *testing.T) {
	ctx := t.Context()
	l := open(t, t.TempDir(), Options{})
	svg := Form{"image/svg+xml", []byte(`<svg width="10" height="10"/>`)}
	im := add(t, l, 1, func(n *NewImage) { n.Forms = []Form{svg, n.Forms[0]} })
	for _, edge := range []int{32, 32, 500} {
		th, err := l.Images.Thumb(ctx, im.ImageID, edge)
		require.NoError(t, err)
		if got := th.Bounds().Size(); got.X != min(edge, 64) || got.Y != min(edge*3/4, 48) {
			t.Errorf("edge %d: %v", edge, got)
		}
	}
	l.Images.thumbs.Settle()
	kept, err := filepath.Glob(l.s.path(thumbsDir, "*", "*"))
	if err != nil || len(kept) != 2 {
		t.Fatalf("kept %v, %v", kept, err)
	}
	require.NoError(t, os.WriteFile(kept[0], []byte("broken"), 0o600))
	for _, edge := range []int{32, 500} {
		if _, err := l.Images.Thumb(ctx, im.ImageID, edge); err != nil {
			t.Errorf("after damage: %v", err)
		}
	}
	alone := add(t, l, 1, func(n *NewImage) { n.Forms = []Form{svg} })
	if _, err := l.Images.Thumb(ctx, alone.ImageID, 32); !errors.Is(err, picture.ErrNoRaster) {
		t.Errorf("SVG alone: %v", err)
	}
	if _, err := l.Images.Thumb(ctx, "nobody", 32); !errors.Is(err, ErrNotFound) {
		t.Errorf("unknown: %v", err)
	}
}

// TestTheDirectoryOfThumbsMayBeDeletedAtAnyTime: what is in it can be made again. It is in
// the data directory, and an image has three files there at most.
func TestTheDirectoryOfThumbsMayBeDeletedAtAnyTime(t *testing.T) {
	dir := t.TempDir()
	l := open(t, dir, Options{})
	im := add(t, l, 1)
	kept := func() int {
		t.Helper()
		l.Images.thumbs.Settle()
		files, err := filepath.Glob(filepath.Join(l.s.path(thumbsDir), "*", "*"))
		require.NoError(t, err)
		return len(files)
	}
	if rel, err := filepath.Rel(dir, l.s.path(thumbsDir)); err != nil || !filepath.IsLocal(rel) {
		t.Errorf("thumbnails are kept in %s, outside of %s", l.s.path(thumbsDir), dir)
	}
	for range 2 {
		for edge := 20; edge < 2000; edge += 60 {
			if _, err := l.Images.Thumb(t.Context(), im.ImageID, edge); err != nil {
				t.Fatal(err)
			}
		}
		if n := kept(); n != 3 {
			t.Errorf("%d files are kept of an image, want %d", n, 3)
		}
		require.NoError(t, os.RemoveAll(l.s.path(thumbsDir)))
	}
	require.NoError(t, l.Images.Trash(t.Context(), []string{im.ImageID}))
	if err := l.Images.Delete(t.Context(), []string{im.ImageID}); err != nil {
		t.Errorf("deleting an image whose thumbnails are gone: %v", err)
	}
}

func TestThumbsAreThereBeforeTheyAreOnDisk(t *testing.T) {
	ctx := t.Context()
	l := open(t, t.TempDir(), Options{})
	im := add(t, l, 1)
	l.s.files.mu.Lock() // nothing is written to the disk meanwhile
	first, err := l.Images.Thumb(ctx, im.ImageID, 192)
	require.NoError(t, err)
	again, err := l.Images.Thumb(ctx, im.ImageID, 192)
	if err != nil || again != first {
		t.Errorf("it was made twice: %v", err)
	}
	if kept, err := filepath.Glob(l.s.path(thumbsDir, "*", "*")); err != nil || len(kept) != 0 {
		t.Errorf("on disk already: %v, %v", kept, err)
	}
	if err := os.Remove(im.Path); err != nil { // as discard does
		t.Fatal(err)
	}
	l.s.files.mu.Unlock()
	l.Images.thumbs.Settle()
	if kept, err := filepath.Glob(l.s.path(thumbsDir, "*", "*")); err != nil || len(kept) != 0 {
		t.Errorf("the thumbnail of a deleted image was kept: %v, %v", kept, err)
	}
}

package library

import (
	"bytes"
	"errors"
	"os"
	"testing"

	"easel/internal/require"
	"easel/ui/core/picture"
)

// TestFactsAreStoredBesideThePicture covers what a plot shows in numbers: it is no form of the picture, it is
// there when the library opens again, from its database or its journal, and it is deleted with the picture.
func TestFactsAreStoredBesideThePicture(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	l, err := Open(ctx, dir, Options{})
	require.NoError(t, err)
	first := add(t, l, 1, func(n *NewImage) { n.Facts = []byte("first") })
	second := add(t, l, 2, func(n *NewImage) { n.Facts, n.Replaces = []byte("second"), first.ImageID })
	none := add(t, l, 3)
	drawn := addFigure(t, l, `{"data":[]}`, func(n *NewImage) { n.Facts = []byte("drawn") })
	if _, err := l.Images.AddDrawing(ctx, drawn.ImageID, Drawing{PNG: picturePNG(t, 4, 0)}); err != nil {
		t.Fatal(err)
	}
	late := addFigure(t, l, `{"data":[1]}`)
	require.NoError(t, l.Images.SetFound(ctx, late.ImageID, nil))
	if _, err := l.Images.AddDrawing(ctx, late.ImageID, Drawing{PNG: picturePNG(t, 5, 0), Facts: []byte("with it")}); err != nil {
		t.Fatal(err)
	}
	if again, err := l.Images.Unexamined(ctx, 1); err != nil || len(again) != 1 || again[0].ImageID != late.ImageID {
		t.Errorf("to be examined again: %+v, %v", again, err)
	}
	check := func(l *Library) {
		t.Helper()
		for id, want := range map[string]string{
			first.ImageID: "first", second.ImageID: "second", drawn.ImageID: "drawn", late.ImageID: "with it",
		} {
			im, err := l.Images.Image(ctx, id)
			require.NoError(t, err)
			data, err := l.Images.ReadFacts(ctx, im)
			if string(data) != want || err != nil {
				t.Errorf("the facts of %s: %q, %v", want, data, err)
			}
			for _, f := range im.Forms {
				if raw, err := os.ReadFile(f.Path); err != nil || bytes.Contains(raw, []byte(want)) || f.MIME != picture.PNG && id != drawn.ImageID && id != late.ImageID {
					t.Errorf("%s is in a form: %+v, %v", want, f, err)
				}
			}
			if _, err := l.Images.Image(ctx, im.ResourceURI[:len(im.ResourceURI)-len("png")]+"facts"); !errors.Is(err, ErrNotFound) {
				t.Errorf("the facts have an address: %v", err)
			}
		}
		im, err := l.Images.Image(ctx, none.ImageID)
		if _, no := l.Images.ReadFacts(ctx, im); err != nil || !errors.Is(no, ErrNotFound) {
			t.Errorf("an image without facts: %v, %v", err, no)
		}
	}
	check(l)
	require.NoError(t, l.s.rewriteJournal(ctx))
	require.NoError(t, l.Close())
	l = open(t, dir, Options{})
	check(l)
	require.NoError(t, l.Close())
	for _, name := range []string{databaseFile, databaseFile + "-wal", databaseFile + "-shm"} {
		_ = os.Remove(dir + "/" + name)
	}
	l = open(t, dir, Options{})
	check(l)
	im, err := l.Images.Image(ctx, second.ImageID)
	require.NoError(t, err)
	used := l.s.files.used.Load()
	require.NoError(t, l.Images.Delete(ctx, []string{second.ImageID}))
	if _, err := os.Stat(im.Facts.Path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the facts of a deleted image are still there: %v", err)
	}
	if now := l.s.files.used.Load(); now > used-im.Facts.Bytes {
		t.Errorf("%d bytes are used, %d before", now, used)
	}
}

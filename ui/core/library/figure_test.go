package library

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"easel/internal/require"
)

// sumOf is the SHA-256 of an image's file.
func sumOf(t *testing.T, l *Library, im Image) string {
	t.Helper()
	data, err := l.Images.ReadForm(t.Context(), im, im.MIMEType)
	require.NoError(t, err)
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// figureOf returns the stored figure of an image; "" if there is none.
func figureOf(t *testing.T, l *Library, id string) string {
	t.Helper()
	im, err := l.Images.Image(t.Context(), id)
	require.NoError(t, err)
	data, err := l.Images.ReadFigure(t.Context(), im)
	if err != nil && !errors.Is(err, ErrNotFound) {
		t.Fatal(err)
	}
	return string(data)
}

// TestFiguresAreStoredBesideThePicture covers a figure that comes after its plot: it is no form of the picture, it
// is there when the library opens again, from its database or its journal, and it is deleted with the picture.
func TestFiguresAreStoredBesideThePicture(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	l := open(t, dir, Options{})
	first := add(t, l, 1, func(n *NewImage) { n.Facts = []byte("facts") })
	same, none := add(t, l, 1), add(t, l, 2)
	if n, err := l.Images.KeepFigure(ctx, sumOf(t, l, first), []byte("figure")); n != 2 || err != nil {
		t.Fatalf("kept for %d images: %v", n, err)
	}
	if n, err := l.Images.KeepFigure(ctx, sumOf(t, l, first), []byte("another")); n != 0 || err != nil {
		t.Errorf("kept again for %d images: %v", n, err)
	}
	if n, err := l.Images.KeepFigure(ctx, "0123", []byte("another")); n != 0 || err != nil {
		t.Errorf("kept for %d unknown images: %v", n, err)
	}
	check := func() {
		t.Helper()
		for id, want := range map[string]string{first.ImageID: "figure", same.ImageID: "figure", none.ImageID: ""} {
			if got := figureOf(t, l, id); got != want {
				t.Errorf("the figure of %s: %q, want %q", id, got, want)
			}
		}
		im, err := l.Images.Image(ctx, first.ImageID)
		if err != nil || len(im.Forms) != 1 || im.Facts == nil {
			t.Errorf("its forms: %+v, facts: %+v, %v", im.Forms, im.Facts, err)
		}
	}
	check()
	require.NoError(t, l.s.rewriteJournal(ctx))
	for _, lost := range [][]string{nil, {databaseFile, databaseFile + "-wal", databaseFile + "-shm"}} {
		require.NoError(t, l.Close())
		for _, name := range lost {
			_ = os.Remove(filepath.Join(dir, name))
		}
		l = open(t, dir, Options{})
		check()
	}
	im, err := l.Images.Image(ctx, first.ImageID)
	require.NoError(t, err)
	require.NoError(t, l.Images.Delete(ctx, []string{first.ImageID}))
	if got := figureOf(t, l, same.ImageID); got != "figure" {
		t.Errorf("the figure of the other image: %q", got)
	}
	require.NoError(t, l.Images.Delete(ctx, []string{same.ImageID}))
	if _, err := os.Stat(im.Figure.Path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the figure of deleted images is still there: %v", err)
	}
}

// TestTheOldestFiguresMakeRoom: stored figures have a limit of their own, and go before any plot.
func TestTheOldestFiguresMakeRoom(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	l := open(t, dir, Options{mostFigures: 2500})
	var images []Image
	for i := range 4 {
		images = append(images, add(t, l, i+1))
		if n, err := l.Images.KeepFigure(ctx, sumOf(t, l, images[i]), bytes.Repeat([]byte{byte(i)}, 1000)); n != 1 || err != nil {
			t.Fatalf("figure %d: %d, %v", i, n, err)
		}
	}
	have := func() (all []int) {
		for i, im := range images {
			if figureOf(t, l, im.ImageID) != "" {
				all = append(all, i)
			}
		}
		return all
	}
	if got := have(); len(got) != 2 || got[0] != 2 {
		t.Errorf("the figures of %v are stored", got)
	}
	require.NoError(t, l.Close())
	l = open(t, dir, Options{mostFigures: 2500})
	images = append(images, add(t, l, 5))
	if _, err := l.Images.KeepFigure(ctx, sumOf(t, l, images[4]), bytes.Repeat([]byte{9}, 1000)); err != nil {
		t.Fatal(err)
	}
	if got := have(); len(got) != 2 || got[0] != 3 {
		t.Errorf("after it was opened again, the figures of %v are stored", got)
	}
	l.SetQuota(l.s.files.used.Load() + 1)
	next := add(t, l, 6)
	if got := have(); len(got) != 1 || got[0] != 4 {
		t.Errorf("with the quota reached, the figures of %v are stored", got)
	}
	for _, im := range append(images, next) {
		if _, err := l.Images.Image(ctx, im.ImageID); err != nil {
			t.Errorf("a plot was deleted for a figure: %v", err)
		}
	}
	l.SetQuota(l.s.files.used.Load() + 1)
	if n, err := l.Images.KeepFigure(ctx, sumOf(t, l, next), bytes.Repeat([]byte{9}, 1200)); n != 0 || !errors.Is(err, ErrFull) {
		t.Errorf("kept for %d images beyond the quota: %v", n, err)
	}
}

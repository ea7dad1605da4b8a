package library

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/gif"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"easel/internal/require"
	"easel/ui/core/picture"
)

func movie(t *testing.T, frames int) Form {
	t.Helper()
	var g gif.GIF
	for i := range frames {
		m := image.NewPaletted(image.Rect(0, 0, 30, 20), color.Palette{color.White, color.Black})
		m.SetColorIndex(i, 0, 1)
		g.Image, g.Delay = append(g.Image, m), append(g.Delay, 5)
	}
	var b bytes.Buffer
	require.NoError(t, gif.EncodeAll(&b, &g))
	return Form{picture.GIF, b.Bytes()}
}

// TestAnAnimationKeepsItsNumberOfFrames: also when the library is read again, made anew from
// its journal, or its journal is.
func TestAnAnimationKeepsItsNumberOfFrames(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	l, err := Open(ctx, dir, Options{})
	require.NoError(t, err)
	moving := add(t, l, 0, func(n *NewImage) { n.Forms = []Form{movie(t, 7)} })
	still := add(t, l, 0, func(n *NewImage) { n.Forms = []Form{movie(t, 1)} })
	if moving.Frames != 7 || still.Frames != 0 || !strings.Contains(moving.Description, "GIF animation, 30×20, 7 frames") {
		t.Errorf("%d frames and %d frames, %q", moving.Frames, still.Frames, moving.Description)
	}
	want := []Image{moving, still}
	require.NoError(t, l.s.rewriteJournal(ctx))
	require.NoError(t, l.Close())
	for _, lost := range []string{"", databaseFile} {
		if lost != "" {
			remove(t, filepath.Join(dir, lost))
		}
		l, err := Open(ctx, dir, Options{})
		require.NoError(t, err)
		if diff := cmp.Diff(want, []Image{get(t, l, moving.ImageID), get(t, l, still.ImageID)}); diff != "" {
			t.Errorf("without %q (-want +got):\n%s", lost, diff)
		}
		require.NoError(t, l.Close())
	}
}

// TestAnimationsOfALibraryFromBeforeAreCounted, also those whose file is gone.
func TestAnimationsOfALibraryFromBeforeAreCounted(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	l, err := Open(ctx, dir, Options{})
	require.NoError(t, err)
	want := []Image{
		add(t, l, 0, func(n *NewImage) { n.Forms = []Form{movie(t, 3)} }),
		add(t, l, 1),
		addFigure(t, l, `{"data":[1]}`),
	}
	gone := add(t, l, 0, func(n *NewImage) { n.Forms = []Form{movie(t, 4)} })
	require.NoError(t, l.Close())
	asBefore(t, dir, 4)
	remove(t, gone.Path)
	l, err = Open(ctx, dir, Options{})
	require.NoError(t, err)
	defer l.Close()
	require.NoError(t, l.Images.countFrames(context.WithoutCancel(ctx)))
	got := []Image{get(t, l, want[0].ImageID), get(t, l, want[1].ImageID), get(t, l, want[2].ImageID)}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if im := get(t, l, gone.ImageID); im.Frames != 0 {
		t.Errorf("without its file: %d frames", im.Frames)
	}
	var left int
	if err := l.s.ro.QueryRowContext(ctx, "select count(*) from images where frames = 0").Scan(&left); err != nil || left != 0 {
		t.Errorf("%d images are left, %v", left, err)
	}
}

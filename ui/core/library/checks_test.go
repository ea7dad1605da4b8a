package library

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"easel/internal/require"
	"easel/mcphost/catalog"
	"easel/ui/core/picture"
)

// putCheck stores a check whose code drew picture n.
func putCheck(t *testing.T, l *Library, id, status string, n int, at time.Time) {
	t.Helper()
	err := l.Checks.Put(t.Context(), id, catalog.Check{Status: status, At: at, Changed: 0.5}, &Form{MIME: picture.PNG, Data: picturePNG(t, n, 20)})
	require.NoError(t, err)
}

// A check is kept with its picture, replaces an older one, and is deleted with its image.
// The journal alone tells the same.
func TestChecks(t *testing.T) {
	for _, lost := range []string{"", databaseFile} {
		dir := t.TempDir()
		l := open(t, dir, Options{})
		im, other := add(t, l, 1), add(t, l, 2)
		at := time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)
		if _, err := l.Checks.Get(t.Context(), im.ImageID); !errors.Is(err, ErrNotFound) {
			t.Fatalf("a check before the first: %v", err)
		}
		putCheck(t, l, im.ImageID, catalog.CheckDifferent, 71, at)
		first, err := l.Checks.Get(t.Context(), im.ResourceURI)
		require.NoError(t, err)
		putCheck(t, l, im.ImageID, catalog.CheckReproduced, 72, at.Add(time.Second))
		putCheck(t, l, other.ImageID, catalog.CheckDifferent, 73, at)
		if _, err := os.Stat(first.Fresh.Path); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the picture of the replaced check is left: %v", err)
		}
		require.NoError(t, l.s.rewriteJournal(t.Context()))
		require.NoError(t, l.Close())
		if lost != "" {
			remove(t, filepath.Join(dir, lost))
		}
		l = open(t, dir, Options{})
		c, err := l.Checks.Get(t.Context(), im.ImageID)
		if err != nil || c.Status != catalog.CheckReproduced || c.Changed != 0.5 || !c.At.Equal(at.Add(time.Second)) {
			t.Fatalf("after opening (lost %q): %+v, %v", lost, c, err)
		}
		data, err := l.Checks.Fresh(t.Context(), c)
		if err != nil || !slices.Equal(data, picturePNG(t, 72, 20)) {
			t.Errorf("the new picture (lost %q): %d bytes, %v", lost, len(data), err)
		}
		if got, err := l.Images.Image(t.Context(), im.ImageID); err != nil || got.Checked != catalog.CheckReproduced {
			t.Errorf("the image is %q, %v", got.Checked, err)
		}
		require.NoError(t, l.Images.Trash(t.Context(), []string{im.ImageID}))
		require.NoError(t, l.Images.Restore(t.Context(), []string{im.ImageID}))
		if _, err := l.Checks.Get(t.Context(), im.ImageID); err != nil {
			t.Errorf("the check of a restored image: %v", err)
		}
		require.NoError(t, l.Images.Delete(t.Context(), []string{im.ImageID}))
		if _, err := os.Stat(c.Fresh.Path); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the picture of a deleted image's check is left: %v", err)
		}
		if err := l.Checks.Put(t.Context(), im.ImageID, catalog.Check{}, nil); !errors.Is(err, ErrNotFound) {
			t.Errorf("a check of a deleted image: %v", err)
		}
	}
}

func TestRanBefore(t *testing.T) {
	l := open(t, t.TempDir(), Options{})
	at := time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)
	put := func(id string, generation int, kernel string, created, started int) Execution {
		x := Execution{ID: id, SessionID: "s", KernelID: kernel, Generation: generation, Code: id, Status: catalog.StatusOK, CreatedAt: at.Add(time.Duration(created) * time.Second)}
		if started > 0 {
			x.StartedAt = at.Add(time.Duration(started) * time.Second)
		}
		require.NoError(t, l.Executions.Put(t.Context(), x))
		return x
	}
	put("before-restart", 1, "k", 1, 1)
	put("second", 2, "k", 2, 9) // it was queued before the user's cell ran
	put("first", 2, "k", 3, 3)
	put("other-kernel", 2, "x", 4, 4)
	target := put("target", 2, "k", 5, 10)
	put("later", 2, "k", 6, 11)
	ran, err := l.Executions.RanBefore(t.Context(), target)
	require.NoError(t, err)
	var ids []string
	for _, x := range ran {
		ids = append(ids, x.ID)
	}
	if want := []string{"first", "second", "target"}; !slices.Equal(ids, want) {
		t.Errorf("got %q, want %q", ids, want)
	}
}

func TestDrawnBy(t *testing.T) {
	l := open(t, t.TempDir(), Options{})
	in := func(n *NewImage) { n.ExecutionID = "x" }
	a, b := add(t, l, 1, in), add(t, l, 2, in)
	add(t, l, 3)
	c := add(t, l, 4, in, func(n *NewImage) { n.Replaces = a.ResourceURI })
	require.NoError(t, l.Images.Trash(t.Context(), []string{b.ImageID}))
	got, err := l.Images.DrawnBy(t.Context(), "x")
	if err != nil || len(got) != 2 || !slices.Equal(got[0], []string{a.ImageID, c.ImageID}) || !slices.Equal(got[1], []string{b.ImageID}) {
		t.Errorf("got %q, %v", got, err)
	}
}

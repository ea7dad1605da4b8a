package library

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"easel/internal/require"
)

// TestFilesAreCheckedWhileTheLibraryIsUsed checks that Open does not wait until all files are checked, and that images
// which are added or deleted meanwhile are neither moved away nor marked.
func TestFilesAreCheckedWhileTheLibraryIsUsed(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	l := open(t, dir, Options{})
	missing, deleted := add(t, l, 1), add(t, l, 2)
	require.NoError(t, l.Close())
	remove(t, missing.Path)
	left := filepath.Join(dir, imagesDir, "ab", "ab00000000000000000000000000000000.png") // by a crash
	require.NoError(t, os.MkdirAll(filepath.Dir(left), 0o700))
	require.NoError(t, os.WriteFile(left, picturePNG(t, 3, 0), 0o600))

	l, err := Open(ctx, dir, Options{upkeep: time.Hour})
	require.NoError(t, err)
	defer func() { require.NoError(t, l.Close()) }() // which does not wait for an hour
	select {
	case <-l.checked:
		t.Error("Open has checked all files")
	default:
	}
	if used := l.s.files.used.Load(); used == 0 {
		t.Error("the quota does not know how much is used")
	}

	broken, mended, lost, err := l.repair.compareFiles(ctx)
	require.NoError(t, err)
	if len(broken) != 1 || len(mended) != 0 || len(lost) != 1 {
		t.Errorf("broken %q, mended %q, lost %v", broken, mended, lost)
	}
	added := add(t, l, 4) // its file may have been listed before its row was read
	lost[filepath.Base(added.Path)] = added.Bytes
	require.NoError(t, l.Images.Delete(ctx, []string{deleted.ImageID})) // its file may be missing when it is looked for
	broken = append(broken, filepath.Base(deleted.Path))
	broken, err = l.repair.settleFiles(ctx, broken, lost)
	require.NoError(t, err)
	if want := []string{filepath.Base(missing.Path)}; !slices.Equal(broken, want) {
		t.Errorf("broken are %q, want %q", broken, want)
	}
	if _, _, err := l.Images.Read(ctx, added.ImageID); err != nil {
		t.Errorf("the new image: %v", err)
	}
	if _, err := os.Stat(left); err == nil {
		t.Error("what a crash left lies among the images")
	}
	if there, err := os.ReadDir(filepath.Join(dir, lostDir)); err != nil || len(there) != 1 || !strings.HasPrefix(filepath.Base(left), there[0].Name()[:2]) {
		t.Errorf("lost: %v, %v", there, err)
	}
}

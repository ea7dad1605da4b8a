package atomicfile

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"easel/internal/require"
)

func names(t *testing.T, dir string) (all []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

func content(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(b)
}

func TestWriteCreatesAndReplaces(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	for _, text := range []string{"one, the longer", "two", ""} {
		require.NoError(t, Write(path, []byte(text), 0o600))
		if got := content(t, path); got != text {
			t.Errorf("got %q, want %q", got, text)
		}
	}
	if got := names(t, dir); !slices.Equal(got, []string{"f"}) {
		t.Errorf("left in the directory: %v", got)
	}
}

// TestWriteLeavesTheOldFileAlone checks that the old file is not written to: whoever has
// it open still reads all of it.
func TestWriteLeavesTheOldFileAlone(t *testing.T) {
	dir := t.TempDir()
	path, other := filepath.Join(dir, "f"), filepath.Join(dir, "link")
	require.NoError(t, Write(path, []byte("old"), 0o600))
	if err := os.Link(path, other); err != nil {
		t.Skip("no hard links here:", err)
	}
	require.NoError(t, Write(path, []byte("new"), 0o600))
	if a, b := content(t, other), content(t, path); a != "old" || b != "new" {
		t.Errorf("got %q and %q", a, b)
	}
}

func TestWriteSetsTheModeAsWriteFileDoes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no modes")
	}
	dir := t.TempDir()
	for _, perm := range []os.FileMode{0o600, 0o644, 0o666} {
		path, reference := filepath.Join(dir, "f"), filepath.Join(dir, "reference")
		_ = os.Remove(reference)
		require.NoError(t, os.WriteFile(reference, nil, perm))
		require.NoError(t, Write(path, nil, perm))
		want, err := os.Stat(reference)
		require.NoError(t, err)
		if got, err := os.Stat(path); err != nil || got.Mode() != want.Mode() {
			t.Errorf("%o: got %v, want %v", perm, got.Mode(), want.Mode())
		}
	}
}

// TestWriteTakesTheLongestName uses the longest name that a filesystem allows, which
// leaves no room for a suffix.
func TestWriteTakesTheLongestName(t *testing.T) {
	path := filepath.Join(t.TempDir(), strings.Repeat("n", 255))
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Skip("such a name is too long here:", err)
	}
	if err := Write(path, []byte("x"), 0o600); err != nil {
		t.Error(err)
	}
}

func TestWriteSyncsTheFileAndThenItsDirectory(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows syncs no directory")
	}
	dir := t.TempDir()
	var synced []string
	swap(t, func(f *os.File) error {
		_, err := os.Stat(filepath.Join(dir, "f"))
		switch {
		case f.Name() == dir && err == nil:
			synced = append(synced, "directory after the rename")
		case f.Name() != dir && errors.Is(err, fs.ErrNotExist):
			synced = append(synced, "file before the rename")
		default:
			t.Errorf("synced %s; f: %v", f.Name(), err)
		}
		return f.Sync()
	})
	require.NoError(t, Write(filepath.Join(dir, "f"), []byte("x"), 0o600))
	if want := []string{"file before the rename", "directory after the rename"}; !slices.Equal(synced, want) {
		t.Errorf("got %v", synced)
	}
}

func TestWriteCleansUpAfterAnError(t *testing.T) {
	t.Run("of the disk", func(t *testing.T) {
		dir := t.TempDir()
		path := filepath.Join(dir, "f")
		require.NoError(t, Write(path, []byte("old"), 0o600))
		swap(t, func(*os.File) error { return syscall.ENOSPC })
		if err := Write(path, []byte("new"), 0o600); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("got %v", err)
		}
		if got, text := names(t, dir), content(t, path); !slices.Equal(got, []string{"f"}) || text != "old" {
			t.Errorf("got %v, %q", got, text)
		}
	})
	t.Run("of the rename", func(t *testing.T) {
		dir := t.TempDir()
		require.NoError(t, os.MkdirAll(filepath.Join(dir, "f", "full"), 0o700))
		if err := Write(filepath.Join(dir, "f"), []byte("new"), 0o600); err == nil {
			t.Error("replaced a directory")
		}
		if got := names(t, dir); !slices.Equal(got, []string{"f"}) {
			t.Errorf("left in the directory: %v", got)
		}
	})
	t.Run("no directory", func(t *testing.T) {
		if err := Write(filepath.Join(t.TempDir(), "none", "f"), nil, 0o600); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("got %v", err)
		}
	})
}

func TestSyncDirAcceptsAFilesystemThatCannot(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows syncs no directory")
	}
	for _, tt := range []struct{ err, want error }{
		{syscall.EINVAL, nil}, {syscall.ENOTSUP, nil}, {syscall.EIO, syscall.EIO},
	} {
		swap(t, func(*os.File) error { return tt.err })
		if err := SyncDir(t.TempDir()); !errors.Is(err, tt.want) {
			t.Errorf("%v: got %v", tt.err, err)
		}
	}
	if err := SyncDir(filepath.Join(t.TempDir(), "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

func TestWriteFromManyGoroutines(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	swap(t, func(*os.File) error { return nil }) // for speed
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for range 50 {
				if err := Write(path, bytes.Repeat([]byte{byte('a' + i)}, 10_000), 0o600); err != nil && runtime.GOOS != "windows" {
					t.Error(err)
				}
				if b, err := os.ReadFile(path); err == nil && (len(b) != 10_000 || bytes.Count(b, b[:1]) != 10_000) {
					t.Errorf("a file of %d bytes is mixed or incomplete", len(b))
				}
			}
		})
	}
	wg.Wait()
	if got := names(t, dir); !slices.Equal(got, []string{"f"}) {
		t.Errorf("left in the directory: %v", got)
	}
}

func swap(t *testing.T, f func(*os.File) error) {
	old := syncFile
	syncFile = f
	t.Cleanup(func() { syncFile = old })
}

// TestSweep removes what a crash has left, and nothing else.
func TestSweep(t *testing.T) {
	dir, now := t.TempDir(), time.Now()
	put := func(name string, at time.Time) {
		path := filepath.Join(dir, name)
		require.NoError(t, errors.Join(os.WriteFile(path, nil, 0o600), os.Chtimes(path, at, at)))
	}
	f, err := create(dir, 0o600)
	require.NoError(t, err)
	old := now.Add(-25 * time.Hour)
	require.NoError(t, errors.Join(f.Close(), os.Chtimes(f.Name(), old, old)))
	kept := []string{".easel-1a.tmp", ".easel-my notes.tmp", ".easel-2b.html", "3c.tmp"} // the first is being written
	put(kept[0], now)
	for _, name := range kept[1:] {
		put(name, old)
	}
	require.NoError(t, os.Mkdir(filepath.Join(dir, ".easel-4d.tmp"), 0o700))
	Sweep(dir, now.Add(-24*time.Hour))
	Sweep(filepath.Join(dir, "none"), now)
	if _, err := os.Stat(f.Name()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("what the crash left: %v", err)
	}
	for _, name := range append(kept, ".easel-4d.tmp") {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
}

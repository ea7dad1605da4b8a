package desktop_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"easel/internal/require"
	"easel/ui/window/desktop"
)

func TestHandOut(t *testing.T) {
	dir := t.TempDir()
	t.Cleanup(func() { // the folders cannot be written to
		all, _ := filepath.Glob(filepath.Join(dir, "opened", "*"))
		for _, d := range all {
			_ = os.Chmod(d, 0o700)
		}
	})
	var paths []string
	for range 2 {
		path, err := desktop.HandOut(dir, "図 1.png", []byte("bytes"))
		require.NoError(t, err)
		paths = append(paths, path)
	}
	got, err := os.ReadFile(paths[1])
	if err != nil || string(got) != "bytes" || filepath.Base(paths[1]) != "図 1.png" || paths[0] == paths[1] {
		t.Errorf("%v: %q, %v", paths, got, err)
	}
	readOnly := []string{paths[0]}
	if runtime.GOOS != "windows" { // whose directories have no such mode
		readOnly = append(readOnly, filepath.Dir(paths[0]))
	}
	for _, path := range readOnly {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o222 != 0 {
			t.Errorf("%s can be written to: %v, %v", path, info, err)
		}
	}
	old := time.Now().Add(-25 * time.Hour)
	require.NoError(t, os.Chtimes(filepath.Dir(paths[0]), old, old))
	desktop.SweepHandouts(dir)
	if _, err := os.Stat(paths[0]); !os.IsNotExist(err) {
		t.Errorf("the old file remains: %v", err)
	}
	if _, err := os.Stat(paths[1]); err != nil {
		t.Errorf("the new file is gone: %v", err)
	}
	for _, bad := range []string{"", ".", "..", "a/b", "../x"} {
		if path, err := desktop.HandOut(dir, bad, nil); err == nil {
			t.Errorf("%q became %s", bad, path)
		}
	}
}

package system

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"easel/internal/require"
)

func TestIsPortTaken(t *testing.T) {
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp4", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	_, err = new(net.ListenConfig).Listen(t.Context(), "tcp4", l.Addr().String())
	if !IsPortTaken(err) {
		t.Errorf("got %v (%#v)", err, errors.Unwrap(errors.Unwrap(err)))
	}
	if IsPortTaken(nil) || IsPortTaken(fs.ErrExist) {
		t.Error("another error means that, too")
	}
}

func TestIsDiskFullAndReadOnly(t *testing.T) {
	wrap := func(err error) error { return fmt.Errorf("x: %w", &fs.PathError{Op: "write", Path: "f", Err: err}) }
	for _, code := range diskFull {
		if err := wrap(code); !IsDiskFull(err) || IsReadOnly(err) {
			t.Errorf("%v", err)
		}
	}
	for _, code := range readOnly {
		if err := wrap(code); !IsReadOnly(err) || IsDiskFull(err) {
			t.Errorf("%v", err)
		}
	}
	if IsDiskFull(nil) || IsDiskFull(fs.ErrPermission) || IsReadOnly(fs.ErrPermission) {
		t.Error("another error means that, too")
	}
}

// TestALogIsRenamedWhileItIsOpen has two programs write to a log, as the app and a bridge
// do, when a third one renames it.
func TestALogIsRenamedWhileItIsOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	for _, line := range []string{"one\n", "two\n"} {
		f, err := OpenAppend(path)
		require.NoError(t, err)
		defer f.Close()
		if _, err := f.WriteString(line); err != nil {
			t.Fatal(err)
		}
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "one\ntwo\n" {
		t.Errorf("got %q, %v", text, err)
	}
	if err := os.Rename(path, path+".1"); err != nil {
		t.Error(err)
	}
}

func TestCreateUnnamedLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	for _, v := range []string{"TMPDIR", "TMP", "TEMP"} {
		t.Setenv(v, dir)
	}
	f, err := CreateUnnamed()
	require.NoError(t, err)
	if _, err := f.WriteString("text"); err != nil {
		t.Error(err)
	}
	b := make([]byte, 4)
	if _, err := f.ReadAt(b, 0); err != nil || string(b) != "text" {
		t.Errorf("got %q, %v", b, err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
}

func TestRenameAndRemoveReportErrors(t *testing.T) {
	dir := t.TempDir()
	none := filepath.Join(dir, "none")
	if err := Rename(none, filepath.Join(dir, "f")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Rename: %v", err)
	}
	if err := Remove(none); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Remove: %v", err)
	}
	if _, err := ReadFile(none); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("ReadFile: %v", err)
	}
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "full", strings.Repeat("x", 9)), 0o700))
	if err := Remove(filepath.Join(dir, "full")); err == nil {
		t.Error("Remove removed a directory with files")
	}
}

func TestOwnedByUser(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	info, err := os.Stat(path)
	require.NoError(t, err)
	if !OwnedByUser(path, info) {
		t.Error("what this test has written is not its user's")
	}
}

// TestGlobInAnyDirectory covers names that are patterns, such as a user's "[old]".
func TestGlobInAnyDirectory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "デ ータ [a] b")
	file := filepath.Join(dir, "lib", "python3.13")
	require.NoError(t, os.MkdirAll(file, 0o700))
	if got := Glob(dir, "lib/python3*"); !slices.Equal(got, []string{file}) {
		t.Errorf("got %q, want %q", got, file)
	}
	if got := Glob(filepath.Join(dir, "missing"), "*"); len(got) > 0 {
		t.Errorf("got %q", got)
	}
}

// Package atomicfile replaces files atomically and durably.
//
// The library has a writer of its own (ui/core/library/disk): its tests fail each
// step, and its temporary files are in one directory that it empties at startup.
// github.com/google/renameio/v2 doesn't build its writer for Windows and doesn't sync
// the directory.
//
// # Goroutines
//
// Any goroutine may call these functions. They block on the disk. If two write the same
// path at once, the file of one of them stays, whole.
package atomicfile

import (
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"easel/internal/system"
)

// Write replaces the file at path, or creates it. The directory must exist. A reader,
// or whoever looks after a crash, finds the old content or the new, never a part.
// When Write returns nil, the new content survives a power failure.
//
// As for [os.WriteFile], perm is the mode before umask; a file that is replaced doesn't
// pass on its mode. A symbolic link at path is replaced, not followed. After an error
// the temporary file is removed; the old file is still there unless only the last step,
// syncing the directory, failed.
func Write(path string, data []byte, perm os.FileMode) error {
	return WriteFunc(path, perm, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// WriteFunc is like Write for content that write writes in parts. If write returns an
// error, WriteFunc returns it and changes nothing.
func WriteFunc(path string, perm os.FileMode, write func(io.Writer) error) error {
	f, err := create(filepath.Dir(path), perm)
	if err != nil {
		return err
	}
	err = write(f)
	if err == nil {
		err = syncFile(f)
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = system.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return err
	}
	return SyncDir(filepath.Dir(path))
}

// The names of temporary files.
const (
	tempPrefix = ".easel-"
	tempSuffix = ".tmp"
)

// Sweep removes the temporary files in dir that a crash has left there before a time.
func Sweep(dir string, before time.Time) {
	all, _ := os.ReadDir(dir) // those that could be read
	for _, e := range all {
		if !temporary(e.Name()) || !e.Type().IsRegular() {
			continue
		}
		if info, err := e.Info(); err == nil && info.ModTime().Before(before) {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}

// temporary reports whether create could have chosen a name.
func temporary(name string) bool {
	name, prefix := strings.CutPrefix(name, tempPrefix)
	name, suffix := strings.CutSuffix(name, tempSuffix)
	_, err := strconv.ParseUint(name, 36, 64)
	return prefix && suffix && err == nil
}

// syncFile is a variable for tests.
var syncFile = (*os.File).Sync

// create makes the temporary file. [os.CreateTemp] allows no mode but 0600. The name
// doesn't contain the target's, which may already be as long as the filesystem allows.
func create(dir string, perm os.FileMode) (*os.File, error) {
	for try := 0; ; try++ {
		name := tempPrefix + strconv.FormatUint(rand.Uint64(), 36) + tempSuffix //nolint:gosec // O_EXCL keeps a guessed name from being used
		f, err := os.OpenFile(filepath.Join(dir, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
		if err == nil || !errors.Is(err, fs.ErrExist) || try == 100 {
			return f, err
		}
	}
}

// SyncDir makes the names in a directory durable. It does nothing on Windows, which
// can't sync a directory, and returns nil for a filesystem that can't or a directory
// that may be written but not read.
func SyncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if errors.Is(err, fs.ErrPermission) {
		return nil
	}
	if err != nil {
		return err
	}
	err = syncFile(d)
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) {
		err = nil
	}
	return errors.Join(err, d.Close())
}

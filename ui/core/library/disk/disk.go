// Package disk writes the files of the library. Its operations can be replaced, so that tests
// can let each of them fail.
//
// # Goroutines
//
// The package starts a few for the time of a Write of several files. All of it is safe for
// concurrent use.
package disk

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"easel/internal/atomicfile"
	"easel/internal/system"
)

// ErrFull is returned when there is no room left.
var ErrFull = errors.New("no room left for the library")

// Full wraps an error that means a full disk in ErrFull.
func Full(err error) error {
	if err == nil || errors.Is(err, ErrFull) || !system.IsDiskFull(err) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrFull, err)
}

// A Disk has the operations that can fail when files are written. Tests replace it.
type Disk interface {
	Write(f *os.File, b []byte) (int, error)
	Sync(f *os.File) error
	Rename(from, to string) error
	SyncDir(dir string) error
}

// Real is the disk of this machine.
type Real struct{}

// Write implements Disk.
func (Real) Write(f *os.File, b []byte) (int, error) { return f.Write(b) }

// Sync implements Disk.
func (Real) Sync(f *os.File) error { return f.Sync() }

// Rename implements Disk.
func (Real) Rename(from, to string) error { return system.Rename(from, to) }

// SyncDir implements Disk.
func (Real) SyncDir(dir string) error { return atomicfile.SyncDir(dir) }

// A File is a file to be written.
type File struct {
	Path string
	Data []byte
}

// A Writer writes files atomically: it writes and syncs a temporary file, renames it, and syncs
// the directory, which it creates if necessary.
type Writer struct {
	Disk
	Temp string // an existing directory on the same file system
}

// parallelSyncs is the number of files that are synced concurrently. A disk handles
// several requests in the time of one.
const parallelSyncs = 4

// WriteFiles writes several files. After an error, some of them may exist, but none in part.
func (w Writer) WriteFiles(files ...File) error {
	return inParallel(len(files), parallelSyncs, func(i int) error { return w.WriteFile(files[i].Path, files[i].Data) })
}

// WriteFile writes a file.
func (w Writer) WriteFile(path string, data []byte) error {
	temp, err := w.writeTemp(data)
	if err != nil {
		return fmt.Errorf("write %s: %w", filepath.Base(path), Full(err))
	}
	dir := filepath.Dir(path)
	err = w.Rename(temp, path)
	if errors.Is(err, os.ErrNotExist) {
		if err = os.MkdirAll(dir, 0o700); err == nil {
			err = errors.Join(w.SyncDir(filepath.Dir(dir)), w.Rename(temp, path))
		}
	}
	if err != nil {
		_ = os.Remove(temp)
		return fmt.Errorf("write %s: %w", filepath.Base(path), Full(err))
	}
	if err := w.SyncDir(dir); err != nil {
		return fmt.Errorf("write %s: %w", filepath.Base(path), Full(err))
	}
	return nil
}

// writeTemp writes data to a temporary file and syncs it.
func (w Writer) writeTemp(data []byte) (path string, err error) {
	f, err := os.CreateTemp(w.Temp, "*")
	if err != nil {
		return "", err
	}
	_, err = w.Write(f, data)
	if err == nil {
		err = w.Sync(f)
	}
	if err = errors.Join(err, f.Close()); err != nil {
		_ = os.Remove(f.Name())
		return "", err
	}
	return f.Name(), nil
}

// inParallel calls do(0) … do(n-1) on at most limit goroutines and joins the errors.
func inParallel(n, limit int, do func(int) error) error {
	if n == 1 {
		return do(0)
	}
	errs := make([]error, n)
	slots := make(chan struct{}, limit)
	var wg sync.WaitGroup
	for i := range n {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			errs[i] = do(i)
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

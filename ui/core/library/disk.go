package library

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"easel/internal/atomicfile"
	"easel/internal/system"
)

// A disk has the operations that can fail when files are written. Tests replace it.
type disk interface {
	Write(f *os.File, b []byte) (int, error)
	Sync(f *os.File) error
	Rename(from, to string) error
	SyncDir(dir string) error
}

// realDisk is the disk of this machine.
type realDisk struct{}

func (realDisk) Write(f *os.File, b []byte) (int, error) { return f.Write(b) }
func (realDisk) Sync(f *os.File) error                   { return f.Sync() }
func (realDisk) Rename(from, to string) error            { return system.Rename(from, to) }
func (realDisk) SyncDir(dir string) error                { return atomicfile.SyncDir(dir) }

// A newFile is a file to be written atomically.
type newFile struct {
	path string
	data []byte
}

// parallelSyncs is the number of files that are synced concurrently. A disk handles
// several requests in the time of one.
const parallelSyncs = 4

// writeFiles writes files atomically: it writes and syncs a temporary file, renames it,
// and syncs the directory. After an error, some files may exist, but none in part.
func (l *Library) writeFiles(files []newFile) error {
	return inParallel(len(files), parallelSyncs, func(i int) error {
		return l.writeFile(files[i].path, files[i].data)
	})
}

func (l *Library) writeFile(path string, data []byte) error {
	temp, err := l.writeTemp(data)
	if err != nil {
		return fmt.Errorf("write %s: %w", filepath.Base(path), asFull(err))
	}
	dir := filepath.Dir(path)
	err = l.disk.Rename(temp, path)
	if errors.Is(err, os.ErrNotExist) {
		if err = os.MkdirAll(dir, 0o700); err == nil {
			err = errors.Join(l.disk.SyncDir(filepath.Dir(dir)), l.disk.Rename(temp, path))
		}
	}
	if err != nil {
		_ = os.Remove(temp)
		return fmt.Errorf("write %s: %w", filepath.Base(path), asFull(err))
	}
	if err := l.disk.SyncDir(dir); err != nil {
		return fmt.Errorf("write %s: %w", filepath.Base(path), asFull(err))
	}
	return nil
}

// writeTemp writes data to a temporary file and syncs it.
func (l *Library) writeTemp(data []byte) (path string, err error) {
	f, err := os.CreateTemp(l.path(tempDir), "*")
	if err != nil {
		return "", err
	}
	_, err = l.disk.Write(f, data)
	if err == nil {
		err = l.disk.Sync(f)
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

// noticed does what asFull does and remembers if the database is damaged.
func (l *Library) noticed(err error) error {
	err = asFull(err)
	if errors.Is(err, errDatabase) && !l.suspect.Swap(true) {
		l.report(Damage{
			Kind: DamagedDatabase, Path: l.path(databaseFile),
			Detail: fmt.Sprintf("the database is damaged (%v); it is made anew from the journal at the next start", err),
		})
	}
	return err
}

// errDatabase is ErrDamaged for the database.
var errDatabase = fmt.Errorf("database %w", ErrDamaged)

// asFull wraps an error that means a full disk in ErrFull, and one that means a damaged
// database in ErrDamaged.
func asFull(err error) error {
	if err == nil || errors.Is(err, ErrFull) {
		return err
	}
	if system.IsDiskFull(err) {
		return fmt.Errorf("%w: %w", ErrFull, err)
	}
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		switch e.Code() & 0xff {
		case sqlite3.SQLITE_FULL:
			return fmt.Errorf("%w: %w", ErrFull, err)
		case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
			return fmt.Errorf("%w: %w", errDatabase, err)
		}
	}
	return err
}

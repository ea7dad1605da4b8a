package logbook

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"easel/internal/atomicfile"
	"easel/ui/core/library"
)

// unfinished ends the name of a file that is being written.
const unfinished = ".part"

// Save writes the log to a file that is not there yet, unless it may be replaced. After an error, no file has
// changed and none is left.
func Save(ctx context.Context, path string, lib Library, o Options) (n Counts, err error) {
	if _, err := os.Lstat(path); err == nil && !o.Replace {
		return n, fmt.Errorf("%s already exists; give another name", path)
	}
	if err := o.resolve(ctx, lib); err != nil {
		return n, err
	}
	if o.Now.IsZero() {
		o.Now = time.Now()
	}
	f, err := os.OpenFile(path+unfinished, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return n, err
	}
	n, err = Write(ctx, f, lib, o)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(path+unfinished, path)
	}
	if err != nil {
		if gone := os.Remove(path + unfinished); !errors.Is(gone, os.ErrNotExist) {
			err = errors.Join(err, gone)
		}
		return n, err
	}
	return n, atomicfile.SyncDir(filepath.Dir(path))
}

// resolve replaces the id of a kernel by that of its session.
func (o *Options) resolve(ctx context.Context, lib Library) error {
	if o.Session == "" {
		return nil
	}
	s, err := lib.Session(ctx, o.Session)
	if errors.Is(err, library.ErrNotFound) {
		return fmt.Errorf("no session has the id %.120q; the lines of `easel log` have the ids as session_id", o.Session)
	}
	if err == nil {
		o.Session = s.ID
	}
	return err
}

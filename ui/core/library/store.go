package library

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gofrs/flock"

	"easel/internal/wake"
	"easel/ui/core/library/disk"
	"easel/ui/core/library/feed"
	"easel/ui/core/library/naming"
	"easel/ui/core/library/output"
)

// A store keeps facts: it writes them to the journal and the database, brings the two together
// when it is opened, and repairs them. The rooms of a Library write and read through it.
type store struct {
	dir  string
	opts Options
	log  *slog.Logger
	disk disk.Disk
	now  func() time.Time
	lock *flock.Flock

	newID func(now time.Time) string
	ids   naming.Source

	ro      *sql.DB
	rw      *sql.DB
	w       writer
	journal *journal

	files  *imageFiles
	output *output.Files // its words are found by a search

	changes feed.Feed

	suspect  atomic.Bool // the database was found to be damaged while in use
	damageMu sync.Mutex
	damage   []Damage

	wake   wake.Signal   // capacity 1: there is something to sync
	done   chan struct{} // closed by Close
	opened bool          // Open has succeeded
}

func (s *store) report(d Damage) {
	d.At = s.now()
	s.damageMu.Lock()
	s.damage = append(s.damage, d)
	s.damageMu.Unlock()
	s.log.Warn("library", "kind", string(d.Kind), "path", d.Path, "set_aside", d.SetAside, "detail", d.Detail)
	if s.opts.Report != nil {
		s.opts.Report(d)
	}
}

// shut closes the files of a library, also if Open failed halfway.
func (s *store) shut() error {
	var errs []error
	s.w.mu.Lock()
	defer s.w.mu.Unlock()
	if s.journal != nil {
		errs = append(errs, s.journal.close())
	}
	if s.ro != nil {
		errs = append(errs, s.ro.Close())
	}
	errs = append(errs, s.w.close())
	if s.rw != nil {
		errs = append(errs, s.rw.Close())
	}
	if err := errors.Join(errs...); err == nil && s.opened && !s.suspect.Load() {
		errs = append(errs, s.sealDatabase())
	}
	if s.lock != nil {
		errs = append(errs, s.lock.Close())
	}
	return errors.Join(errs...)
}

// checkpointAfter is the size of the write-ahead log, in bytes, from which it is copied
// into the database.
const checkpointAfter = 4 << 20

// sync syncs the journal, then the database, so that the database on the disk never has
// a change that the journal lacks.
func (s *store) sync(ctx context.Context) error {
	s.w.mu.Lock()
	err := s.journal.sync()
	s.w.mu.Unlock()
	if err != nil {
		return err
	}
	info, err := os.Stat(s.path(databaseFile) + "-wal")
	if err != nil || info.Size() < checkpointAfter {
		return nil //nolint:nilerr // no log: nothing to copy
	}
	var busy, pages, copied int
	if err := s.ro.QueryRowContext(ctx, "pragma wal_checkpoint(passive)").Scan(&busy, &pages, &copied); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	return nil
}

func (s *store) path(parts ...string) string {
	return filepath.Join(append([]string{s.dir}, parts...)...)
}

// writer writes files within the library.
func (s *store) writer() disk.Writer { return disk.Writer{Disk: s.disk, Temp: s.path(tempDir)} }

// Package library stores what must outlive a run of Easel: images, the code that drew
// them and its output, ratings, tags, sessions and a log of calls.
//
// # Files
//
//	library.jsonl   the journal: every change, one line each, with a checksum
//	library.db      the same data in SQLite, indexed; built from the journal
//	library.seal    size and time of the database when it was last closed
//	images/         the images, named by the hash of their bytes, never rewritten
//	output/         the output of executions, one file for each stream
//	thumbs/ tmp/    may be deleted at any time
//	lost/ damaged/  files without a row; damaged files, set aside
//	previous/       journal and database before an update of Easel changed the schema
//
// A change is written to the journal, then to the database, then acknowledged. Each
// transaction of the database stores the position in the journal up to which it is
// complete. If Easel or the machine crashes in between, the next Open reads the rest
// from the journal. A database that is damaged or missing is rebuilt from the whole
// journal. Live and replayed changes are applied by the same code (record.go).
//
// # Durability
//
// When a method has returned nil, its change survives the death of the process. Images,
// ratings, tags, titles and notes also survive a power failure: their files and the
// journal have been synced. Executions and sessions survive a power failure after about
// a second, output when the system has written it. The log of calls (activities) is in
// the database only.
//
// # Goroutines
//
// All methods are safe for concurrent use. Writers share one connection to the database.
// Readers use a small pool and see a consistent state that includes every acknowledged
// write. One goroutine syncs the journal and the database after a pause in writing;
// Close ends it. A write that has begun is completed even if its context is canceled.
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

	"easel/ui/core/library/disk"
	"easel/ui/core/library/feed"
	"easel/ui/core/library/naming"
)

// Errors of this package, for errors.Is.
var (
	// ErrNotFound is returned for an unknown id or URI.
	ErrNotFound = errors.New("not in the library")
	// ErrFull is returned when the disk or the quota is full. Nothing was changed.
	ErrFull = disk.ErrFull
	// ErrDamaged is returned when a file or the database is corrupt.
	ErrDamaged = errors.New("damaged")
	// ErrNewer is returned by Open for a library written by a newer Easel. Open does
	// not change it.
	ErrNewer = errors.New("a newer version of Easel has written the library")
	// ErrLocked is returned by Open when another process has the library open.
	ErrLocked = errors.New("the library is in use")
	// ErrBadCursor is returned for a cursor that does not belong to the query.
	ErrBadCursor = errors.New("not a cursor of this query")
	// ErrInvalid is returned for an argument that cannot be stored, for example an id
	// that is not a valid file name, a rating above 5, or a tag that is too long.
	ErrInvalid = naming.ErrInvalid
	// ErrOutputLimit is returned by AppendOutput when a stream has reached MaxOutput.
	ErrOutputLimit = errors.New("output limit reached")
	// ErrClosed is returned after Close.
	ErrClosed = errors.New("library closed")
)

// Options configure a library.
type Options struct {
	// QuotaBytes limits the total size of the image files; 0: no limit. The oldest
	// images without a rating, tags, note or title are deleted first.
	QuotaBytes int64
	// KeepPerSession is the number of newest images of each open session that the
	// quota does not delete; 0: 20.
	KeepPerSession int
	// Untitled lists the window's name for an image without a title, in each language,
	// with %d for its number. A search finds the image by this name.
	Untitled []string
	// Log receives log records; nil: nothing is logged.
	Log *slog.Logger
	// Report, if not nil, is called for each Damage, also after Open. It must not block
	// or call the library. See also Library.Damage.
	Report func(Damage)

	disk    disk.Disk         // for tests
	now     func() time.Time  // for tests
	migrate func(step string) // for tests: called before each step of a migration
}

// A Library is an open library. Create one with Open.
type Library struct {
	dir  string
	opts Options
	log  *slog.Logger
	disk disk.Disk
	now  func() time.Time
	ids  naming.Source
	lock *flock.Flock

	ro      *sql.DB
	rw      *sql.DB
	w       writer
	journal *journal

	files  sync.RWMutex // read-locked from writing a file until its row is committed; locked to delete files
	used   atomic.Int64 // total size of the image files, in bytes
	quota  atomic.Int64
	output outputs
	thumbs thumbs

	changes feed.Feed

	activities activityIDs
	suspect    atomic.Bool // the database was found to be damaged while in use

	damageMu sync.Mutex
	damage   []Damage

	wake   chan struct{} // capacity 1: there is something to sync
	done   chan struct{} // closed by Close
	ended  sync.WaitGroup
	close  sync.Once
	opened bool // Open has succeeded
}

// A DamageKind is the kind of a Damage.
type DamageKind string

// The kinds of damage.
const (
	DamagedDatabase DamageKind = "database" // set aside and rebuilt
	DamagedJournal  DamageKind = "journal"  // set aside and rebuilt, or damaged lines skipped
	DamagedImage    DamageKind = "image"    // the file is missing or has changed
	LostFile        DamageKind = "lost"     // a file without a row
	QuotaReached    DamageKind = "quota"    // images were deleted to stay within the quota
)

// Damage describes data that is damaged or that the library had to delete.
type Damage struct {
	Kind     DamageKind
	Path     string   // of the damaged file; empty for QuotaReached
	SetAside string   // its new path, if it was set aside
	Detail   string   // what was found and what was done, in English
	Images   []string // ids of the affected images, if there are few
	At       time.Time
}

// Damage returns the damage found at Open and since then, oldest first.
func (l *Library) Damage() []Damage {
	l.damageMu.Lock()
	defer l.damageMu.Unlock()
	return append([]Damage(nil), l.damage...)
}

func (l *Library) report(d Damage) {
	d.At = l.now()
	l.damageMu.Lock()
	l.damage = append(l.damage, d)
	l.damageMu.Unlock()
	l.log.Warn("library", "kind", string(d.Kind), "path", d.Path, "set_aside", d.SetAside, "detail", d.Detail)
	if l.opts.Report != nil {
		l.opts.Report(d)
	}
}

// Dir returns the library's directory.
func (l *Library) Dir() string { return l.dir }

// Usage returns the total size of the image files and the quota (0: none), in bytes.
func (l *Library) Usage() (used, quota int64) { return l.used.Load(), l.quota.Load() }

// SetQuota changes the quota, in bytes (0: no limit), from the next image on.
func (l *Library) SetQuota(bytes int64) { l.quota.Store(bytes) }

// Close syncs everything to the disk and closes the library. Later calls fail.
func (l *Library) Close() error {
	var err error
	l.close.Do(func() {
		close(l.done)
		l.ended.Wait()
		err = l.shut()
	})
	return err
}

// shut closes the files of a library, also if Open failed halfway.
func (l *Library) shut() error {
	var errs []error
	l.w.mu.Lock()
	defer l.w.mu.Unlock()
	if l.journal != nil {
		errs = append(errs, l.journal.close())
	}
	if l.ro != nil {
		errs = append(errs, l.ro.Close())
	}
	errs = append(errs, l.w.close())
	if l.rw != nil {
		errs = append(errs, l.rw.Close())
	}
	if err := errors.Join(errs...); err == nil && l.opened && !l.suspect.Load() {
		errs = append(errs, l.sealDatabase())
	}
	if l.lock != nil {
		errs = append(errs, l.lock.Close())
	}
	return errors.Join(errs...)
}

// syncDelay is the time between a write and the sync of the journal and the database.
const syncDelay = time.Second

// keepHouse syncs and maintains the library until Close.
func (l *Library) keepHouse() {
	if err := l.maintainJournal(context.Background()); err != nil {
		l.log.Warn("library: journal", "err", err)
	}
	l.nudge() // some words may not be indexed yet, and some frames not counted
	for {
		select {
		case <-l.wake:
		case <-l.done:
			return
		}
		t := time.NewTimer(syncDelay)
		select {
		case <-t.C:
		case <-l.done:
			t.Stop()
			return
		}
		if err := l.sync(context.Background()); err != nil {
			l.log.Warn("library: not brought to the disk", "err", err)
		}
		if err := l.indexWords(context.Background()); err != nil {
			l.log.Warn("library: words not indexed", "err", err)
		}
		if err := l.countFrames(context.Background()); err != nil {
			l.log.Warn("library: frames not counted", "err", err)
		}
	}
}

// checkpointAfter is the size of the write-ahead log, in bytes, from which it is copied
// into the database.
const checkpointAfter = 4 << 20

// sync syncs the journal, then the database, so that the database on the disk never has
// a change that the journal lacks.
func (l *Library) sync(ctx context.Context) error {
	l.w.mu.Lock()
	err := l.journal.sync()
	l.w.mu.Unlock()
	if err != nil {
		return err
	}
	info, err := os.Stat(l.path(databaseFile) + "-wal")
	if err != nil || info.Size() < checkpointAfter {
		return nil //nolint:nilerr // no log: nothing to copy
	}
	var busy, pages, copied int
	if err := l.ro.QueryRowContext(ctx, "pragma wal_checkpoint(passive)").Scan(&busy, &pages, &copied); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	return nil
}

func (l *Library) nudge() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

func (l *Library) path(parts ...string) string {
	return filepath.Join(append([]string{l.dir}, parts...)...)
}

// writer writes files within the library.
func (l *Library) writer() disk.Writer { return disk.Writer{Disk: l.disk, Temp: l.path(tempDir)} }

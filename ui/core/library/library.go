// Package library keeps what must outlive a run of Easel: images, the code and
// output that made them, ratings, tags, sessions and a log of calls.
//
// # What lies on disk
//
//	library.jsonl   the journal: every fact, one line each, with a checksum
//	library.db      the same facts in SQLite, indexed: made from the journal
//	library.seal    what the database looked like when it was last closed
//	images/         the images, named by the hash of their bytes, never rewritten
//	output/         what executions printed, one file for each stream
//	thumbs/ tmp/    may be deleted at any time
//	lost/ damaged/  files that nobody knows; what was found broken, set aside
//
// A change is written to the journal, then to the database, then acknowledged.
// Each transaction of the database notes how much of the journal it holds, so what
// the database lacks (Easel died in between, the machine lost power) is read from
// the journal at the next Open, and a database that is damaged or gone is made
// anew from the first line. Live changes and replayed ones take the same path
// (record.go), so they cannot come out differently.
//
// # What an acknowledgement means
//
// When a method has returned nil, what it did survives the death of the process.
// Images, ratings, tags, titles and notes survive a loss of power too: their files
// and the journal are on the disk (fsync). Executions and sessions do after about a
// second, output when the system writes it. The log of calls (activities) is in the
// database only.
//
// # Goroutines
//
// All methods may be called on any goroutine. Writers take turns at one connection
// of the database; readers have a small pool and see a consistent state, at least
// as new as the last write that was acknowledged. One goroutine, which ends in
// Close, brings journal and database to the disk when things have calmed down.
// A write that has begun is finished whatever becomes of its context.
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
)

// Errors of this package, for errors.Is.
var (
	// ErrNotFound is returned for an id or URI that the library does not know.
	ErrNotFound = errors.New("not in the library")
	// ErrFull is returned when the disk or the quota is full. Nothing was changed.
	ErrFull = errors.New("no room left for the library")
	// ErrDamaged is returned when a file or the database is not as it was written.
	ErrDamaged = errors.New("damaged")
	// ErrNewer is returned by Open for a library that a newer Easel has written. It
	// was not touched.
	ErrNewer = errors.New("the library was written by a newer version")
	// ErrLocked is returned by Open when another process has the library open.
	ErrLocked = errors.New("the library is in use")
	// ErrBadCursor is returned for a cursor that is not one of this query's.
	ErrBadCursor = errors.New("not a cursor of this query")
	// ErrInvalid is returned for an argument that cannot be kept: an id that is no
	// file name, a rating beyond 5, too long a tag.
	ErrInvalid = errors.New("invalid")
	// ErrOutputLimit is returned by AppendOutput when a stream has MaxOutput bytes.
	ErrOutputLimit = errors.New("output limit reached")
	// ErrClosed is returned after Close.
	ErrClosed = errors.New("library closed")
)

// Options of a library.
type Options struct {
	// QuotaBytes is what the image files may take; 0: no limit. The oldest images
	// without rating, tags, note or title of the user's go first.
	QuotaBytes int64
	// KeepPerSession is how many of the newest images of a session that has not
	// ended are kept from the quota; 0: 20.
	KeepPerSession int
	// Untitled is what the window calls an image without a title, in each of its
	// languages, with %d for its number: a search finds it by that.
	Untitled []string
	// Log gets what is found and done; nil: nothing is logged.
	Log *slog.Logger
	// Report is called for each Damage, also for one found after Open. It must not
	// block or call the library; nil: see Library.Damage.
	Report func(Damage)

	disk disk             // for tests: a disk that fails
	now  func() time.Time // for tests
}

// A Library is an open library. Make one with Open.
type Library struct {
	dir  string
	opts Options
	log  *slog.Logger
	disk disk
	now  func() time.Time
	ids  idSource
	lock *flock.Flock

	ro      *sql.DB
	rw      *sql.DB
	w       writer
	journal *journal

	files  sync.RWMutex // read-held from writing a file until its row is committed; held to delete files
	used   atomic.Int64 // bytes of all image files
	quota  atomic.Int64
	output outputs
	thumbs thumbs

	activities activityIDs
	suspect    atomic.Bool // the database was found damaged while in use

	damageMu sync.Mutex
	damage   []Damage

	wake   chan struct{} // cap 1: there is something to bring to the disk
	done   chan struct{} // closed by Close
	ended  sync.WaitGroup
	close  sync.Once
	opened bool // Open has succeeded
}

// A DamageKind says what was found.
type DamageKind string

// The kinds of damage.
const (
	DamagedDatabase DamageKind = "database" // set aside and made anew
	DamagedJournal  DamageKind = "journal"  // set aside and made anew, or lines of it skipped
	DamagedImage    DamageKind = "image"    // the file is missing or not what was written
	LostFile        DamageKind = "lost"     // a file that nobody knows
	QuotaReached    DamageKind = "quota"    // images were removed to stay within the quota
)

// Damage is something that was found broken, or that the library had to give up.
type Damage struct {
	Kind     DamageKind
	Path     string   // the file concerned; empty for QuotaReached
	SetAside string   // where it lies now, if it was set aside
	Detail   string   // what is wrong and what was done, in English
	Images   []string // ids of the images concerned, if few
	At       time.Time
}

// Damage is what was found broken at Open and since, oldest first.
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

// Dir is the library's directory.
func (l *Library) Dir() string { return l.dir }

// Usage is how many bytes the image files take, and the quota (0: none).
func (l *Library) Usage() (used, quota int64) { return l.used.Load(), l.quota.Load() }

// SetQuota changes the quota; it takes effect with the next image. 0: no limit.
func (l *Library) SetQuota(bytes int64) { l.quota.Store(bytes) }

// Close brings everything to the disk and closes the library. Calls after it fail.
func (l *Library) Close() error {
	var err error
	l.close.Do(func() {
		close(l.done)
		l.ended.Wait()
		err = l.shut()
	})
	return err
}

// shut closes what is open of a library, also of one that Open gave up on.
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

// syncDelay is how long after a write the library waits before it brings journal and
// database to the disk.
const syncDelay = time.Second

// keepHouse runs until Close.
func (l *Library) keepHouse() {
	if err := l.maintainJournal(context.Background()); err != nil {
		l.log.Warn("library: journal", "err", err)
	}
	l.nudge() // words may be left to index
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
	}
}

// checkpointAfter is the size of the write-ahead log, in bytes, from which it is
// worth copying into the database.
const checkpointAfter = 4 << 20

// sync brings journal and database to the disk: the journal first, so that the
// database on the disk never holds what the journal lacks.
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

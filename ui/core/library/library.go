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
// # Rooms
//
// A Library is reached through its rooms: Images, Annotations, Questions, Checks, Executions,
// Sessions, Activities and Output. They lie on each other like this, and none uses what is above it:
//
//	library.go                                    puts the rooms together
//	checks.go, trash.go, quota.go, repair.go      what has to know several of them
//	add.go, drawn.go, query.go, image.go, …       images; beside them executions, sessions, questions
//	open.go, store.go, writer.go, record.go, …    the store: journal, database, migration, the facts
//	output, thumbnails, search, feed              packages of their own
//	disk, naming
//
// # Goroutines
//
// All methods are safe for concurrent use. Writers share one connection to the database.
// Readers use a small pool and see a consistent state that includes every acknowledged
// write. One goroutine syncs the journal and the database after a pause in writing, two
// make thumbnails; Close ends them. A write that has begun is completed even if its context is canceled.
package library

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"easel/ui/core/library/disk"
	"easel/ui/core/library/naming"
	"easel/ui/core/library/output"
	"easel/ui/core/library/thumbnails"
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

	// Disk writes the files; nil: the disk of this machine. Tests give one that fails or is fast.
	Disk disk.Disk
	// Now is the clock; nil: time.Now.
	Now func() time.Time
	// NewID returns the id of a new image or question; nil: a [naming.Source]. Ids must be valid in
	// file names, and each greater than those before.
	NewID func(now time.Time) string

	upkeep      time.Duration     // for tests: when it looks after its files; 0: upkeepAfter
	migrate     func(step string) // for tests: called before each step of a migration
	mostFigures int64             // for tests: how many bytes all stored figures may have
}

// A Library is an open library. Create one with Open. Its rooms are its fields.
type Library struct {
	Images      *Images
	Annotations *Annotations
	Questions   *Questions
	Checks      *Checks
	Executions  *Executions
	Sessions    *Sessions
	Activities  *Activities
	Output      *output.Files

	s       *store
	repair  repairer
	ended   sync.WaitGroup
	close   sync.Once
	checked chan struct{} // closed when the files were compared with the database, or will not be
}

// Open opens the library in a directory, which it creates if necessary. It sets damaged
// files aside, rebuilds what it can, and reports both as Damage. The errors are ErrNewer,
// ErrLocked, ErrFull, and those of the file system.
func Open(ctx context.Context, dir string, o Options) (*Library, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	l := newLibrary(dir, o)
	err = l.open(ctx)
	if isDamage(err) {
		// Because of the seal, the first attempt skipped the check. The seal is broken
		// now, so the second attempt checks the database.
		l.s.log.WarnContext(ctx, "library: opened once more", "err", err)
		_ = l.s.shut() // it is damaged
		l = newLibrary(dir, o)
		err = l.open(ctx)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open the library: %w", asFull(err)), l.s.shut())
	}
	l.s.opened = true
	l.ended.Go(l.checkFiles)
	l.ended.Go(l.keepHouse)
	l.ended.Go(func() { l.Images.thumbs.Run(l.s.done) })
	return l, nil
}

// newLibrary puts the rooms of a library together.
func newLibrary(dir string, o Options) *Library {
	s := newStore(dir, o)
	t := thumbnails.New(thumbnails.Options{
		Dir: s.path(thumbsDir), Temp: s.path(tempDir), Images: s.files.mu.RLocker(), Now: s.now,
		Log: s.log,
	})
	s.files.forget = t.Forget
	images := &Images{s: s, queries: translator{s.sessionSeq, s.sessionsCalled, s.now, s.opts.Untitled}, thumbs: t}
	return &Library{
		Images: images, Annotations: &Annotations{s: s}, Questions: &Questions{s: s}, Checks: &Checks{s: s, images: images},
		Executions: &Executions{s: s}, Sessions: &Sessions{s: s}, Activities: &Activities{s: s}, Output: s.output, s: s,
		repair: repairer{s, images.Add}, checked: make(chan struct{}),
	}
}

func (l *Library) open(ctx context.Context) error {
	whole, err := l.s.open(ctx)
	if err != nil {
		return err
	}
	if err := l.repair.countBytes(ctx); err != nil {
		return err
	}
	if !whole { // otherwise the files are checked later
		if err := l.repair.recoverFiles(ctx); err != nil {
			return err
		}
	}
	return l.Activities.start(ctx)
}

// Damage returns the damage found at Open and since then, oldest first.
func (l *Library) Damage() []Damage {
	l.s.damageMu.Lock()
	defer l.s.damageMu.Unlock()
	return append([]Damage(nil), l.s.damage...)
}

// Dir returns the library's directory.
func (l *Library) Dir() string { return l.s.dir }

// SetQuota changes the quota, in bytes (0: no limit), from the next image on.
func (l *Library) SetQuota(bytes int64) { l.s.files.quota.Store(bytes) }

// Close syncs everything to the disk and closes the library. Later calls fail.
func (l *Library) Close() error {
	var err error
	l.close.Do(func() {
		close(l.s.done)
		l.ended.Wait()
		err = l.s.shut()
	})
	return err
}

// syncDelay is the time between a write and the sync of the journal and the database.
const syncDelay = time.Second

// upkeepAfter is when after Open the files and the journal are checked. Until then, the user waits for the first plots,
// which need the disk and the processors.
const upkeepAfter = 3 * time.Second

// checkFiles checks the files once, or until Close.
func (l *Library) checkFiles() {
	defer close(l.checked)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() { // ends with this method
		select {
		case <-l.s.done:
			cancel()
		case <-ctx.Done():
		}
	}()
	select {
	case <-time.After(cmp.Or(l.s.opts.upkeep, upkeepAfter)):
	case <-ctx.Done():
		return
	}
	if err := l.repair.checkFiles(ctx); err != nil && ctx.Err() == nil {
		l.s.log.Warn("library: files not checked", "err", err)
	}
}

// keepHouse syncs and maintains the library until Close.
func (l *Library) keepHouse() {
	l.s.wake.Notify() // some words may not be indexed yet, and some frames not counted
	checked := l.checked
	for {
		select {
		case <-l.s.wake:
		case <-checked:
			checked = nil
			if err := l.s.maintainJournal(context.Background()); err != nil {
				l.s.log.Warn("library: journal", "err", err)
			}
			continue
		case <-l.s.done:
			return
		}
		t := time.NewTimer(syncDelay)
		select {
		case <-t.C:
		case <-l.s.done:
			t.Stop()
			return
		}
		if err := l.s.sync(context.Background()); err != nil {
			l.s.log.Warn("library: not brought to the disk", "err", err)
		}
		if err := l.Executions.indexWords(context.Background()); err != nil {
			l.s.log.Warn("library: words not indexed", "err", err)
		}
		if err := l.Images.countFrames(context.Background()); err != nil {
			l.s.log.Warn("library: frames not counted", "err", err)
		}
	}
}

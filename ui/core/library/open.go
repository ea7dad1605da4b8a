package library

import (
	"context"
	"database/sql"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"
	_ "modernc.org/sqlite" // the driver

	"easel/internal/system"
	"easel/ui/core/library/disk"
)

// Names of files in the library's directory.
const (
	journalFile  = "library.jsonl"
	databaseFile = "library.db"
	lockFile     = "library.lock"
	sealFile     = "library.seal"
	imagesDir    = "images"
	outputDir    = "output"
	thumbsDir    = "thumbs"
	tempDir      = "tmp"
	lostDir      = "lost"
	damagedDir   = "damaged"
	previousDir  = "previous"
)

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
		l.log.WarnContext(ctx, "library: opened once more", "err", err)
		_ = l.shut() // it is damaged
		l = newLibrary(dir, o)
		err = l.open(ctx)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open the library: %w", asFull(err)), l.shut())
	}
	l.opened = true
	l.ended.Go(l.keepHouse)
	l.ended.Go(l.keepThumbs)
	l.ended.Go(l.runPregeneration)
	return l, nil
}

func newLibrary(dir string, o Options) *Library {
	l := &Library{
		dir: dir, opts: o, log: o.Log, disk: o.disk, now: o.now,
		wake: make(chan struct{}, 1), done: make(chan struct{}),
	}
	if l.log == nil {
		l.log = slog.New(slog.DiscardHandler)
	}
	if l.disk == nil {
		l.disk = disk.Real{}
	}
	if l.now == nil {
		l.now = time.Now
	}
	l.quota.Store(o.QuotaBytes)
	l.thumbs.init()
	return l
}

func (l *Library) open(ctx context.Context) error {
	for _, d := range []string{imagesDir, outputDir, thumbsDir, tempDir} {
		if err := os.MkdirAll(l.path(d), 0o700); err != nil {
			return err
		}
	}
	l.lock = flock.New(l.path(lockFile))
	if ok, err := l.lock.TryLock(); err != nil || !ok {
		return errors.Join(ErrLocked, err)
	}
	if err := l.refuseNewer(); err != nil {
		return err
	}
	l.sweepTemp()
	var err error
	if l.journal, err = openJournal(l.disk, l.path(journalFile)); err != nil {
		return err
	}
	if err := l.openDatabase(ctx); err != nil {
		return err
	}
	whole, err := l.catchUp(ctx)
	if err != nil {
		return err
	}
	if l.ro, err = openPool(l.path(databaseFile)); err != nil {
		return err
	}
	var newest string
	if err := l.ro.QueryRowContext(ctx, `select coalesce(max(id), '') from images`).Scan(&newest); err != nil {
		return err
	}
	l.ids.StartAfter(newest, l.now())
	if err := l.checkFiles(ctx, whole); err != nil {
		return err
	}
	return l.startActivities(ctx)
}

// CheckVersion returns ErrNewer if a newer Easel has written the library in a directory. It changes
// nothing, and the library may be open.
func CheckVersion(dir string) error { return newLibrary(dir, Options{}).refuseNewer() }

// refuseNewer returns ErrNewer if a newer Easel has written the library. It does not open
// the database, because that could change it.
func (l *Library) refuseNewer() error {
	info, err := os.Stat(l.path(databaseFile))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return fmt.Errorf("%s: %w", l.path(databaseFile), system.ErrNotRegular) // opening a pipe could wait for good
	}
	if err != nil {
		return err
	}
	f, err := os.Open(l.path(databaseFile))
	if err != nil {
		return err
	}
	header := make([]byte, 64) // user_version is at offset 60
	_, err = io.ReadFull(f, header)
	if err := errors.Join(f.Close()); err != nil {
		return err
	}
	if err != nil || !strings.HasPrefix(string(header), "SQLite format 3\x00") {
		return nil //nolint:nilerr // not a database: openDatabase sets it aside
	}
	if v := binary.BigEndian.Uint32(header[60:]); v < 1<<16 { // else it is damaged
		return refuseSchema(int(v))
	}
	return nil
}

// sweepTemp removes temporary files that a crash left.
func (l *Library) sweepTemp() {
	left, err := os.ReadDir(l.path(tempDir))
	if err != nil {
		l.log.Warn("library: temporary files", "err", err)
		return
	}
	for _, e := range left {
		_ = os.RemoveAll(l.path(tempDir, e.Name()))
	}
}

// openDatabase opens the database for writing. It sets a damaged database aside and
// creates an empty one.
func (l *Library) openDatabase(ctx context.Context) error {
	path := l.path(databaseFile)
	info, err := os.Stat(path)
	missing := err != nil || info.Size() == 0
	err = l.tryDatabase(ctx, path)
	if err == nil && missing && l.journal.size > int64(len(journalFirst))+16 {
		l.report(Damage{
			Kind: DamagedDatabase, Path: path,
			Detail: "the database was missing; it was made anew from the journal",
		})
	}
	if err == nil || !isDamage(err) {
		return err
	}
	if err := errors.Join(l.w.close(), l.rw.Close()); err != nil {
		l.log.DebugContext(ctx, "library: close the damaged database", "err", err)
	}
	aside, asideErr := l.setAside(databaseFile, databaseFile+"-wal", databaseFile+"-shm")
	if asideErr != nil {
		return errors.Join(err, asideErr)
	}
	l.report(Damage{
		Kind: DamagedDatabase, Path: path, SetAside: aside,
		Detail: fmt.Sprintf("the database was damaged (%v); it was made anew from the journal", err),
	})
	return l.tryDatabase(ctx, path)
}

func (l *Library) tryDatabase(ctx context.Context, path string) error {
	sealed := l.sealed(path) // before opening changes the file
	onlyOurs(path)
	db, err := sql.Open("sqlite", dsn(path, "cache_size(-2000)"))
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(1)
	l.rw = db
	c, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	l.w.conn, l.w.stmts = c, make(map[string]*sql.Stmt)
	if sealed {
		return l.migrate(ctx, c)
	}
	var verdict string
	if err := c.QueryRowContext(ctx, "pragma quick_check(1)").Scan(&verdict); err != nil {
		return err
	}
	if verdict != "ok" {
		return fmt.Errorf("%w: %s", ErrDamaged, verdict)
	}
	return l.migrate(ctx, c)
}

// onlyOurs makes the database readable by its user only, whatever the umask. SQLite
// gives its log the mode of the database. Errors are ignored here, because SQLite
// reports them.
func onlyOurs(path string) {
	if f, err := os.OpenFile(path, os.O_RDONLY|os.O_CREATE, 0o600); err == nil {
		_ = f.Close()
	}
	for _, name := range []string{path, path + "-wal", path + "-shm"} {
		_ = os.Chmod(name, 0o600) // written by an earlier version
	}
}

// seal describes the database file.
func seal(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if wal, err := os.Stat(path + "-wal"); err == nil && wal.Size() > 0 {
		return "", fmt.Errorf("%s is in use", filepath.Base(path))
	}
	return fmt.Sprintf("%d bytes, %d\n", info.Size(), info.ModTime().UnixNano()), nil
}

// sealDatabase stores the size and time of the closed database, so that the next Open
// need not read all of it to check it, which takes 0.5 s for 10,000 images.
func (l *Library) sealDatabase() error {
	s, err := seal(l.path(databaseFile))
	if err != nil {
		return nil //nolint:nilerr // then the next Open checks the database
	}
	return os.WriteFile(l.path(sealFile), []byte(s), 0o600)
}

// sealed reports whether the database is unchanged since sealDatabase, and breaks the
// seal.
func (l *Library) sealed(path string) bool {
	was, err := system.ReadRegular(l.path(sealFile), 4096)
	if err != nil || os.Remove(l.path(sealFile)) != nil {
		return false
	}
	now, err := seal(path)
	return err == nil && string(was) == now
}

// openPool opens the connections for reading.
func openPool(path string) (*sql.DB, error) {
	db, err := sql.Open("sqlite", dsn(path, "cache_size(-1000)", "query_only(1)"))
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(4)
	db.SetMaxIdleConns(2)
	db.SetConnMaxIdleTime(time.Minute)
	return db, nil
}

// dsn returns the data source name with the settings of each connection. The journal
// survives a power failure, so the database need not wait for the disk (normal).
// keepHouse checkpoints its log; the writer does so only if keepHouse falls behind.
func dsn(path string, pragmas ...string) string {
	q := url.Values{"_pragma": append([]string{
		"busy_timeout(10000)", "journal_mode(wal)", "synchronous(normal)", "wal_autocheckpoint(8000)", "temp_store(memory)",
	}, pragmas...)}
	u := url.URL{Scheme: "file", OmitHost: true, Path: filepath.ToSlash(path), RawQuery: q.Encode()}
	return u.String()
}

func isDamage(err error) bool { return errors.Is(asFull(err), ErrDamaged) }

// setAside moves files to the directory of damaged files, with the time in their names,
// and returns the new path of the first.
func (l *Library) setAside(names ...string) (string, error) {
	if err := os.MkdirAll(l.path(damagedDir), 0o700); err != nil {
		return "", err
	}
	stamp := l.now().UTC().Format("20060102T150405.000Z")
	for _, n := range names {
		err := system.Rename(l.path(n), l.path(damagedDir, stamp+"-"+n))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return "", err
		}
	}
	return l.path(damagedDir, stamp+"-"+names[0]), nil
}

// catchUp applies to the database what only the journal has. It reports whether the
// journal and the database together have every acknowledged change.
func (l *Library) catchUp(ctx context.Context) (whole bool, err error) {
	var at place
	err = l.w.conn.QueryRowContext(ctx, `select last_start, last_end, last_sum from journal_state`).Scan(&at.start, &at.end, &at.sum)
	if err != nil {
		return false, err
	}
	if l.journal.torn > 0 {
		l.log.InfoContext(ctx, "library: an unfinished line of the journal was cut off", "bytes", l.journal.torn)
	}
	known := l.journal.holds(at)
	if !known {
		at = place{} // not the journal that this database was built from: merge the two
	}
	bad, err := l.replay(ctx, at.end)
	if err != nil {
		return false, err
	}
	if known && bad == 0 {
		return !l.journal.made, nil
	}
	return false, l.renewJournal(ctx, known, bad)
}

// renewJournal rewrites the journal from the database, after replaying its readable
// lines.
func (l *Library) renewJournal(ctx context.Context, known bool, bad int) error {
	why := "it was not the one that the database was made from"
	if known {
		why = fmt.Sprintf("%d of its lines were damaged", bad)
	}
	if err := l.journal.close(); err != nil {
		return err
	}
	aside, err := l.setAside(journalFile)
	if err != nil {
		return err
	}
	l.report(Damage{
		Kind: DamagedJournal, Path: l.path(journalFile), SetAside: aside,
		Detail: "the journal was set aside, since " + why + "; it was written anew from the database and what could be read",
	})
	return l.rewriteJournal(ctx)
}

// replayChunk is the number of lines that a replay applies in one transaction.
const replayChunk = 2000

// replay applies the journal's lines from an offset on to the database.
func (l *Library) replay(ctx context.Context, from int64) (bad int, err error) {
	l.w.mu.Lock()
	defer l.w.mu.Unlock()
	t := &tx{l: l, ctx: ctx}
	var last place
	n := 0
	commit := func() error {
		if n == 0 {
			return nil
		}
		n = 0
		if err := t.checkpoint(last); err != nil {
			return err
		}
		_, err := t.exec("commit")
		return err
	}
	damaged, err := l.journal.read(from, func(payload []byte, p place) error {
		var r record
		if err := json.Unmarshal(payload, &r); err != nil {
			bad++      // the checksum is correct, so another program wrote it
			return nil //nolint:nilerr // counted
		}
		if n == 0 {
			if _, err := t.exec("begin immediate"); err != nil {
				return err
			}
		}
		n, last = n+1, p
		err := t.apply(r)
		if errors.Is(err, ErrInvalid) {
			bad++
			return nil
		}
		if err != nil {
			return fmt.Errorf("replay the journal at %d: %w", p.start, err)
		}
		if n >= replayChunk {
			return commit()
		}
		return nil
	})
	if err == nil {
		err = commit()
	}
	if err != nil && n > 0 {
		_, _ = l.w.conn.ExecContext(ctx, "rollback")
	}
	return bad + damaged, err
}

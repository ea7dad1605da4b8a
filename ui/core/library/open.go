package library

import (
	"cmp"
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
	"easel/internal/wake"
	"easel/ui/core/library/disk"
	"easel/ui/core/library/output"
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

func newStore(dir string, o Options) *store {
	s := &store{
		dir: dir, opts: o, log: o.Log, disk: o.Disk, now: o.Now, newID: o.NewID,
		wake: wake.New(), done: make(chan struct{}),
	}
	s.log = cmp.Or(s.log, slog.New(slog.DiscardHandler))
	if s.disk == nil {
		s.disk = disk.Real{}
	}
	if s.now == nil {
		s.now = time.Now
	}
	if s.newID == nil {
		s.newID = s.ids.Next
	}
	s.files = &imageFiles{dir: dir, writer: s.writer(), log: s.log}
	s.files.quota.Store(o.QuotaBytes)
	s.output = output.New(s.path(outputDir), s.writer())
	return s
}

// open opens the journal and the database, and makes the one complete by the other. It reports
// whether together they have every acknowledged change.
func (s *store) open(ctx context.Context) (whole bool, err error) {
	for _, d := range []string{imagesDir, outputDir, thumbsDir, tempDir} {
		if err := os.MkdirAll(s.path(d), 0o700); err != nil {
			return false, err
		}
	}
	s.lock = flock.New(s.path(lockFile))
	if ok, err := s.lock.TryLock(); err != nil || !ok {
		return false, errors.Join(ErrLocked, err)
	}
	if err := s.refuseNewer(); err != nil {
		return false, err
	}
	s.sweepTemp()
	if s.journal, err = openJournal(s.disk, s.path(journalFile)); err != nil {
		return false, err
	}
	if err := s.openDatabase(ctx); err != nil {
		return false, err
	}
	if whole, err = s.catchUp(ctx); err != nil {
		return false, err
	}
	if s.ro, err = openPool(s.path(databaseFile)); err != nil {
		return false, err
	}
	var newest string
	if err := s.ro.QueryRowContext(ctx, `select coalesce(max(id), '') from images`).Scan(&newest); err != nil {
		return false, err
	}
	s.ids.StartAfter(newest, s.now())
	return whole, nil
}

// CheckVersion returns ErrNewer if a newer Easel has written the library in a directory. It changes
// nothing, and the library may be open.
func CheckVersion(dir string) error { return newStore(dir, Options{}).refuseNewer() }

// refuseNewer returns ErrNewer if a newer Easel has written the library. It does not open
// the database, because that could change it.
func (s *store) refuseNewer() error {
	info, err := os.Stat(s.path(databaseFile))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return fmt.Errorf("%s: %w", s.path(databaseFile), system.ErrNotRegular) // opening a pipe could wait for good
	}
	if err != nil {
		return err
	}
	f, err := os.Open(s.path(databaseFile))
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
func (s *store) sweepTemp() {
	left, err := os.ReadDir(s.path(tempDir))
	if err != nil {
		s.log.Warn("library: temporary files", "err", err)
		return
	}
	for _, e := range left {
		_ = os.RemoveAll(s.path(tempDir, e.Name()))
	}
}

// openDatabase opens the database for writing. It sets a damaged database aside and
// creates an empty one.
func (s *store) openDatabase(ctx context.Context) error {
	path := s.path(databaseFile)
	info, err := os.Stat(path)
	missing := err != nil || info.Size() == 0
	err = s.tryDatabase(ctx, path)
	if err == nil && missing && s.journal.size > int64(len(journalFirst))+16 {
		s.report(Damage{
			Kind: DamagedDatabase, Path: path,
			Detail: "the database was missing; it was made anew from the journal",
		})
	}
	if err == nil || !isDamage(err) {
		return err
	}
	if err := errors.Join(s.w.close(), s.rw.Close()); err != nil {
		s.log.DebugContext(ctx, "library: close the damaged database", "err", err)
	}
	aside, asideErr := s.setAside(databaseFile, databaseFile+"-wal", databaseFile+"-shm")
	if asideErr != nil {
		return errors.Join(err, asideErr)
	}
	s.report(Damage{
		Kind: DamagedDatabase, Path: path, SetAside: aside,
		Detail: fmt.Sprintf("the database was damaged (%v); it was made anew from the journal", err),
	})
	return s.tryDatabase(ctx, path)
}

func (s *store) tryDatabase(ctx context.Context, path string) error {
	sealed := s.sealed(path) // before opening changes the file
	onlyOurs(path)
	db, err := sql.Open("sqlite", dsn(path, "cache_size(-2000)"))
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(1)
	s.rw = db
	c, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	s.w.conn, s.w.stmts = c, make(map[string]*sql.Stmt)
	if sealed {
		return s.migrate(ctx, c)
	}
	var verdict string
	if err := c.QueryRowContext(ctx, "pragma quick_check(1)").Scan(&verdict); err != nil {
		return err
	}
	if verdict != "ok" {
		return fmt.Errorf("%w: %s", ErrDamaged, verdict)
	}
	return s.migrate(ctx, c)
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
func (s *store) sealDatabase() error {
	was, err := seal(s.path(databaseFile))
	if err != nil {
		return nil //nolint:nilerr // then the next Open checks the database
	}
	return os.WriteFile(s.path(sealFile), []byte(was), 0o600)
}

// sealed reports whether the database is unchanged since sealDatabase, and breaks the
// seal.
func (s *store) sealed(path string) bool {
	was, err := system.ReadRegular(s.path(sealFile), 4096)
	if err != nil || os.Remove(s.path(sealFile)) != nil {
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
func (s *store) setAside(names ...string) (string, error) {
	if err := os.MkdirAll(s.path(damagedDir), 0o700); err != nil {
		return "", err
	}
	stamp := s.now().UTC().Format("20060102T150405.000Z")
	for _, n := range names {
		err := system.Rename(s.path(n), s.path(damagedDir, stamp+"-"+n))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return "", err
		}
	}
	return s.path(damagedDir, stamp+"-"+names[0]), nil
}

// catchUp applies to the database what only the journal has. It reports whether the
// journal and the database together have every acknowledged change.
func (s *store) catchUp(ctx context.Context) (whole bool, err error) {
	var at place
	err = s.w.conn.QueryRowContext(ctx, `select last_start, last_end, last_sum from journal_state`).Scan(&at.start, &at.end, &at.sum)
	if err != nil {
		return false, err
	}
	known := s.journal.holds(at)
	if !known {
		at = place{} // not the journal that this database was built from: merge the two
	}
	bad, err := s.replay(ctx, at.end)
	if err != nil {
		return false, err
	}
	if known && bad == 0 {
		return !s.journal.made, nil
	}
	return false, s.renewJournal(ctx, known, bad)
}

// renewJournal rewrites the journal from the database, after replaying its readable
// lines.
func (s *store) renewJournal(ctx context.Context, known bool, bad int) error {
	why := "it was not the one that the database was made from"
	if known {
		why = fmt.Sprintf("%d of its lines were damaged", bad)
	}
	if err := s.journal.close(); err != nil {
		return err
	}
	aside, err := s.setAside(journalFile)
	if err != nil {
		return err
	}
	s.report(Damage{
		Kind: DamagedJournal, Path: s.path(journalFile), SetAside: aside,
		Detail: "the journal was set aside, since " + why + "; it was written anew from the database and what could be read",
	})
	return s.rewriteJournal(ctx)
}

// replayChunk is the number of lines that a replay applies in one transaction.
const replayChunk = 2000

// replay applies the journal's lines from an offset on to the database.
func (s *store) replay(ctx context.Context, from int64) (bad int, err error) {
	s.w.mu.Lock()
	defer s.w.mu.Unlock()
	t := newTx(ctx, s)
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
	damaged, err := s.journal.read(from, func(payload []byte, p place) error {
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
		_, _ = s.w.conn.ExecContext(ctx, "rollback")
	}
	return bad + damaged, err
}

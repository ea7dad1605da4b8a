package library

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"easel/internal/system"
	"easel/ui/core/library/disk"
)

// A writer is the only connection that changes the database.
type writer struct {
	mu    sync.Mutex // guards all fields and the journal
	conn  *sql.Conn
	stmts map[string]*sql.Stmt // by their text
}

func (w *writer) close() error {
	if w.conn == nil {
		return nil
	}
	var errs []error
	for _, s := range w.stmts {
		errs = append(errs, s.Close())
	}
	errs = append(errs, w.conn.Close())
	w.conn, w.stmts = nil, nil
	return errors.Join(errs...)
}

func (w *writer) stmt(ctx context.Context, query string) (*sql.Stmt, error) {
	if s, ok := w.stmts[query]; ok {
		return s, nil
	}
	if w.conn == nil {
		return nil, ErrClosed
	}
	s, err := w.conn.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	w.stmts[query] = s
	return s, nil
}

func (w *writer) exec(ctx context.Context, query string, args ...any) (sql.Result, error) {
	s, err := w.stmt(ctx, query)
	if err != nil {
		return nil, err
	}
	return s.ExecContext(ctx, args...)
}

// A tx is a transaction of the writer with its lines for the journal.
type tx struct {
	connection
	s        *store
	lines    [][]byte
	sessions map[string]int64 // cached rows of sessions
	garbage  []formRecord     // files to delete after the commit
	used     int64            // bytes of added files minus bytes of garbage
	changes  changeList       // of images; see Library.Changes
}

func newTx(ctx context.Context, s *store) *tx {
	t := &tx{s: s, connection: connection{&s.w, ctx}}
	t.changes = changeList{db: &t.connection, files: s.files, on: s.opened}
	return t
}

// A connection is the writer's, for as long as a transaction has it.
type connection struct {
	w   *writer
	ctx context.Context //nolint:containedctx // a transaction lives within one call
}

func (c *connection) exec(query string, args ...any) (sql.Result, error) {
	return c.w.exec(c.ctx, query, args...)
}

// A scanner is a row or the error of a query.
type scanner interface{ Scan(dest ...any) error }

type noRow struct{ err error }

func (n noRow) Scan(...any) error { return n.err }

func (c *connection) row(query string, args ...any) scanner {
	s, err := c.w.stmt(c.ctx, query)
	if err != nil {
		return noRow{err}
	}
	return s.QueryRowContext(c.ctx, args...)
}

// each calls f for each row of a query.
func (c *connection) each(query string, f func(scanner) error, args ...any) error {
	rows, err := c.w.conn.QueryContext(c.ctx, query, args...)
	if err != nil {
		return err
	}
	return scanAll(rows, f)
}

// there reports whether a query finds a row.
func (c *connection) there(query string, args ...any) (bool, error) {
	var one int
	err := c.row(query, args...).Scan(&one)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

// record applies a record and adds it to the lines for the journal.
func (t *tx) record(r record) error {
	if r.At == 0 {
		r.At = t.s.now().UnixNano()
	}
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if err := t.apply(r); err != nil {
		return err
	}
	t.lines = append(t.lines, line)
	return nil
}

// discard deletes files that no image uses. If Easel dies before, the next Open finds
// them.
func (s *store) discard(ctx context.Context, garbage []formRecord) {
	if len(garbage) == 0 {
		return
	}
	s.files.mu.Lock() // no writer is between writing a file and committing its row
	defer s.files.mu.Unlock()
	for _, f := range garbage {
		var one int
		err := s.ro.QueryRowContext(ctx, `select 1 from files where name = ?`, f.name()).Scan(&one)
		if !errors.Is(err, sql.ErrNoRows) {
			continue // used again, or unknown: keep it
		}
		path := s.files.path(f)
		if err := system.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			s.log.WarnContext(ctx, "library: cannot delete", "path", path, "err", err)
			continue
		}
		s.files.forget(f.Hash)
	}
}

// durability is what an acknowledged write survives.
type durability bool

const (
	survivesDeath     durability = false // of the process
	survivesPowerLoss durability = true
)

// write runs f in a transaction and writes its records to the journal, or does nothing
// and returns an error. It checks the context before it begins, not later.
func (s *store) write(ctx context.Context, d durability, f func(*tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	t := newTx(context.WithoutCancel(ctx), s)
	if err := t.run(d, f); err != nil {
		return s.noticed(err)
	}
	s.files.used.Add(t.used)
	s.discard(t.ctx, t.garbage)
	s.wake.Notify()
	return nil
}

// writeWithFiles writes the files that do not exist yet, then does what write does. A file that
// was broken is whole again.
func (s *store) writeWithFiles(ctx context.Context, files map[string]disk.File, f func(*tx) error) error {
	var missing []disk.File
	var garbage []formRecord
	write := func() error {
		s.files.mu.RLock() // a purge must not delete a file before its row is committed
		defer s.files.mu.RUnlock()
		for _, file := range files {
			if !holdsFile(file) {
				missing = append(missing, file)
			}
		}
		if err := s.writer().WriteFiles(missing...); err != nil {
			return err
		}
		return s.write(ctx, survivesPowerLoss, func(t *tx) error {
			if err := f(t); err != nil {
				return err
			}
			garbage, t.garbage = t.garbage, nil // deleting needs s.files.mu
			for _, file := range missing {
				if _, err := t.exec(`update files set broken = 0 where name = ? and broken <> 0`, filepath.Base(file.Path)); err != nil {
					return err
				}
			}
			return nil
		})
	}
	err := write()
	s.discard(context.WithoutCancel(ctx), garbage)
	return err
}

// hasImage returns ErrNotFound for an image that was deleted while something was made for it.
func (t *tx) hasImage(id string) error {
	var one int
	err := t.row(`select 1 from images where id = ?`, id).Scan(&one)
	if errors.Is(err, sql.ErrNoRows) {
		return fmt.Errorf("%w: it was deleted meanwhile", ErrNotFound)
	}
	return err
}

func (t *tx) run(d durability, f func(*tx) error) error {
	w := &t.s.w
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.conn == nil {
		return ErrClosed
	}
	if _, err := t.exec("begin immediate"); err != nil {
		return err
	}
	if err := t.finish(d, f(t)); err != nil {
		if _, e := w.conn.ExecContext(t.ctx, "rollback"); e != nil {
			t.s.log.Debug("library: rollback", "err", e) // SQLite may have rolled back itself
		}
		return err
	}
	t.s.changes.Append(t.changes.all...)
	return nil
}

// finish appends the transaction's lines to the journal and commits the transaction.
func (t *tx) finish(d durability, err error) error {
	if err != nil {
		return err
	}
	j := t.s.journal
	before := j.size
	if len(t.lines) > 0 {
		p, err := j.append(t.lines, bool(d))
		if err != nil {
			return err
		}
		if err := t.checkpoint(p); err != nil {
			return errors.Join(err, j.cut(before))
		}
	}
	if _, err := t.exec("commit"); err != nil {
		return errors.Join(fmt.Errorf("commit: %w", asFull(err)), j.cut(before))
	}
	return nil
}

// checkpoint stores the position in the journal up to which the database is complete.
func (t *tx) checkpoint(p place) error {
	_, err := t.exec(`update journal_state set last_start = ?, last_end = ?, last_sum = ?`, p.start, p.end, p.sum)
	return err
}

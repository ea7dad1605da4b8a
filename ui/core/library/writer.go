package library

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
)

// A writer is the one connection that changes the database.
type writer struct {
	mu    sync.Mutex // held by the one who writes; guards everything here, and the journal
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

// A tx is one transaction of the writer and the lines of the journal that go with it.
type tx struct {
	l        *Library
	ctx      context.Context //nolint:containedctx // a tx lives within one call
	lines    [][]byte
	sessions map[string]int64 // rows of sessions that were looked up
	garbage  []formRecord     // files to delete once it is committed
	former   string           // of the image that was applied last: see Image.Former
	used     int64            // bytes of files that it adds, less those that it lets go
}

func (t *tx) exec(query string, args ...any) (sql.Result, error) {
	return t.l.w.exec(t.ctx, query, args...)
}

// A scanner is a row, or why there is none.
type scanner interface{ Scan(dest ...any) error }

type noRow struct{ err error }

func (n noRow) Scan(...any) error { return n.err }

func (t *tx) row(query string, args ...any) scanner {
	s, err := t.l.w.stmt(t.ctx, query)
	if err != nil {
		return noRow{err}
	}
	return s.QueryRowContext(t.ctx, args...)
}

// record applies a record and notes it for the journal.
func (t *tx) record(r record) error {
	if r.At == 0 {
		r.At = t.l.now().UnixNano()
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

// durability says what a write survives when it has been acknowledged.
type durability bool

const (
	survivesDeath     durability = false // of the process
	survivesPowerLoss durability = true
)

// write runs f in a transaction: all of it happens, and is in the journal, or
// nothing. A context that is done before it begins prevents it; one that is done
// later does not.
func (l *Library) write(ctx context.Context, d durability, f func(*tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	t := &tx{l: l, ctx: context.WithoutCancel(ctx)}
	if err := t.run(d, f); err != nil {
		return l.noticed(err)
	}
	l.used.Add(t.used)
	l.discard(t.ctx, t.garbage)
	l.nudge()
	return nil
}

func (t *tx) run(d durability, f func(*tx) error) error {
	w := &t.l.w
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
			t.l.log.Debug("library: rollback", "err", e) // SQLite has done it itself
		}
		return err
	}
	return nil
}

// finish puts the transaction's lines in the journal and commits it.
func (t *tx) finish(d durability, err error) error {
	if err != nil {
		return err
	}
	j := t.l.journal
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

// checkpoint notes how much of the journal the database holds.
func (t *tx) checkpoint(p place) error {
	_, err := t.exec(`update journal_state set last_start = ?, last_end = ?, last_sum = ?`, p.start, p.end, p.sum)
	return err
}

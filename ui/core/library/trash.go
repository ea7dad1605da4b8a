package library

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"time"
)

// TrashDays is how long the trash is kept.
const TrashDays = 30

// Trash puts images (ids or URIs) in the trash, each with all versions of its figure: no query shows them but one for the
// trash, and they can be restored. ErrNotFound if one is unknown; none is moved then.
func (l *Library) Trash(ctx context.Context, ids []string) error {
	return l.move(ctx, ids, func(all []string) record { return record{Trash: all} })
}

// Restore takes images out of the trash, with all versions of their figures.
func (l *Library) Restore(ctx context.Context, ids []string) error {
	return l.move(ctx, ids, func(all []string) record { return record{Restore: all} })
}

func (l *Library) move(ctx context.Context, ids []string, how func([]string) record) error {
	plain, err := l.plainIDs(ctx, ids)
	if err != nil || len(plain) == 0 {
		return err
	}
	return l.write(ctx, survivesPowerLoss, func(t *tx) error {
		all, err := t.withVersions(plain)
		if err != nil {
			return err
		}
		return t.record(how(all))
	})
}

// withVersions are images with all versions of their figures that lie where they do.
func (t *tx) withVersions(ids []string) (all []string, err error) {
	s, err := t.l.w.stmt(t.ctx, `select distinct o.id from images i
		join images o on o.figure = i.figure and (o.trashed = 0) = (i.trashed = 0)
		where i.id in (select value from json_each(?))`)
	if err != nil {
		return nil, err
	}
	rows, err := s.QueryContext(t.ctx, list(ids))
	if err != nil {
		return nil, err
	}
	defer rows.Close() //nolint:errcheck // rows.Err tells
	for rows.Next() {
		id, err := scanID(rows)
		if err != nil {
			return nil, err
		}
		all = append(all, id)
	}
	return all, rows.Err()
}

// Delete forgets images (ids or URIs) for good, wherever they are, each with the versions
// of its figure that lie there. ErrNotFound if one
// is unknown; none is deleted then.
func (l *Library) Delete(ctx context.Context, ids []string) error {
	plain, err := l.plainIDs(ctx, ids)
	if err != nil || len(plain) == 0 {
		return err
	}
	return l.move(ctx, plain, func(all []string) record { return record{Purge: all} })
}

// PurgeTrash deletes for good what was put in the trash before a time (usually
// TrashDays ago), and tells how many figures that were.
func (l *Library) PurgeTrash(ctx context.Context, before time.Time) (n int, err error) {
	ids, err := collect(ctx, l, func(row scanner) (id string, err error) {
		var older bool
		err = row.Scan(&id, &older)
		if !older {
			n++
		}
		return id, err
	}, `select id, superseded from images where trashed > 0 and trashed < ?`, before.UnixNano())
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	l.purgeLost(before)
	return n, l.purge(ctx, ids)
}

// purge forgets images and deletes the files that no other image has.
func (l *Library) purge(ctx context.Context, ids []string) error {
	return l.write(ctx, survivesPowerLoss, func(t *tx) error { return t.record(record{Purge: ids}) })
}

// discard deletes files that no image has any more. Should Easel die before, the
// next Open finds them.
func (l *Library) discard(ctx context.Context, garbage []formRecord) {
	if len(garbage) == 0 {
		return
	}
	l.files.Lock() // nobody is between writing a file and committing its row
	defer l.files.Unlock()
	for _, f := range garbage {
		var one int
		err := l.ro.QueryRowContext(ctx, `select 1 from files where name = ?`, f.name()).Scan(&one)
		if !errors.Is(err, sql.ErrNoRows) {
			continue // it came back, or cannot be told: keep it
		}
		path := l.formPath(f)
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			l.log.WarnContext(ctx, "library: cannot delete", "path", path, "err", err)
			continue
		}
		l.thumbs.forget(l, f.Hash)
	}
}

// purgeLost deletes lost files that have lain there since before a time.
func (l *Library) purgeLost(before time.Time) {
	left, err := os.ReadDir(l.path(lostDir))
	if err != nil {
		return // there is none
	}
	for _, e := range left {
		if info, err := e.Info(); err == nil && info.ModTime().Before(before) {
			_ = os.Remove(filepath.Join(l.path(lostDir), e.Name()))
		}
	}
}

package library

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"time"

	"easel/internal/system"
)

// TrashDays is the default number of days that deleted images stay in the trash.
const TrashDays = 30

// Trash moves images (ids or URIs) with all versions of their figures to the trash. Only
// queries for the trash find them there, and Restore restores them. If one is unknown,
// the error is ErrNotFound and none is moved.
func (l *Library) Trash(ctx context.Context, ids []string) error {
	return l.move(ctx, ids, func(all []string) record { return record{Trash: all} })
}

// Restore moves images with all versions of their figures out of the trash.
func (l *Library) Restore(ctx context.Context, ids []string) error {
	return l.move(ctx, ids, func(all []string) record { return record{Restore: all} })
}

func (l *Library) move(ctx context.Context, ids []string, how func([]string) record) error {
	plain, err := l.plainIDs(ctx, ids)
	if err != nil || len(plain) == 0 {
		return err
	}
	return l.write(ctx, survivesPowerLoss, func(t *tx) error { return t.move(plain, how) })
}

// withVersions returns images with all versions of their figures in the same place
// (library or trash).
func (t *tx) withVersions(ids []string) (all []string, err error) {
	err = t.each(`select o.id from json_each(?) t join images i on i.id = t.value
		join images o on o.figure = i.figure and (o.trashed = 0) = (i.trashed = 0)
		group by o.id order by min(t.key), o.id`, func(row scanner) error {
		id, err := scanID(row)
		all = append(all, id)
		return err
	}, list(ids))
	return all, err
}

// Delete permanently deletes images (ids or URIs) from the library or the trash, each with
// the versions of its figure in the same place. If one is unknown, the error is
// ErrNotFound and none is deleted.
func (l *Library) Delete(ctx context.Context, ids []string) error {
	plain, err := l.plainIDs(ctx, ids)
	if err != nil || len(plain) == 0 {
		return err
	}
	return l.move(ctx, plain, func(all []string) record { return record{Purge: all} })
}

// PurgeTrash permanently deletes the images moved to the trash before a time (usually
// TrashDays ago), and returns the number of figures.
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

// purge deletes images and the files that no other image uses.
func (l *Library) purge(ctx context.Context, ids []string) error {
	return l.write(ctx, survivesPowerLoss, func(t *tx) error { return t.record(record{Purge: ids}) })
}

// discard deletes files that no image uses. If Easel dies before, the next Open finds
// them.
func (l *Library) discard(ctx context.Context, garbage []formRecord) {
	if len(garbage) == 0 {
		return
	}
	l.files.Lock() // no writer is between writing a file and committing its row
	defer l.files.Unlock()
	for _, f := range garbage {
		var one int
		err := l.ro.QueryRowContext(ctx, `select 1 from files where name = ?`, f.name()).Scan(&one)
		if !errors.Is(err, sql.ErrNoRows) {
			continue // used again, or unknown: keep it
		}
		path := l.formPath(f)
		if err := system.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			l.log.WarnContext(ctx, "library: cannot delete", "path", path, "err", err)
			continue
		}
		l.thumbs.forget(l, f.Hash)
	}
}

// purgeLost deletes lost files that were moved there before a time.
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

package library

import (
	"context"
	"time"
)

// TrashDays is the default number of days that deleted images stay in the trash.
const TrashDays = 30

// move writes a record about images (ids or URIs). If one is unknown, the error is ErrNotFound.
func (m *Images) move(ctx context.Context, ids []string, how func([]string) record) error {
	plain, err := m.plainIDs(ctx, ids)
	if err != nil || len(plain) == 0 {
		return err
	}
	return m.s.write(ctx, survivesPowerLoss, func(t *tx) error { return t.move(plain, how) })
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
func (m *Images) Delete(ctx context.Context, ids []string) error {
	return m.move(ctx, ids, func(all []string) record { return record{Purge: all} })
}

// PurgeTrash permanently deletes the images moved to the trash before a time (usually
// TrashDays ago), and returns the number of figures.
func (m *Images) PurgeTrash(ctx context.Context, before time.Time) (n int, err error) {
	ids, err := collect(ctx, m.s, func(row scanner) (id string, err error) {
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
	m.s.files.purgeLost(before)
	return n, m.purge(ctx, ids)
}

// purge deletes images and the files that no other image uses.
func (m *Images) purge(ctx context.Context, ids []string) error {
	return m.s.write(ctx, survivesPowerLoss, func(t *tx) error { return t.record(record{Purge: ids}) })
}

package library

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"easel/ui/core/library/disk"
)

// headroom is the share of the quota, in percent, that is freed when the quota is
// reached, so that not every new image has to delete old ones.
const headroom = 5

// defaultKeep is the default of Options.KeepPerSession.
const defaultKeep = 20

// makeRoom deletes old images until files fit in the quota. The error is ErrFull if that
// is impossible.
func (m *Images) makeRoom(ctx context.Context, files map[string]disk.File) error {
	quota := m.s.files.quota.Load()
	var fresh int64 // upper bound of the bytes to be added
	for _, f := range files {
		fresh += int64(len(f.Data))
	}
	if quota <= 0 || m.s.files.used.Load()+fresh <= quota {
		return nil
	}
	for name, f := range files {
		var one int
		err := m.s.ro.QueryRowContext(ctx, `select 1 from files where name = ?`, name).Scan(&one)
		if err == nil {
			fresh -= int64(len(f.Data))
		} else if !errors.Is(err, sql.ErrNoRows) {
			return asFull(err)
		}
	}
	if fresh == 0 || m.s.files.used.Load()+fresh <= quota {
		return nil
	}
	if err := m.dropFigures(ctx, m.s.files.used.Load()+fresh-quota); err != nil { // before any plot
		return err
	}
	if m.s.files.used.Load()+fresh <= quota {
		return nil
	}
	ids, err := m.expendable(ctx, m.s.files.used.Load()+fresh-quota+quota/100*headroom)
	if err != nil {
		return err
	}
	if len(ids) > 0 {
		if err := m.purge(ctx, ids); err != nil {
			return err
		}
		m.s.report(Damage{Kind: QuotaReached, Images: ids, Detail: fmt.Sprintf(
			"%d of the oldest images without stars, tags or notes were removed to stay within %d MB", len(ids), quota>>20)})
	}
	if used := m.s.files.used.Load(); used+fresh > quota {
		return fmt.Errorf("%w: %d MB of a quota of %d MB are taken by images with stars, tags or notes and by the newest of running sessions",
			ErrFull, used>>20, quota>>20)
	}
	return nil
}

// unasked is the condition that the user has asked nothing about an image.
const unasked = ` and not exists (select 1 from questions q where q.image = i.id)`

// expendable selects images whose removal frees the given number of bytes: first the
// trash, then older versions of figures, then the oldest images without annotations and
// questions that are not among the newest of an open session. If these are not enough, it selects fewer.
func (m *Images) expendable(ctx context.Context, bytes int64) (ids []string, err error) {
	keep := m.s.opts.KeepPerSession
	if keep <= 0 {
		keep = defaultKeep
	}
	for _, query := range []string{
		`select i.id, i.bytes, i.hash || '.' || i.ext, i.forms, (select refs from files where name = i.hash || '.' || i.ext), 0
			from images i where i.trashed > 0 order by i.trashed, i.id`,
		`select i.id, i.bytes, i.hash || '.' || i.ext, i.forms, (select refs from files where name = i.hash || '.' || i.ext), 0
			from images i where i.superseded = 1 and i.trashed = 0` + unasked + ` order by i.created, i.id`,
		`select i.id, i.bytes, i.hash || '.' || i.ext, i.forms, (select refs from files where name = i.hash || '.' || i.ext),
			s.ended = 0 and s.body <> '' and i.n > s.counter - ` + fmt.Sprint(keep) + `
			from images i join sessions s on s.seq = i.session_seq
			where i.rating = 0 and i.tags = '' and i.note = '' and i.named = 0 and i.superseded = 0 and i.trashed = 0` + unasked + ` order by i.created, i.id`,
	} {
		if bytes <= 0 {
			break
		}
		some, freed, err := m.choose(ctx, query, bytes)
		if err != nil {
			return nil, err
		}
		ids, bytes = append(ids, some...), bytes-freed
	}
	return ids, nil
}

// choose reads candidates until they free the given number of bytes. A file shared by
// several images is freed with the last of them.
func (m *Images) choose(ctx context.Context, query string, bytes int64) (ids []string, freed int64, err error) {
	rows, err := m.s.ro.QueryContext(ctx, query)
	if err != nil {
		return nil, 0, asFull(err)
	}
	defer rows.Close() //nolint:errcheck // rows.Err reports errors
	taken := make(map[string]int)
	for freed < bytes && rows.Next() {
		var (
			id, name, forms string
			size            int64
			refs            int
			kept            bool
		)
		if err := rows.Scan(&id, &size, &name, &forms, &refs, &kept); err != nil {
			return nil, 0, asFull(err)
		}
		if kept {
			continue
		}
		ids = append(ids, id)
		if taken[name]++; taken[name] >= refs {
			freed += size
		}
		for _, f := range parseForms(forms) {
			freed += f.Bytes
		}
	}
	return ids, freed, asFull(rows.Err())
}

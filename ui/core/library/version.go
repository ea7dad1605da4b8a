package library

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"

	"easel/ui/core/library/naming"
)

// An update of an image is a new version of the same figure. Lists show the newest version
// of each figure; versions in the trash are separate. Annotations belong to the figure and
// are stored in the row of its newest version only.

// replacedID returns the id of the image that an image replaces.
const (
	replacedID   = `substr(` + replacedFile + `, 1, instr(` + replacedFile + `, '.') - 1)`
	replacedFile = `substr(i.replaces, instr(i.replaces, '/images/') + 8)`
)

const (
	figureVersions = `select id from images where figure = ? and trashed = 0 order by id`
	frontOf        = `select f.id from images i join images f on f.figure = i.figure and (f.trashed = 0) = (i.trashed = 0)
		where i.id = ? order by f.id desc limit 1`
)

// newestVersion selects the newest version of a figure in one place (library or trash).
func newestVersion(place string) string {
	return `select ` + imageColumns + imageTables + ` where i.figure = ? and ` + place + ` order by i.id desc limit 1`
}

// A figureRow holds what a new version takes over from its figure.
type figureRow struct {
	figure, born int64
	newest       imageRow // its newest version; the library has priority over the trash
}

// figureOf finds the figure of a new image by the version that it replaces. The error is
// sql.ErrNoRows if there is none.
func (t *tx) figureOf(r imageRecord) (f figureRow, err error) {
	id := r.Figure
	if _, replaced, _, err := naming.ParseURI(r.Replaces); id == "" && err == nil {
		id = replaced
	}
	if id == "" || id == r.ID {
		return f, sql.ErrNoRows
	}
	if err := t.row(`select figure, born from images where id = ?`, id).Scan(&f.figure, &f.born); err != nil {
		return f, err
	}
	for _, place := range []string{`i.trashed = 0`, `i.trashed > 0`} {
		f.newest, err = scanImage(t.row(newestVersion(place), f.figure))
		if !errors.Is(err, sql.ErrNoRows) {
			return f, err
		}
	}
	return f, err
}

// number returns the number of the figure that an update in the same session belongs to,
// or 0 if the image is not an update.
func (t *tx) number(r imageRecord) (n int, err error) {
	f, err := t.figureOf(r)
	if errors.Is(err, sql.ErrNoRows) || err == nil && f.newest.session != r.Session {
		return 0, nil
	}
	return f.newest.n, err
}

// succeed makes an image that was just added the newest version of its figure.
func (t *tx) succeed(f figureRow, r imageRecord) error {
	if f.newest.id > r.ID { // only in a journal written by another program
		_, err := t.exec(`update images set figure = ?, born = ? where id = ?`, f.figure, cmp.Or(r.Born, f.born), r.ID)
		return errors.Join(err, t.refigure([]string{r.ID}))
	}
	versions := 1
	if f.newest.trashed == 0 {
		versions += f.newest.versions
		t.changes.former = f.newest.id
		if _, err := t.exec(`update images set superseded = 1 where id = ?`, f.newest.id); err != nil {
			return err
		}
	}
	if _, err := t.exec(`update images set figure = ?, born = ?, versions = ? where id = ?`,
		f.figure, cmp.Or(r.Born, f.born), versions, r.ID); err != nil {
		return err
	}
	return t.inherit(f.newest, r.ID)
}

// inherit moves the annotations from one version to the next. A version in the trash keeps
// its annotations.
func (t *tx) inherit(from imageRow, id string) error {
	if from.rating == 0 && from.tags == "" && from.note == "" && from.judged == noKeys && !from.named {
		return nil
	}
	_, err := t.exec(`update images set rating = ?, tags = ?, note = ?, named = ?, title = iif(?4, ?, title), judged = ? where id = ?`,
		from.rating, from.tags, from.note, from.named, from.title, from.judged, id)
	if err != nil {
		return err
	}
	if _, err := t.exec(`insert or ignore into tagged (subject, tag) select ?, tag from tagged where subject = ?`, id, from.id); err != nil {
		return err
	}
	if from.trashed == 0 {
		if _, err := t.exec(`delete from tagged where subject = ?`, from.id); err != nil {
			return err
		}
		if _, err := t.exec(`update images set rating = 0, tags = '', note = '', named = 0, judged = '[]' where id = ?`, from.id); err != nil {
			return err
		}
	}
	return t.reword(id)
}

// refigure determines the newest versions of the figures again after images were moved.
func (t *tx) refigure(ids []string) error {
	figures := []int64{}
	for _, id := range ids {
		var figure int64
		err := t.row(`select figure from images where id = ?`, id).Scan(&figure)
		if errors.Is(err, sql.ErrNoRows) {
			continue
		}
		if err != nil {
			return err
		}
		figures = append(figures, figure)
	}
	return t.refigured(figures)
}

func (t *tx) refigured(figures []int64) error {
	b, err := json.Marshal(figures)
	if err != nil || len(figures) == 0 {
		return err
	}
	const of = ` figure in (select value from json_each(?)) and `
	for _, step := range []string{
		`update images as i set superseded = 1 - superseded where` + of + `superseded <> exists (
			select 1 from images o where o.figure = i.figure and o.id > i.id and (o.trashed = 0) = (i.trashed = 0))`,
		`update images as i set versions = (
			select count(*) from images o where o.figure = i.figure and (o.trashed = 0) = (i.trashed = 0))
			where` + of + `superseded = 0`,
	} {
		if _, err := t.exec(step, string(b)); err != nil {
			return err
		}
	}
	return t.recount(inFigures, string(b))
}

// bereave removes references to deleted versions from figures.
func (t *tx) bereave(figures []int64) error {
	b, err := json.Marshal(figures)
	if err != nil || len(figures) == 0 {
		return err
	}
	_, err = t.exec(`update images as i set replaces = '' where figure in (select value from json_each(?)) and i.replaces <> ''
		and not exists (select 1 from images o where o.id = `+replacedID+`)`, string(b))
	return errors.Join(err, t.refigured(figures))
}

// withNewest sets the annotations of the figure in rows of older versions.
func (m *Images) withNewest(ctx context.Context, rows []imageRow) error {
	type figure struct {
		seq     int64
		trashed bool
	}
	newest := make(map[figure]imageRow)
	for i := range rows {
		r := &rows[i]
		if !r.superseded {
			continue
		}
		key := figure{r.figure, r.trashed != 0}
		f, known := newest[key]
		if !known {
			place := `i.trashed = 0`
			if key.trashed {
				place = `i.trashed > 0`
			}
			var err error
			f, err = scanImage(m.s.ro.QueryRowContext(ctx, newestVersion(place), r.figure))
			if err != nil && !errors.Is(err, sql.ErrNoRows) {
				return asFull(err)
			}
			newest[key] = f
		}
		if f.id == "" {
			continue // deleted between the two queries
		}
		r.rating, r.tags, r.note, r.modified, r.judged = f.rating, f.tags, f.note, f.modified, f.judged
		if f.named {
			r.title, r.named = f.title, true
		}
		if f.trashed == 0 {
			r.replacedBy = f.uri()
		}
	}
	return nil
}

// Versions returns the ids of all versions of an image's figure, oldest first, without
// those in the trash. idOrURI may name any version.
func (m *Images) Versions(ctx context.Context, idOrURI string) ([]string, error) {
	r, err := m.imageRow(ctx, idOrURI)
	if err != nil {
		return nil, err
	}
	return collect(ctx, m.s, scanID, figureVersions, r.figure)
}

func scanID(row scanner) (id string, err error) {
	err = row.Scan(&id)
	return id, err
}

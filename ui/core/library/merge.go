package library

import (
	"cmp"
	"crypto/sha256"
	"database/sql"
	"errors"
	"slices"

	"easel/mcphost/catalog"
	"easel/ui/core/library/naming"
	"easel/ui/core/library/search"
)

// merge adds a record of an archive to the library, unless it is there already or older than what is
// there; see [Library.Import].
func (m *merger) merge(t *tx, r record) (err error) {
	was := m.out.Added
	switch {
	case r.Session != nil:
		err = m.session(t, *r.Session)
	case r.Execution != nil:
		err = m.execution(t, *r.Execution)
	case r.Environment != nil:
		err = m.environment(t, *r.Environment)
	case r.Image != nil:
		err = m.image(t, *r.Image)
	case r.Annotation != nil:
		err = m.judgement(t, *r.Annotation, r.At)
	case r.Trash != nil:
		err = m.trash(t, r.Trash, r.At)
	case r.File != nil:
		err = m.picture(t, *r.File)
	case r.Question != nil:
		err = m.question(t, *r.Question)
	case r.Check != nil:
		err = m.check(t, *r.Check)
	}
	if err == nil && was == m.out.Added {
		m.out.Present.count(r)
	}
	return err
}

// write writes a record, and counts it.
func (m *merger) write(t *tx, r record) error {
	if err := t.record(r); err != nil {
		return err
	}
	m.out.Added.count(r)
	return nil
}

// session adds a session. Its kernel does not run here, so it has ended.
func (m *merger) session(t *tx, s Session) error {
	known, err := t.there(`select 1 from sessions where id = ? and body <> ''`, s.ID)
	if err != nil || known {
		return err
	}
	if s.EndedAt.IsZero() {
		s.EndedAt = m.out.Contents.At
	}
	return m.write(t, record{Session: &s})
}

// execution adds an execution. One that ran when the archive was written will never end here.
func (m *merger) execution(t *tx, x Execution) error {
	known, err := t.there(`select 1 from executions where id = ?`, x.ID)
	if err != nil || known {
		return err
	}
	if !catalog.Ended(x.Status) {
		x.Status, x.EndedAt = catalog.StatusLost, m.out.Contents.At
	}
	return m.write(t, record{At: nanos(x.CreatedAt), Execution: &x})
}

func (m *merger) environment(t *tx, e environmentRecord) error {
	known, err := t.there(`select 1 from environments where id = ?`, e.ID)
	if err != nil || known {
		return err
	}
	return m.write(t, record{Environment: &e})
}

// image adds an image. If another one has its id, it gets a new one.
func (m *merger) image(t *tx, r imageRecord) error {
	archived := r.ID
	for {
		has, same, err := t.sameImage(r)
		if err != nil {
			return err
		}
		if same {
			m.ids[archived] = r.ID
			return nil
		}
		if !has {
			break
		}
		r.ID = otherID(r.ID, r.Forms[0].Hash)
	}
	if m.ids[archived] = r.ID; r.ID != archived {
		m.out.Renamed++
	}
	if session, replaced, ext, err := naming.ParseURI(r.Replaces); err == nil {
		r.Replaces = naming.URI(session, m.id(replaced), ext)
	}
	if r.Figure != "" {
		r.Figure = m.id(r.Figure)
	}
	r.Title, r.Description = search.Clean(r.Title), search.Clean(r.Description)
	m.fresh[r.ID] = true
	return m.write(t, record{At: r.Created, Image: &r})
}

// id returns the id that an image of the archive has here.
func (m *merger) id(archived string) string { return cmp.Or(m.ids[archived], archived) }

// sameImage reports whether the library has an image with this id, and whether it is this one: they have
// a file in common. One may have got a picture since that the other lacks.
func (t *tx) sameImage(r imageRecord) (has, same bool, err error) {
	var main formRecord
	var rest string
	err = t.row(`select mime, hash, ext, bytes, forms from images where id = ?`, r.ID).Scan(&main.MIME, &main.Hash, &main.Ext, &main.Bytes, &rest)
	if errors.Is(err, sql.ErrNoRows) {
		return false, false, nil
	}
	if err != nil {
		return false, false, err
	}
	here := append([]formRecord{main}, parseForms(rest)...)
	return true, slices.ContainsFunc(here, func(f formRecord) bool {
		return slices.ContainsFunc(r.Forms, func(g formRecord) bool { return !hidden(f) && f.name() == g.name() })
	}), nil
}

// otherID returns another id for an image with these bytes, of the same time.
func otherID(id, hash string) string {
	sum := sha256.Sum256([]byte(id + "\n" + hash))
	other := []byte(id[:min(len(id), 10)])
	for _, b := range sum[:naming.Length-10] {
		other = append(other, naming.Digits[b&31])
	}
	return string(other)
}

// judgement gives an image what the user said about it, unless what is said here is newer.
func (m *merger) judgement(t *tx, r annotationRecord, at int64) error {
	r.ID = m.id(r.ID)
	if !m.fresh[r.ID] {
		front, err := t.changes.front(r.ID)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		var modified int64
		if err == nil {
			err = t.row(`select modified from images where id = ?`, front).Scan(&modified)
		}
		if err != nil || modified >= at {
			return err
		}
	}
	return m.write(t, record{At: at, Annotation: &r})
}

// trash moves an image that was added to the trash. One that was here stays where it is.
func (m *merger) trash(t *tx, ids []string, at int64) error {
	var added []string
	for _, id := range ids {
		if id = m.id(id); m.fresh[id] {
			added = append(added, id)
		}
	}
	if len(added) == 0 {
		return nil
	}
	return m.write(t, record{At: at, Trash: added})
}

// picture gives a picture on disk its stars and tags, unless those here are newer.
func (m *merger) picture(t *tx, f FileAnnotation) error {
	var modified int64
	err := t.row(`select modified from file_marks where hash = ?`, f.Hash).Scan(&modified)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	if err == nil && modified >= nanos(f.Modified) {
		return nil
	}
	return m.write(t, record{At: nanos(f.Modified), File: &f})
}

// question adds a question. No assistant is told of one that was asked on another machine.
func (m *merger) question(t *tx, q Question) error {
	known, err := t.there(`select 1 from questions where id = ?`, q.ID)
	if err != nil || known {
		return err
	}
	q.Image = m.id(q.Image)
	if q.AnnouncedAt.IsZero() {
		q.AnnouncedAt = m.out.Contents.At
	}
	return m.write(t, record{At: nanos(q.CreatedAt), Question: &q})
}

// check adds the result of a check, unless there is a newer one.
func (m *merger) check(t *tx, c checkRecord) error {
	c.ID = m.id(c.ID)
	var at int64
	err := t.row(`select coalesce(c.at, 0) from images i left join checks c on c.image = i.id where i.id = ?`, c.ID).Scan(&at)
	if errors.Is(err, sql.ErrNoRows) || err == nil && at >= nanos(c.Check.At) {
		return nil
	}
	if err != nil {
		return err
	}
	return m.write(t, record{At: nanos(c.Check.At), Check: &c})
}

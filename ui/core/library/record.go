package library

import (
	"cmp"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"easel/ui/core/library/search"
)

// A record is one line of the journal: one complete change. Applying it twice has the
// same effect as applying it once. Exactly one field besides At is set.
type record struct {
	At          int64              `json:"at"` // nanoseconds since 1970
	Session     *Session           `json:"session,omitempty"`
	Execution   *Execution         `json:"execution,omitempty"`
	Image       *imageRecord       `json:"image,omitempty"`
	Annotation  *annotationRecord  `json:"marks,omitempty"`
	File        *FileAnnotation    `json:"file,omitempty"`
	Trash       []string           `json:"trash,omitempty"`   // image ids
	Restore     []string           `json:"restore,omitempty"` // image ids
	Purge       []string           `json:"purge,omitempty"`   // image ids
	Drawn       *drawnRecord       `json:"drawn,omitempty"`
	Question    *Question          `json:"question,omitempty"`
	Unask       []string           `json:"unask,omitempty"` // question ids
	Check       *checkRecord       `json:"check,omitempty"`
	Environment *environmentRecord `json:"environment,omitempty"`
	Kept        *keptRecord        `json:"kept,omitempty"`
	Schema      int                `json:"schema,omitempty"` // of the database from here on, see migrate
}

// A formRecord is one form of an image.
type formRecord struct {
	MIME  string `json:"mime"`
	Hash  string `json:"hash"` // SHA-256 of the bytes, hexadecimal
	Ext   string `json:"ext"`
	Bytes int64  `json:"bytes"`
}

func (f formRecord) name() string { return f.Hash + "." + f.Ext }

// An imageRecord is a new image. Its first form is the image.
type imageRecord struct {
	ID          string       `json:"id"`
	Session     string       `json:"session"`
	Execution   string       `json:"execution,omitempty"`
	N           int          `json:"n"`
	Created     int64        `json:"created"`
	Width       int          `json:"width"`
	Height      int          `json:"height"`
	Frames      int          `json:"frames,omitempty"` // 1 for a still picture; 0 if an earlier version of Easel added it
	Title       string       `json:"title,omitempty"`
	Description string       `json:"description,omitempty"`
	Client      string       `json:"client,omitempty"`
	DisplayID   string       `json:"display_id,omitempty"`
	Replaces    string       `json:"replaces,omitempty"`
	Interactive string       `json:"interactive,omitempty"`
	Forms       []formRecord `json:"forms"`
	// Only in a rewritten journal, if earlier versions were deleted.
	Figure string `json:"figure,omitempty"` // id of the figure's first version that still exists
	// The figure's place in the order of creation, if that is not when this version was created.
	Born int64 `json:"born,omitempty"`

	old bool // see NewImage.Old
}

// apply applies a record to the database, live or in a replay. Nothing else changes data
// that is in the journal.
func (t *tx) apply(r record) error {
	switch {
	case r.Session != nil:
		return t.applySession(*r.Session)
	case r.Execution != nil:
		return t.applyExecution(*r.Execution)
	case r.Image != nil:
		return t.applyImage(*r.Image)
	case r.Annotation != nil:
		return t.applyAnnotation(*r.Annotation, r.At)
	case r.File != nil:
		return t.applyFile(*r.File)
	case r.Trash != nil:
		_, err := t.exec(`update images set trashed = ? where trashed = 0 and id in (select value from json_each(?))`, r.At, list(r.Trash))
		return errors.Join(err, t.refigure(r.Trash), t.changes.trashed(r.Trash))
	case r.Restore != nil:
		_, err := t.exec(`update images set trashed = 0 where id in (select value from json_each(?))`, list(r.Restore))
		return errors.Join(err, t.refigure(r.Restore), t.changes.restored(r.Restore))
	case r.Purge != nil:
		return t.applyPurge(r.Purge)
	case r.Drawn != nil:
		return t.applyDrawn(*r.Drawn)
	case r.Question != nil:
		return t.applyQuestion(*r.Question)
	case r.Unask != nil:
		return t.applyUnask(r.Unask)
	case r.Environment != nil:
		return t.applyEnvironment(*r.Environment)
	case r.Check != nil:
		return t.applyCheck(*r.Check)
	case r.Kept != nil:
		return t.applyKept(*r.Kept)
	default:
		return refuseSchema(r.Schema)
	}
}

func (t *tx) applySession(s Session) error {
	s.Images = 0
	body, err := json.Marshal(s)
	if err != nil {
		return err
	}
	_, err = t.exec(`insert into sessions (id, kernel, ended, body) values (?, ?, ?, ?)
		on conflict (id) do update set kernel = excluded.kernel, ended = excluded.ended, body = excluded.body`,
		s.ID, s.KernelID, nanos(s.EndedAt), string(body))
	return err
}

func (t *tx) applyExecution(e Execution) error {
	words, err := t.runWords(e)
	if err != nil {
		return err
	}
	code := e.Code
	e.Code = ""
	body, err := json.Marshal(e)
	if err != nil {
		return err
	}
	var seq int64
	err = t.row(`insert into executions (id, session, created, status, code, body) values (?, ?, ?, ?, ?, ?)
		on conflict (id) do update set session = excluded.session, created = excluded.created,
			status = excluded.status, code = excluded.code, body = excluded.body
		returning seq`, e.ID, e.SessionID, nanos(e.CreatedAt), e.Status, code, string(body)).Scan(&seq)
	if err != nil {
		return err
	}
	_, err = t.exec(`insert into run_words (seq, words) values (?, ?) 
		on conflict (seq) do update set words = excluded.words, indexed = 0 where words <> excluded.words`, seq, words)
	return errors.Join(err, t.changes.ran(e))
}

func (t *tx) applyImage(r imageRecord) error {
	if len(r.Forms) == 0 {
		return fmt.Errorf("%w: image without a form", ErrInvalid)
	}
	session, err := t.sessionSeq(r.Session)
	if err != nil {
		return err
	}
	t.changes.former = ""
	figure, err := t.figureOf(r)
	update := err == nil
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	f := r.Forms[0]
	res, err := t.exec(`insert into images (id, session_seq, n, execution, created, born, modified, mime, ext, hash, bytes, width, height, frames,
			title, description, client, display_id, replaces, interactive, forms, sortname, words, examined, run)
		values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,
			coalesce((select e.seq from executions e where e.id = ?), 0)) on conflict (id) do nothing`,
		r.ID, session, r.N, r.Execution, r.Created, cmp.Or(r.Born, r.Created), r.Created, f.MIME, f.Ext, f.Hash, f.Bytes, r.Width, r.Height,
		r.frames(),
		r.Title, r.Description, r.Client, r.DisplayID, r.Replaces, r.Interactive, r.others(), search.SortKey(r.Title, r.N),
		search.Fold(r.Title+"\n"+r.Description), r.unexamined(), r.Execution)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return err
	}
	if _, err := t.exec(`update images set figure = seq where id = ?`, r.ID); err != nil {
		return err
	}
	if update {
		if err := t.succeed(figure, r); err != nil {
			return err
		}
	}
	t.changes.appeared(r.ID)
	if _, err := t.exec(`update sessions set counter = max(counter, ?) where seq = ?`, r.N, session); err != nil {
		return err
	}
	for _, f := range r.Forms {
		if err := t.ref(f); err != nil {
			return err
		}
	}
	return nil
}

// ref increments the reference count of a file.
func (t *tx) ref(f formRecord) error {
	var refs int
	err := t.row(`insert into files (name, bytes, refs) values (?, ?, 1)
		on conflict (name) do update set refs = refs + 1 returning refs`, f.name(), f.Bytes).Scan(&refs)
	if err == nil && refs == 1 {
		t.used += f.Bytes
	}
	return err
}

// others returns all forms but the first, as stored in the database.
func (r imageRecord) others() string {
	if len(r.Forms) < 2 {
		return ""
	}
	b, _ := json.Marshal(r.Forms[1:]) // strings and numbers cannot fail
	return string(b)
}

// sessionSeq returns the row of a session and creates it if necessary. Sessions are never
// deleted.
func (t *tx) sessionSeq(id string) (seq int64, err error) {
	if seq, known := t.sessions[id]; known {
		return seq, nil
	}
	err = t.row(`select seq from sessions where id = ?`, id).Scan(&seq)
	if errors.Is(err, sql.ErrNoRows) {
		err = t.row(`insert into sessions (id) values (?) returning seq`, id).Scan(&seq)
	}
	if err == nil {
		if t.sessions == nil {
			t.sessions = make(map[string]int64)
		}
		t.sessions[id] = seq
	}
	return seq, err
}

func (t *tx) applyFile(m FileAnnotation) error {
	tags, err := t.retag(fileSubject(m.Hash), m.Tags)
	if err != nil {
		return err
	}
	_, err = t.exec(`insert into file_marks (hash, path, rating, tags, modified) values (?, ?, ?, ?, ?)
		on conflict (hash) do update set path = excluded.path, rating = excluded.rating, tags = excluded.tags, modified = excluded.modified`,
		m.Hash, m.Path, m.Rating, tags, nanos(m.Modified))
	return err
}

// applyPurge deletes images and adds the files that no other image uses to t.garbage.
func (t *tx) applyPurge(ids []string) error {
	var left []int64 // figures that may have other versions
	emptied := make(map[int64]bool)
	for _, id := range ids {
		if err := t.changes.purges(id); err != nil {
			return err
		}
		var main formRecord
		var others string
		var figure, session int64
		err := t.row(`delete from images where id = ? returning mime, hash, ext, bytes, forms, figure, session_seq`, id).
			Scan(&main.MIME, &main.Hash, &main.Ext, &main.Bytes, &others, &figure, &session)
		if errors.Is(err, sql.ErrNoRows) {
			continue
		}
		if err != nil {
			return err
		}
		if _, err := t.exec(`delete from tagged where subject = ?`, id); err != nil {
			return err
		}
		if err := t.forget(id); err != nil {
			return err
		}
		if err := t.dropCheck(id); err != nil {
			return err
		}
		for _, f := range append(parseForms(others), main) {
			if err := t.unref(f); err != nil {
				return err
			}
		}
		if !slices.Contains(left[max(0, len(left)-8):], figure) {
			left = append(left, figure)
		}
		emptied[session] = true
	}
	if err := t.forgetCalls(emptied); err != nil {
		return err
	}
	return t.bereave(left)
}

func (t *tx) unref(f formRecord) error {
	var refs int
	err := t.row(`update files set refs = refs - 1 where name = ? returning refs`, f.name()).Scan(&refs)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil || refs > 0 {
		return err
	}
	if _, err := t.exec(`delete from files where name = ?`, f.name()); err != nil {
		return err
	}
	t.used -= f.Bytes
	t.garbage = append(t.garbage, f)
	return nil
}

// list encodes strings as JSON, for json_each and for rows.
func list(s []string) string {
	b, _ := json.Marshal(s) // strings cannot fail
	return string(b)
}

func parseTags(s string) []string {
	tags := []string{}
	if s != "" {
		_ = json.Unmarshal([]byte(s), &tags) // what list wrote
	}
	return tags
}

func parseForms(s string) (forms []formRecord) {
	if s != "" {
		_ = json.Unmarshal([]byte(s), &forms) // what applyImage wrote
	}
	return forms
}

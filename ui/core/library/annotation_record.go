package library

import (
	"database/sql"
	"errors"
	"strings"

	"easel/ui/core/library/search"
)

// An annotationRecord changes the annotations of an image; nil fields are unchanged.
type annotationRecord struct {
	ID     string    `json:"id"`
	Rating *int      `json:"rating,omitempty"`
	Tags   *[]string `json:"tags,omitempty"`
	Title  *string   `json:"title,omitempty"`
	Note   *string   `json:"note,omitempty"`
	Judged *[]string `json:"judged,omitempty"` // keys of findings that are no problem

	Unnamed bool `json:"unnamed,omitempty"` // Title is not the user's (any more)
}

func (t *tx) applyAnnotation(m annotationRecord, at int64) error {
	front, err := t.changes.front(m.ID)
	if errors.Is(err, sql.ErrNoRows) {
		return nil // in a replay: purged since
	}
	if err != nil {
		return err
	}
	m.ID = front
	t.changes.marked(m)
	if m.Judged != nil {
		if err := t.applyJudged(m.ID, *m.Judged, at); err != nil {
			return err
		}
	}
	if m.Rating != nil {
		if _, err := t.exec(`update images set rating = ?, modified = ? where id = ?`, *m.Rating, at, m.ID); err != nil {
			return err
		}
	}
	if m.Tags == nil && m.Note == nil && m.Title == nil {
		return nil // no word has changed
	}
	if m.Tags != nil {
		names, err := t.retag(m.ID, *m.Tags)
		if err != nil {
			return err
		}
		if _, err := t.exec(`update images set tags = ?, modified = ? where id = ?`, names, at, m.ID); err != nil {
			return err
		}
	}
	if m.Note != nil {
		if _, err := t.exec(`update images set note = ?, modified = ? where id = ?`, *m.Note, at, m.ID); err != nil {
			return err
		}
	}
	if m.Title != nil {
		if _, err := t.exec(`update images set title = ?, named = ?, modified = ? where id = ?`, *m.Title, !m.Unnamed, at, m.ID); err != nil {
			return err
		}
	}
	return t.reword(m.ID)
}

// applyJudged replaces what is judged of a figure, given its newest version.
func (t *tx) applyJudged(id string, keys []string, at int64) error {
	if _, err := t.exec(`update images set judged = ?, modified = ? where id = ?`, list(keys), at, id); err != nil {
		return err
	}
	return t.recount(`figure = (select figure from images where id = ?)`, id)
}

// reword updates the columns for search and for sorting by name.
func (t *tx) reword(id string) error {
	var title, description, note, tags string
	var n int
	err := t.row(`select title, description, note, tags, n from images where id = ?`, id).Scan(&title, &description, &note, &tags, &n)
	if errors.Is(err, sql.ErrNoRows) {
		return nil // in a replay: purged since
	}
	if err != nil {
		return err
	}
	var words strings.Builder
	words.WriteString(title + "\n" + description + "\n" + note)
	for _, tag := range parseTags(tags) {
		words.WriteString("\n" + tag)
	}
	_, err = t.exec(`update images set sortname = ?, words = ? where id = ?`, search.SortKey(title, n), search.Fold(words.String()), id)
	return err
}

// retag replaces the tags of a subject and returns them as stored in a row.
func (t *tx) retag(subject string, tags []string) (string, error) {
	if _, err := t.exec(`delete from tagged where subject = ?`, subject); err != nil {
		return "", err
	}
	for i, name := range tags {
		var seq int64
		// The first spelling stays.
		err := t.row(`insert into tag_names (name, key) values (?, ?)
			on conflict (key) do update set key = excluded.key returning seq, name`, name, tagKey(name)).Scan(&seq, &tags[i])
		if err != nil {
			return "", err
		}
		if _, err := t.exec(`insert or ignore into tagged (subject, tag) values (?, ?)`, subject, seq); err != nil {
			return "", err
		}
	}
	if len(tags) == 0 {
		return "", nil
	}
	return list(tags), nil
}

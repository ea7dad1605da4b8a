package library

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Marks are what the user says about a figure, and whether it is in the trash.
type Marks struct {
	Rating  int
	Tags    []string
	Title   string
	Named   bool // Title is the user's
	Note    string
	Judged  []string // keys of findings that are no problem, sorted
	Trashed bool
}

// A Target is what marks are given to: a figure, by the id of one of its images, or a file
// on disk, which can have a rating and tags only.
type Target struct {
	ID   string
	Path string // of a file
	Hash string // of a file's bytes: SHA-256, hexadecimal, lower case; "" for a figure
}

// A MarkEdit is a target whose marks have changed.
type MarkEdit struct {
	Target

	Before, After Marks
}

// Mark changes marks in one transaction: edit gets those of targets[i], and changes them.
// Mark returns the targets that edit has changed, and ignores images that do not exist.
// After an error, nothing is changed.
func (a *Annotations) Mark(ctx context.Context, targets []Target, edit func(i int, m *Marks) error) (changed []MarkEdit, err error) {
	err = a.s.write(ctx, survivesPowerLoss, func(t *tx) error {
		var trash, restore []string
		for i, to := range targets {
			mark := t.mark
			if to.Hash != "" {
				mark = t.markFile
			}
			m, err := mark(to, func(m *Marks) error { return edit(i, m) })
			if errors.Is(err, sql.ErrNoRows) {
				continue
			}
			if err != nil {
				return err
			}
			if m.Before.equal(m.After) {
				continue
			}
			changed = append(changed, m)
			switch {
			case m.After.Trashed == m.Before.Trashed:
			case m.After.Trashed:
				trash = append(trash, to.ID)
			default:
				restore = append(restore, to.ID)
			}
		}
		return errors.Join(t.move(trash, func(all []string) record { return record{Trash: all} }),
			t.move(restore, func(all []string) record { return record{Restore: all} }))
	})
	if err != nil {
		return nil, err
	}
	return changed, nil
}

func (m Marks) equal(o Marks) bool {
	return m.Rating == o.Rating && slices.Equal(m.Tags, o.Tags) && m.Title == o.Title && m.Named == o.Named && m.Note == o.Note &&
		m.Trashed == o.Trashed && slices.Equal(m.Judged, o.Judged)
}

// mark changes the marks of a figure, except for its place. The marks are read within the
// transaction, so that concurrent changes are not lost.
func (t *tx) mark(to Target, edit func(*Marks) error) (m MarkEdit, err error) {
	front, err := t.changes.front(to.ID)
	if err != nil {
		return m, err
	}
	r, err := scanImage(t.row(`select `+imageColumns+imageTables+` where i.id = ?`, front))
	if err != nil {
		return m, err
	}
	m.Target = to
	m.Before = Marks{
		Rating: r.rating, Tags: parseTags(r.tags), Title: r.title, Named: r.named, Note: r.note, Judged: parseKeys(r.judged),
		Trashed: r.trashed != 0,
	}
	m.After = m.Before
	m.After.Tags = slices.Clone(m.Before.Tags)
	if err := edit(&m.After); err != nil {
		return m, err
	}
	a := annotationRecord{ID: front}
	if m.After.Rating != m.Before.Rating {
		a.Rating = &m.After.Rating
	}
	if !slices.Equal(m.After.Tags, m.Before.Tags) {
		a.Tags = &m.After.Tags // recording it sets the spelling
	}
	if m.After.Title != m.Before.Title || m.After.Named != m.Before.Named {
		a.Title, a.Unnamed = &m.After.Title, !m.After.Named
	}
	if m.After.Note != m.Before.Note {
		a.Note = &m.After.Note
	}
	if !slices.Equal(m.After.Judged, m.Before.Judged) {
		keys := append([]string{}, m.After.Judged...) // null would mean unchanged
		a.Judged = &keys
	}
	if a.Rating == nil && a.Tags == nil && a.Title == nil && a.Note == nil && a.Judged == nil {
		return m, nil
	}
	return m, t.record(record{Annotation: &a})
}

// markFile changes the rating and tags of a file on disk.
func (t *tx) markFile(to Target, edit func(*Marks) error) (m MarkEdit, err error) {
	if b, err := hex.DecodeString(to.Hash); err != nil || len(b) != sha256.Size {
		return m, fmt.Errorf("%w: hash %.80q", ErrInvalid, to.Hash)
	}
	to.Hash = strings.ToLower(to.Hash)
	now := FileAnnotation{Hash: to.Hash, Tags: []string{}}
	err = t.each(`select hash, path, rating, tags, modified from file_marks where hash = '`+to.Hash+`'`, func(row scanner) (err error) {
		now, err = scanFileAnnotation(row)
		return err
	})
	if err != nil {
		return m, err
	}
	m.Target, m.Before = to, Marks{Rating: now.Rating, Tags: now.Tags}
	m.After = Marks{Rating: now.Rating, Tags: slices.Clone(now.Tags)}
	if err := edit(&m.After); err != nil || m.After.equal(m.Before) {
		return m, err
	}
	if m.After.Title != "" || m.After.Note != "" || len(m.After.Judged) > 0 || m.After.Trashed {
		return m, fmt.Errorf("%w: a file on disk has only stars and tags", ErrInvalid)
	}
	return m, t.record(record{File: &FileAnnotation{
		Hash: to.Hash, Path: to.Path, Rating: m.After.Rating, Tags: m.After.Tags, Modified: t.s.now().UTC(),
	}})
}

// move records a change of place of images with all versions of their figures.
func (t *tx) move(ids []string, how func([]string) record) error {
	if len(ids) == 0 {
		return nil
	}
	all, err := t.withVersions(ids)
	if err != nil {
		return err
	}
	return t.record(how(all))
}

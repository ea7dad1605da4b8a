package library

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"easel/ui/core/library/feed"
)

// The library knows findings by their keys, which begin with the name of a check and a slash. What checks
// found is not in the journal, because it can be found again. What the user judged is: it is an annotation.

const (
	// MostJudged is the largest number of findings of a figure that are judged.
	MostJudged = 200
	maxFinding = 1000 // bytes of a key
)

// Judge says whether a finding of the figure is no problem, given its key.
func (m *Marks) Judge(key string, dismiss bool) error {
	check, _, ok := strings.Cut(key, "/")
	if !ok || check == "" || len(key) > maxFinding || !utf8.ValidString(key) {
		return fmt.Errorf("%w: finding %.80q", ErrInvalid, key)
	}
	judged := slices.DeleteFunc(slices.Clone(m.Judged), func(k string) bool { return k == key })
	if dismiss {
		judged = append(judged, key)
	}
	if len(judged) > MostJudged {
		return fmt.Errorf("%w: more than %d findings of a figure are judged", ErrInvalid, MostJudged)
	}
	slices.Sort(judged)
	m.Judged = judged
	return nil
}

// A figure's annotations are in the row of its newest version in the same place.
const judgedOfFigure = `select j.value from images f, json_each(f.judged) j where f.id = (select n.id from images n
	where n.figure = images.figure and (n.trashed = 0) = (images.trashed = 0) order by n.id desc limit 1)`

// openFindings counts the open findings of a row of images.
const openFindings = `(select count(*) from json_each(images.found) k
	where substr(k.value, 1, instr(k.value, '/') - 1) not in (select o.value from examination e, json_each(e.off) o where e.one = 1)
	and k.value not in (` + judgedOfFigure + `))`

// recount counts the open findings of the images with a condition again.
func (t *tx) recount(where string, args ...any) error {
	return t.each(`update images set findings = `+openFindings+` where `+where+` and (found <> '[]' or findings > 0)
		and findings <> `+openFindings+` returning id, superseded`, func(row scanner) error {
		var id string
		var superseded bool
		if err := row.Scan(&id, &superseded); err != nil {
			return err
		}
		if !superseded {
			t.changes.change(id, feed.Findings)
		}
		return nil
	}, args...)
}

const inFigures = `figure in (select value from json_each(?))`

// SetChecks says which version of the checks finds findings, and which checks are turned off. If another version
// found those of the library, they are unknown until they are found again; see Unexamined.
func (m *Images) SetChecks(ctx context.Context, version int, off []string) error {
	off = slices.Compact(slices.Sorted(slices.Values(off)))
	if off == nil {
		off = []string{}
	}
	var had int
	var hadOff string
	if err := m.s.ro.QueryRowContext(ctx, `select version, off from examination`).Scan(&had, &hadOff); err != nil {
		return asFull(err)
	}
	if had == version && hadOff == list(off) {
		return nil
	}
	return m.s.write(ctx, survivesDeath, func(t *tx) error {
		if had != version {
			if _, err := t.exec(`update images set examined = 0 where examined = 1`); err != nil {
				return err
			}
		}
		if _, err := t.exec(`update examination set version = ?, off = ?`, version, list(off)); err != nil {
			return err
		}
		return t.recount(`1`)
	})
}

// Unexamined returns plots whose findings are not known, the newest first.
func (m *Images) Unexamined(ctx context.Context, most int) ([]Image, error) {
	rows, err := m.imageRows(ctx, `select `+imageColumns+imageTables+` where i.examined = 0 order by i.seq desc limit ?`, most)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	images := make([]Image, len(rows))
	for i, r := range rows {
		images[i] = m.s.files.image(r, "")
	}
	return images, nil
}

// SetFound stores the keys of what checks found in a plot. It ignores an image that was deleted meanwhile.
func (m *Images) SetFound(ctx context.Context, id string, keys []string) error {
	if keys == nil {
		keys = []string{}
	}
	return m.s.write(ctx, survivesDeath, func(t *tx) error {
		if _, err := t.exec(`update images set found = ?, examined = 1 where id = ?`, list(keys), id); err != nil {
			return err
		}
		return t.recount(`id = ?`, id)
	})
}

// unexamined returns what the column examined is for a new image: null if it cannot have findings.
func (r imageRecord) unexamined() any {
	if len(r.Forms) == 1 && r.Interactive == "" {
		return nil
	}
	return 0
}

// noKeys is an empty list of keys in a row.
const noKeys = "[]"

func parseKeys(s string) (keys []string) {
	if s != noKeys && s != "" {
		_ = json.Unmarshal([]byte(s), &keys) // what list wrote
	}
	return keys
}

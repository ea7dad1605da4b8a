package library

import (
	"database/sql"
	"errors"

	"easel/mcphost/catalog"
	"easel/ui/core/library/feed"
	"easel/ui/core/library/search"
)

// Changes returns the feed of what changes in the library. A change is in it when it has been
// committed, before its method returns, and in the order of the commits. A directory on disk may
// add the changes of its files.
func (l *Library) Changes() *feed.Feed { return &l.s.changes }

// AffectedBy reports whether changes of images may add some to those that match the query, remove
// some, or change their order.
func (q Query) AffectedBy(what feed.What) bool {
	affecting := feed.Listed | feed.More
	if q.Rating >= 0 && q.RatingOp != "" {
		affecting |= feed.Rating
	}
	if q.Findings {
		affecting |= feed.Findings
	}
	if len(q.Tags) > 0 {
		affecting |= feed.Tags
	}
	if q.Text != "" {
		affecting |= affectingSearch(q)
	}
	if q.URIPrefix != "" {
		affecting |= feed.Picture // which may give a file other times
		if q.Rating >= 0 && q.RatingOp != "" || len(q.Tags) > 0 || q.SortBy == "rating" {
			affecting |= feed.Detail // stars and tags of a file are known when it was read
		}
	}
	switch q.SortBy {
	case "", "created", "session":
	case "rating":
		affecting |= feed.Rating
	case ByCell:
		affecting |= feed.Cell | feed.Detail
	default: // name, size, modified
		affecting |= feed.Rating | feed.Tags | feed.Text | feed.Picture | feed.Versions
	}
	return what&affecting != 0
}

// affectingSearch returns the changes that affect which images the text of a query finds.
func affectingSearch(q Query) (what feed.What) {
	for _, t := range q.terms(search.Clock{}) {
		switch t.Key {
		case search.Word:
			what |= feed.Text | feed.Tags | feed.Picture | feed.Detail
		case search.Tag:
			what |= feed.Tags
		case search.Stars:
			what |= feed.Rating
		case search.Has:
			what |= feed.Text | feed.Tags | feed.Rating | feed.Findings | feed.Detail
		case search.Kind:
			what |= feed.Picture | feed.Detail
		case search.Client, search.Session, search.Is, search.After, search.Before, search.On: // only new ones
		}
	}
	return what
}

// change adds a change of an image to those of the transaction. What is replayed when the library
// is opened is no change.
func (t *tx) change(id string, what feed.What) {
	if t.s.opened {
		t.changes = append(t.changes, feed.Change{ID: id, What: what})
	}
}

// appeared records that an image was added. Its former version is in t.former.
func (t *tx) appeared(id string) {
	switch {
	case !t.s.opened:
	case t.former == "":
		t.change(id, feed.Added)
	default:
		t.changes = append(t.changes, feed.Change{ID: id, What: feed.Replaced, Former: t.former})
	}
}

// marked records a change of annotations.
func (t *tx) marked(m annotationRecord) {
	var what feed.What
	if m.Rating != nil {
		what |= feed.Rating
	}
	if m.Tags != nil {
		what |= feed.Tags
	}
	if m.Title != nil || m.Note != nil {
		what |= feed.Text
	}
	if m.Judged != nil {
		what |= feed.Findings
	}
	t.change(m.ID, what)
}

// ran records that the execution of images has ended.
func (t *tx) ran(e Execution) error {
	if !t.s.opened || !catalog.Ended(e.Status) {
		return nil
	}
	return t.each(`select id from images where execution = ?`, func(row scanner) error {
		id, err := scanID(row)
		t.change(id, feed.Detail)
		return err
	}, e.ID)
}

// broke records that files are damaged.
func (t *tx) broke(names []string) error {
	if !t.s.opened {
		return nil
	}
	return t.each(`select i.id from json_each(?) n join images i on i.hash = substr(n.value, 1, instr(n.value, '.') - 1)`, func(row scanner) error {
		id, err := scanID(row)
		t.change(id, feed.Detail)
		return err
	}, list(names))
}

// trashed records that images are in the trash. Lists had only the newest version of a figure.
func (t *tx) trashed(ids []string) error {
	return t.fronts(ids, func(id, front string) {
		if id == front {
			t.change(id, feed.Removed)
		}
	})
}

// restored records that images are no longer in the trash. If a newer version of a figure was
// never there, only the number of its versions has changed.
func (t *tx) restored(ids []string) error {
	back := make(map[string]bool, len(ids))
	for _, id := range ids {
		back[id] = true
	}
	told := make(map[string]bool)
	return t.fronts(ids, func(_, front string) {
		switch {
		case told[front]:
		case back[front]:
			t.change(front, feed.Restored)
		default:
			t.change(front, feed.Versions)
		}
		told[front] = true
	})
}

// shownWith records that what is shown with the figures of images has changed.
func (t *tx) shownWith(ids []string) error {
	return t.fronts(ids, func(_, front string) { t.change(front, feed.Detail) })
}

// fronts calls f with each image and the newest version of its figure in the same place. A file on
// disk is its own.
func (t *tx) fronts(ids []string, f func(id, front string)) error {
	if !t.s.opened {
		return nil
	}
	for _, id := range ids {
		front, err := t.front(id)
		if errors.Is(err, sql.ErrNoRows) {
			front, err = id, nil
		}
		if err != nil {
			return err
		}
		f(id, front)
	}
	return nil
}

// purges records that an image is about to be deleted.
func (t *tx) purges(id string) error {
	if !t.s.opened {
		return nil
	}
	r, err := scanImage(t.row(`select `+imageColumns+imageTables+` where i.id = ?`, id))
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil
	case err != nil:
		return err
	case r.trashed != 0:
		t.change(id, feed.Purged)
	case r.superseded:
		front, err := t.front(id)
		if err != nil {
			return err
		}
		t.change(front, feed.Versions)
	default:
		was := t.s.files.image(r, "").Image
		t.changes = append(t.changes, feed.Change{ID: id, What: feed.Removed, Was: &was})
	}
	return nil
}

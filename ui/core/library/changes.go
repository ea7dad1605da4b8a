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

// A changeList is what a transaction has changed in images, for the feed.
type changeList struct {
	db     *connection
	files  *imageFiles
	on     bool // the library is open
	all    []feed.Change
	former string // of the image added last: id of the version that lists showed before
}

// change adds a change of an image to the list. What is replayed when the library
// is opened is no change.
func (c *changeList) change(id string, what feed.What) {
	if c.on {
		c.all = append(c.all, feed.Change{ID: id, What: what})
	}
}

// appeared records that an image was added. Its former version is in c.former.
func (c *changeList) appeared(id string) {
	switch {
	case !c.on:
	case c.former == "":
		c.change(id, feed.Added)
	default:
		c.all = append(c.all, feed.Change{ID: id, What: feed.Replaced, Former: c.former})
	}
}

// marked records a change of annotations.
func (c *changeList) marked(m annotationRecord) {
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
	c.change(m.ID, what)
}

// ran records that the execution of images has ended.
func (c *changeList) ran(e Execution) error {
	if !c.on || !catalog.Ended(e.Status) {
		return nil
	}
	return c.db.each(`select id from images where execution = ?`, func(row scanner) error {
		id, err := scanID(row)
		c.change(id, feed.Detail)
		return err
	}, e.ID)
}

// broke records that files are damaged.
func (c *changeList) broke(names []string) error {
	if !c.on {
		return nil
	}
	return c.db.each(`select i.id from json_each(?) n join images i on i.hash = substr(n.value, 1, instr(n.value, '.') - 1)`, func(row scanner) error {
		id, err := scanID(row)
		c.change(id, feed.Detail)
		return err
	}, list(names))
}

// trashed records that images are in the trash. Lists had only the newest version of a figure.
func (c *changeList) trashed(ids []string) error {
	return c.fronts(ids, func(id, front string) {
		if id == front {
			c.change(id, feed.Removed)
		}
	})
}

// restored records that images are no longer in the trash. If a newer version of a figure was
// never there, only the number of its versions has changed.
func (c *changeList) restored(ids []string) error {
	back := make(map[string]bool, len(ids))
	for _, id := range ids {
		back[id] = true
	}
	told := make(map[string]bool)
	return c.fronts(ids, func(_, front string) {
		switch {
		case told[front]:
		case back[front]:
			c.change(front, feed.Restored)
		default:
			c.change(front, feed.Versions)
		}
		told[front] = true
	})
}

// shownWith records that what is shown with the figures of images has changed.
func (c *changeList) shownWith(ids []string) error {
	return c.fronts(ids, func(_, front string) { c.change(front, feed.Detail) })
}

// fronts calls f with each image and the newest version of its figure in the same place. A file on
// disk is its own.
func (c *changeList) fronts(ids []string, f func(id, front string)) error {
	if !c.on {
		return nil
	}
	for _, id := range ids {
		front, err := c.front(id)
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
func (c *changeList) purges(id string) error {
	if !c.on {
		return nil
	}
	r, err := scanImage(c.db.row(`select `+imageColumns+imageTables+` where i.id = ?`, id))
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil
	case err != nil:
		return err
	case r.trashed != 0:
		c.change(id, feed.Purged)
	case r.superseded:
		front, err := c.front(id)
		if err != nil {
			return err
		}
		c.change(front, feed.Versions)
	default:
		was := c.files.image(r, "").Image
		c.all = append(c.all, feed.Change{ID: id, What: feed.Removed, Was: &was})
	}
	return nil
}

// front returns the image that stores the annotations of an image's figure: the newest
// version in the same place (library or trash).
func (c *changeList) front(id string) (front string, err error) {
	err = c.db.row(frontOf, id).Scan(&front)
	return front, err
}

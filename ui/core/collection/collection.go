// Package collection combines the library and at most one directory of pictures on disk, for
// the gallery and the tools. Callers need not know which of the two an id belongs to.
//
// # Goroutines
//
// An open directory has some (see package folders). When another is opened, they may end
// later; Close waits for them. A Collection is safe for concurrent use, except for DrawFigures.
package collection

import (
	"context"
	"errors"
	"image"
	"log/slog"
	"slices"
	"strings"
	"sync"

	"easel/mcphost/catalog"
	"easel/ui/core/folders"
	"easel/ui/core/library"
	"easel/ui/core/library/feed"
	"easel/ui/core/library/search"
	"easel/ui/core/picture"
	"easel/ui/core/prompts"
	"easel/ui/core/state"
)

// Query returns the query for the images that a snapshot shows.
func Query(s *state.Snapshot) library.Query {
	q := library.Query{
		Rating: s.Query.Rating, RatingOp: s.Query.RatingOp, Tags: s.Query.Tags, AnyTag: s.Query.AnyTag, Findings: s.Query.Findings,
		Text: s.Query.Text, SortBy: s.Query.SortBy, Asc: s.Query.Asc,
	}
	if q.RatingOp == "" || q.Rating < 0 {
		q.Rating, q.RatingOp = -1, ""
	}
	if search.Parse(q.Text, search.Clock{}).Has(search.Is) { // else it makes no other query
		q.Looked = s.Settings.Looks.Last
	}
	if s.ByCell() {
		q.SortBy, q.Asc = library.ByCell, true
	}
	switch s.Folder.Kind {
	case state.OneSession:
		q.SessionID = s.Folder.ID
	case state.Directory:
		q.URIPrefix = folders.Scheme + s.Folder.ID
	case state.Trash:
		q.Trashed = true
	case state.AllSessions:
	}
	return q
}

// A Collection is the library and a directory. Methods that are not overridden apply to the
// library only.
type Collection struct {
	Library *library.Library

	o       folders.Options
	cache   folders.Cache
	figures Figures // nil: figures are not drawn
	cells   Cells   // nil: cells of notebooks are not known

	departures departures // images of the library that lists no longer have

	turn    sync.Mutex     // serializes opening and closing
	closing sync.WaitGroup // directories that were open
	mu      sync.Mutex     // guards dir
	dir     *folders.Directory
}

// New returns a Collection without a directory. What changes in an open directory is in the
// library's feed.
func New(l *library.Library, log *slog.Logger) *Collection {
	c := &Collection{Library: l}
	c.o = folders.Options{Annotations: l.Annotations, Cache: &c.cache, Log: log, Changes: l.Changes()}
	return c
}

// Cells knows the cells that drew plots. A cells.Cells is one.
type Cells interface {
	Cell(session, execution string) *catalog.PlotCell
	Sort(ctx context.Context, session string, ids []string) error
	Placed(session string, ids []string) int
}

// UseCells makes c sort by cell and say which cell drew an image. It must be called before all
// other methods.
func (c *Collection) UseCells(k Cells) { c.cells = k }

// locate sets the cell that drew im, if it is known.
func (c *Collection) locate(im *library.Image) {
	if c.cells != nil && im.SessionID != "" {
		im.Cell = c.cells.Cell(im.SessionID, im.ExecutionID)
	}
}

// Placed returns how many of the images that were found by a query come before those
// without a cell; all of them if the query does not sort by cell.
func (c *Collection) Placed(q library.Query, ids []string) int {
	if c.cells == nil || q.SortBy != library.ByCell {
		return len(ids)
	}
	return c.cells.Placed(q.SessionID, ids)
}

// OpenDirectory opens a directory, closes the previous one, and returns the path of the new
// one, which is the id of its folder. After an error, the previous one remains open. More of its
// files may be listed later; see WaitListed.
func (c *Collection) OpenDirectory(ctx context.Context, path string, reach folders.Reach) (string, error) {
	c.turn.Lock()
	defer c.turn.Unlock()
	now := c.directory()
	if now != nil && now.Path() == path && now.Deep() == reach.Deep && !now.Stopped() {
		return path, nil
	}
	o := c.o
	o.Reach = reach
	d, err := folders.Open(ctx, path, o)
	if err != nil {
		return "", err
	}
	c.replace(d)
	if now != nil && now.Path() == d.Path() {
		c.o.Changes.Append(feed.Change{What: feed.More}) // its list has the same name, but other files
	}
	return d.Path(), nil
}

// CloseDirectory closes the directory, if one is open.
func (c *Collection) CloseDirectory() {
	c.turn.Lock()
	defer c.turn.Unlock()
	c.replace(nil)
}

func (c *Collection) replace(d *folders.Directory) {
	c.mu.Lock()
	old := c.dir
	c.dir = d
	c.mu.Unlock()
	if old != nil {
		c.closing.Go(old.Close) // which may wait for a disk that does not answer
	}
}

func (c *Collection) directory() *folders.Directory {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.dir
}

// asked returns the directory that a query selects. onDisk reports whether it selects one. If
// that is not open, d is nil.
func (c *Collection) asked(q library.Query) (d *folders.Directory, onDisk bool) {
	path, onDisk := strings.CutPrefix(q.URIPrefix, folders.Scheme)
	if d = c.directory(); !onDisk || d == nil || d.Path() != path {
		return nil, onDisk
	}
	return d, true
}

func onDisk(id string) bool { return strings.HasPrefix(id, folders.Scheme) }

// IDs returns the ids of the matching images, in order.
func (c *Collection) IDs(ctx context.Context, q library.Query) ([]string, error) {
	switch d, onDisk := c.asked(q); {
	case d != nil:
		return d.IDs(ctx, q)
	case onDisk:
		return nil, nil
	default:
		moves := c.departures.now() // before the library is read: what has left since is in neither
		ids, err := c.Library.Images.IDs(ctx, q)
		ids = staying(moves, ids)
		if err == nil && q.SortBy == library.ByCell && c.cells != nil {
			err = c.cells.Sort(ctx, q.SessionID, ids)
		}
		return ids, err
	}
}

// List is IDs with the time and the session of each image.
func (c *Collection) List(ctx context.Context, q library.Query) (all []library.ListEntry, err error) {
	switch d, onDisk := c.asked(q); {
	case d != nil:
		return d.List(ctx, q)
	case onDisk:
		return nil, nil
	case q.SortBy == library.ByCell:
		ids, err := c.IDs(ctx, q)
		all = make([]library.ListEntry, len(ids))
		for i, id := range ids {
			all[i].ID = id
		}
		return all, err
	default:
		moves := c.departures.now() // as above
		all, err = c.Library.Images.List(ctx, q)
		if len(moves) > 0 {
			all = slices.DeleteFunc(all, func(l library.ListEntry) bool { return leaves(moves, l.ID) })
		}
		return all, err
	}
}

// Count returns the number of images in a query's folder, and of those that match.
func (c *Collection) Count(ctx context.Context, q library.Query) (total, matching int, err error) {
	switch d, onDisk := c.asked(q); {
	case d != nil:
		return d.Count(ctx, q)
	case onDisk:
		return 0, 0, nil
	default:
		if moves := c.departures.now(); len(moves) > 0 {
			return c.countWhileLeaving(ctx, moves, q)
		}
		return c.Library.Images.Count(ctx, q)
	}
}

// runs calls f with each run of ids that are all on disk or all in the library.
func runs(ids []string, f func(disk bool, ids []string) error) error {
	for len(ids) > 0 {
		disk := onDisk(ids[0])
		n := 1
		for n < len(ids) && onDisk(ids[n]) == disk {
			n++
		}
		if err := f(disk, ids[:n]); err != nil {
			return err
		}
		ids = ids[n:]
	}
	return nil
}

// Get returns images in the order of ids. It omits those that do not exist.
func (c *Collection) Get(ctx context.Context, ids ...string) (images []library.Image, err error) {
	images = make([]library.Image, 0, len(ids))
	err = runs(ids, func(disk bool, ids []string) error {
		part, err := []library.Image(nil), error(nil)
		if !disk {
			part, err = c.Library.Images.Get(ctx, ids...)
			for i := range part {
				c.explain(&part[i])
				c.locate(&part[i])
			}
		} else if d := c.directory(); d != nil {
			part, err = d.Get(ctx, ids...)
		}
		images = append(images, part...)
		return err
	})
	return images, err
}

// Image returns an image by its id or its URI or, in the open directory, its path or name.
func (c *Collection) Image(ctx context.Context, ref string) (library.Image, error) {
	d := c.directory()
	if d == nil && onDisk(ref) {
		return library.Image{}, library.ErrNotFound
	}
	if d != nil && !strings.Contains(ref, "://") {
		if im, err := d.Image(ctx, ref); err == nil || onDisk(ref) {
			return im, err
		}
	}
	im, err := c.Library.Images.Image(ctx, ref)
	c.locate(&im)
	return im, err
}

// Mark changes the marks of images in one transaction, as [library.Annotations.Mark] does. A
// target without a hash whose id is that of a file must be in the open directory; one with a
// hash may be anywhere.
func (c *Collection) Mark(ctx context.Context, targets []library.Target, edit func(i int, m *library.Marks) error) ([]library.MarkEdit,
	error,
) {
	d := c.directory()
	targets = slices.Clone(targets)
	var files []string
	for _, t := range targets {
		if onDisk(t.ID) && t.Hash == "" {
			files = append(files, t.ID)
		}
	}
	if len(files) > 0 {
		if d == nil {
			return nil, library.ErrNotFound
		}
		found, err := d.Targets(ctx, files)
		if err != nil {
			return nil, err
		}
		for i, t := range targets {
			if onDisk(t.ID) && t.Hash == "" {
				targets[i], found = found[0], found[1:]
			}
		}
	}
	changed, err := c.Library.Annotations.Mark(ctx, targets, edit)
	if err == nil && d != nil {
		d.Marked(slices.DeleteFunc(slices.Clone(changed), func(m library.MarkEdit) bool { return m.Hash == "" }))
	}
	return changed, err
}

// Thumb returns a thumbnail with a long edge of at most edge pixels.
func (c *Collection) Thumb(ctx context.Context, id string, edge int) (image.Image, error) {
	if !onDisk(id) {
		m, err := c.Library.Images.Thumb(ctx, id, edge)
		if errors.Is(err, picture.ErrNoRaster) {
			if images, err := c.Library.Images.Get(ctx, id); err == nil && len(images) == 1 {
				c.Drawing(images[0])
			}
		}
		return m, err
	}
	d := c.directory()
	if d == nil {
		return nil, library.ErrNotFound
	}
	m, err := d.Thumb(ctx, id, edge)
	if !errors.Is(err, picture.ErrNoRaster) {
		return m, err
	}
	drawn, err := c.rasterize(ctx, id)
	if err != nil {
		return nil, err
	}
	return picture.Thumb(drawn, edge)
}

// Read reads an image's bytes.
func (c *Collection) Read(ctx context.Context, ref string) ([]byte, library.Image, error) {
	if !onDisk(ref) {
		data, im, err := c.Library.Images.Read(ctx, ref)
		if err == nil {
			c.Drawing(im)
			c.explain(&im)
			c.locate(&im)
		}
		return data, im, err
	}
	if d := c.directory(); d != nil {
		return d.Read(ctx, ref)
	}
	return nil, library.Image{}, library.ErrNotFound
}

// ReadForm reads a form of an image. A file on disk has only one, and an SVG also the PNG that
// is drawn of it.
func (c *Collection) ReadForm(ctx context.Context, im library.Image, mime string) ([]byte, error) {
	if onDisk(im.ImageID) && im.MIMEType == picture.SVG && mime == picture.PNG {
		return c.rasterize(ctx, im.ImageID)
	}
	if onDisk(im.ImageID) && im.MIMEType != mime {
		return nil, library.ErrNotFound
	}
	if onDisk(im.ImageID) {
		data, _, err := c.Read(ctx, im.ImageID)
		return data, err
	}
	return c.Library.Images.ReadForm(ctx, im, mime)
}

// Tags returns the tags of the open directory's files, or of the library's images if none is
// open.
func (c *Collection) Tags(ctx context.Context) ([]library.TagCount, error) {
	if d := c.directory(); d != nil {
		return d.Tags(ctx)
	}
	return c.Library.Annotations.Tags(ctx)
}

// Prompt reads how the image in a file on disk was made (see package prompts).
func (c *Collection) Prompt(ctx context.Context, id string) (prompts.Info, error) {
	if d := c.directory(); d != nil && onDisk(id) {
		return d.Prompt(ctx, id)
	}
	return prompts.Info{}, library.ErrNotFound
}

// LatestFile returns the id of the most recently written file in the open directory, or "".
func (c *Collection) LatestFile() string {
	if d := c.directory(); d != nil {
		return d.Latest()
	}
	return ""
}

// Close closes the directory. It does not close the library, which belongs to the caller of
// New.
func (c *Collection) Close() {
	c.CloseDirectory()
	c.closing.Wait()
}

// Package cells knows which cell of a notebook drew each plot of the notebook's session, where
// the cell is now, and whether it has changed since.
//
// The library stores the cell of an execution if Easel ran the cell. If the user ran it, the
// kernel does not say which cell it was, so that it is recognised by its text and number, and
// then stored, too.
//
// # Goroutines
//
// Cells is safe for concurrent use and starts no goroutine. The run function of Watch runs on
// its caller's.
package cells

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"reflect"
	"slices"
	"sync"
	"time"

	"easel/internal/wake"
	"easel/mcphost/catalog"
	"easel/ui/core/library"
	"easel/ui/core/library/feed"
	"easel/ui/core/notebooks"
)

// NotebookReader reads a notebook, with the user's unsaved edits if it can. version identifies what it
// has read; if that is the same as known, it returns no notebook.
type NotebookReader func(ctx context.Context, server, path, known string) (n *notebooks.Notebook, version string, err error)

// Cells has the cells of the notebooks that were read lately. A nil *Cells knows none.
type Cells struct {
	Library *library.Library
	Read    NotebookReader
	Log     *slog.Logger

	mu    sync.Mutex
	books map[string]*book // by session
	wake  wake.Signal      // one slot: a notebook was edited; set by Watch
}

// A book is what is known of the notebook of a session.
type book struct {
	turn chan struct{} // one slot: held while the notebook is read

	// guarded by Cells.mu
	path  string // "" if the notebook could not be read
	at    time.Time
	took  time.Duration
	cells map[string]*catalog.PlotCell // by execution
	by    map[string]string            // executions by image, of the last Sort

	// guarded by turn
	version string
	index   *notebooks.Index
}

// maxBooks is the largest number of notebooks in Cells.
const maxBooks = 16

// freshFor is how long after reading a notebook Fresh does not read it again, at least.
const freshFor = 2 * time.Second

// freshLimit is how long Fresh waits.
const freshLimit = 3 * time.Second

// book returns the book of a session. If there are too many, it forgets the oldest.
func (c *Cells) book(session string) *book {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.books == nil {
		c.books = make(map[string]*book)
	}
	b := c.books[session]
	if b != nil {
		return b
	}
	if len(c.books) >= maxBooks {
		oldest := slices.MinFunc(slices.Collect(maps.Keys(c.books)), func(a, b string) int { return c.books[a].at.Compare(c.books[b].at) })
		delete(c.books, oldest)
	}
	b = &book{turn: make(chan struct{}, 1)}
	c.books[session] = b
	return b
}

// Fresh makes sure that what is known of a session's notebook is not older than a few
// seconds. It does nothing for a session without a notebook, or if that cannot be read soon.
func (c *Cells) Fresh(ctx context.Context, session string) {
	if c == nil || session == "" {
		return
	}
	b := c.book(session)
	c.mu.Lock()
	fresh := time.Since(b.at) < freshFor+newShare*b.took
	c.mu.Unlock()
	if fresh {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, freshLimit)
	defer cancel()
	if err := c.Refresh(ctx, session); err != nil {
		c.Log.DebugContext(ctx, "reading the cells of a notebook", "session", session, "err", err)
	}
}

// Refresh reads the notebook of a session again. The plots whose cells have changed are then in
// the library's feed. It is not an error if the session has no notebook.
func (c *Cells) Refresh(ctx context.Context, session string) error {
	b := c.book(session)
	select {
	case b.turn <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	defer func() { <-b.turn }()
	began := time.Now()
	path, cells, err := c.read(ctx, b, session)
	c.mu.Lock()
	b.at, b.took = time.Now(), time.Since(began)
	if err != nil && !errors.Is(err, notebooks.ErrNotFound) {
		c.mu.Unlock()
		return err // what is known may still be true
	}
	was := b.cells
	b.path, b.cells = path, cells
	c.mu.Unlock()
	return errors.Join(err, c.moved(ctx, session, was, cells))
}

// moved adds the images of a session whose cells are no longer what they were to the feed.
func (c *Cells) moved(ctx context.Context, session string, was, now map[string]*catalog.PlotCell) error {
	if reflect.DeepEqual(was, now) {
		return nil
	}
	runs, err := c.Library.Images.Runs(ctx, session)
	var changes []feed.Change
	for _, id := range slices.Sorted(maps.Keys(runs)) {
		if run := runs[id]; !reflect.DeepEqual(was[run], now[run]) {
			changes = append(changes, feed.Change{ID: id, What: feed.Cell})
		}
	}
	c.Library.Changes().Append(changes...)
	return err
}

// read reads the notebook of a session and finds the cells of its plots. The path is "" if the
// session has no notebook.
func (c *Cells) read(ctx context.Context, b *book, session string) (path string, cells map[string]*catalog.PlotCell, err error) {
	s, err := c.Library.Sessions.Get(ctx, session)
	if err != nil || s.NotebookPath == "" {
		return "", nil, err
	}
	n, version, err := c.Read(ctx, s.Server, s.NotebookPath, b.version)
	if errors.Is(err, notebooks.ErrNotFound) { // looking for it may have shown that it was renamed
		now, unknown := c.Library.Sessions.Get(ctx, session)
		if unknown == nil && now.NotebookPath != s.NotebookPath {
			s = now
			n, version, err = c.Read(ctx, s.Server, s.NotebookPath, b.version)
		}
	}
	if err != nil {
		return "", nil, err
	}
	if n != nil {
		b.index, b.version = n.Index(), version
	}
	runs, err := c.Library.Executions.Drawers(ctx, s.ID)
	if err != nil {
		return "", nil, err
	}
	cells = make(map[string]*catalog.PlotCell, len(runs))
	learned := make(map[string]string)
	for _, x := range runs {
		found := b.index.Find(notebooks.Drawer{Cell: x.Cell, Code: x.Code, Count: x.Count, Own: x.Own})
		if found.ID == "" {
			continue
		}
		if x.Cell == "" {
			learned[x.ID] = found.ID
		}
		cells[x.ID] = plotCell(found, x.Count, b.index.Len())
	}
	if len(learned) > 0 {
		err = c.Library.Executions.SetCells(ctx, learned)
	}
	return s.NotebookPath, cells, err
}

func plotCell(f notebooks.CellPlace, count, total int) *catalog.PlotCell {
	p := &catalog.PlotCell{CellID: f.ID, Count: count, Heading: f.Heading, Total: total}
	switch {
	case f.Index < 0:
		p.Stale = catalog.StaleDeleted
		return p
	case f.Changed:
		p.Stale = catalog.StaleChanged
	}
	p.Index = &f.Index
	return p
}

// Path returns the path of a session's notebook; "" if it has none or it was not read.
func (c *Cells) Path(session string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if b := c.books[session]; b != nil {
		return b.path
	}
	return ""
}

// Cell returns the cell that an execution has run, as far as it is known now.
func (c *Cells) Cell(session, execution string) *catalog.PlotCell {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if b := c.books[session]; b != nil {
		return b.cells[execution]
	}
	return nil
}

// Sort sorts images of a session by cell. Those without a cell are last. Images of the same
// cell keep their order.
func (c *Cells) Sort(ctx context.Context, session string, ids []string) error {
	by, err := c.Library.Images.Runs(ctx, session)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	b := c.books[session]
	if b == nil {
		return nil
	}
	b.by = by
	slices.SortStableFunc(ids, func(x, y string) int { return b.rank(x) - b.rank(y) })
	return nil
}

// last is the rank of an image without a cell.
const last = 1 << 30

// rank returns the index of the cell of an image. Cells.mu is held.
func (b *book) rank(image string) int {
	if p := b.cells[b.by[image]]; p != nil && p.Index != nil {
		return *p.Index
	}
	return last
}

// Placed returns how many of the sorted images have a cell in the notebook.
func (c *Cells) Placed(session string, ids []string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	b := c.books[session]
	if b == nil {
		return len(ids)
	}
	n, _ := slices.BinarySearchFunc(ids, last, func(id string, rank int) int { return b.rank(id) - rank })
	return n
}

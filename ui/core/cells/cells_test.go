package cells_test

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"

	"easel/internal/require"
	"easel/mcphost/catalog"
	"easel/ui/core/cells"
	"easel/ui/core/coretest"
	"easel/ui/core/library"
	"easel/ui/core/library/feed"
	"easel/ui/core/notebooks"
	"easel/ui/core/state"
)

const session = "5ab00000-0000-4000-8000-000000000000"

// A desk is a notebook, and the library with the plots of its session.
type desk struct {
	*cells.Cells
	t    *testing.T
	lib  *library.Library
	mu   sync.Mutex
	book *notebooks.Notebook
	err  error
	read chan struct{} // gets a value for each reading
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	lib := coretest.Open(t)
	d := &desk{t: t, lib: lib, book: notebooks.New(notebooks.Kernel{}), read: make(chan struct{}, 100)}
	require.NoError(t, lib.Sessions.Put(t.Context(), library.Session{ID: session, Server: "jupyter", NotebookPath: "n.ipynb"}))
	d.Cells = &cells.Cells{Library: lib, Log: log, Read: func(_ context.Context, server, path, _ string) (*notebooks.Notebook, string, error) {
		if server+path != "jupytern.ipynb" {
			return nil, "", fmt.Errorf("asked for %s on %s", path, server)
		}
		d.mu.Lock()
		defer d.mu.Unlock()
		d.read <- struct{}{}
		return d.book, "", d.err
	}}
	return d
}

// draw adds a plot by an execution, and returns its id.
func (d *desk) draw(x library.Execution) string {
	d.t.Helper()
	x.SessionID, x.Status = session, catalog.StatusOK
	require.NoError(d.t, d.lib.Executions.Put(d.t.Context(), x))
	var b strings.Builder
	m := image.NewGray(image.Rect(0, 0, 1, 1))
	m.Set(0, 0, color.Gray{uint8(x.Count)})
	require.NoError(d.t, png.Encode(&b, m))
	im, err := d.lib.Images.Add(d.t.Context(), library.NewImage{
		SessionID: session, ExecutionID: x.ID, Forms: []library.Form{{MIME: "image/png", Data: []byte(b.String())}},
	})
	require.NoError(d.t, err)
	return im.ImageID
}

func (d *desk) refresh() (changed bool) {
	d.t.Helper()
	path, before := d.Path(session), d.lib.Changes().Last()
	require.NoError(d.t, d.Refresh(d.t.Context(), session))
	return d.Path(session) != path || d.moved(before)
}

// moved reports whether the cell of a plot has changed after a revision.
func (d *desk) moved(after uint64) bool {
	changes, lost := d.lib.Changes().Since(after, d.lib.Changes().Last())
	return lost || slices.ContainsFunc(changes, func(c feed.Change) bool { return c.What == feed.Cell })
}

// where returns the index of the cell of an execution and why it is stale.
func (d *desk) where(execution string) string {
	switch c := d.Cell(session, execution); {
	case c == nil:
		return "none"
	case c.Index == nil:
		return c.Stale
	default:
		return strings.TrimSpace(fmt.Sprint(*c.Index, " ", c.Stale))
	}
}

func TestPlotsFollowTheirCells(t *testing.T) {
	d := newDesk(t)
	for i, source := range []string{"one", "two", "three"} {
		d.book.Insert(i, notebooks.Code, source)
	}
	three := d.draw(library.Execution{ID: "x3", Code: "three", Count: 1})
	one := d.draw(library.Execution{ID: "x1", Code: "one", Count: 2, Own: true, Cell: d.book.Cells[0].ID()})
	other := d.draw(library.Execution{ID: "x", Code: "one", Count: 3, Own: true})
	if !d.refresh() || d.where("x1") != "0" || d.where("x3") != "2" || d.where("x") != "none" {
		t.Errorf("cells %s, %s, %s", d.where("x1"), d.where("x3"), d.where("x"))
	}
	if d.refresh() {
		t.Error("it has changed without a reason")
	}
	ids := []string{other, three, one}
	if err := d.Sort(t.Context(), session, ids); err != nil || !slices.Equal(ids, []string{one, three, other}) || d.Placed(session, ids) != 2 {
		t.Errorf("order %v, %v; %d of them have a cell", ids, err, d.Placed(session, ids))
	}

	// The cell that the user ran was recognised by its text. It stays known.
	d.book.Cells[2].SetSource("3")
	d.book.Move(2, 0)
	if !d.refresh() || d.where("x3") != "0 changed" || d.where("x1") != "1" {
		t.Errorf("after a change: cells %s, %s", d.where("x3"), d.where("x1"))
	}
	d.book.Delete(0)
	if !d.refresh() || d.where("x3") != "deleted" {
		t.Errorf("after its deletion: %s", d.where("x3"))
	}
	if err := d.Sort(t.Context(), session, ids); err != nil || ids[0] != one || d.Placed(session, ids) != 1 {
		t.Errorf("order %v, %v", ids, err)
	}

	// What is known stays while the server does not answer, and goes with the notebook.
	d.err = errors.New("no answer")
	before := d.lib.Changes().Last()
	if err := d.Refresh(t.Context(), session); d.moved(before) || err == nil || d.where("x1") != "0" {
		t.Errorf("without an answer: %v, %s", err, d.where("x1"))
	}
	d.err = notebooks.ErrNotFound
	if _ = d.Refresh(t.Context(), session); !d.moved(before) || d.where("x1") != "none" || d.Path(session) != "" {
		t.Errorf("without the notebook: %s", d.where("x1"))
	}
}

func TestTheNotebookIsReadWhileTheWindowShowsItsPlots(t *testing.T) {
	d := newDesk(t)
	d.book.Insert(0, notebooks.Code, "one")
	d.draw(library.Execution{ID: "x1", Code: "one", Count: 1})
	store := state.NewStore(state.Snapshot{Window: state.WindowHidden, Folder: state.Folder{Kind: state.OneSession, ID: session}})
	updates := make(chan *state.Snapshot, 100)
	defer store.OnChange(func() { updates <- store.Snapshot() })()
	until := func(what string, is func(*state.Snapshot) bool) {
		t.Helper()
		for s := store.Snapshot(); !is(s); {
			select {
			case s = <-updates:
			case <-t.Context().Done():
				t.Fatal(what)
			}
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	var tasks sync.WaitGroup
	tasks.Go(d.Watch(ctx, store))
	defer tasks.Wait()
	defer cancel()

	store.Update(func(s *state.Snapshot) { s.Total = 1 })
	if len(d.read) > 0 {
		t.Error("it was read for a hidden window")
	}
	store.Update(func(s *state.Snapshot) { s.Window = state.WindowShown })
	until("the notebook", func(s *state.Snapshot) bool { return s.Notebook == state.Notebook{SessionID: session, Path: "n.ipynb"} })
	before := d.lib.Changes().Last()
	d.mu.Lock()
	d.book.Cells[0].SetSource("1")
	d.mu.Unlock()
	d.Edited()
	for now := before; !d.moved(before); now = d.lib.Changes().Last() {
		<-d.lib.Changes().More(now)
	}
	if d.where("x1") != "0 changed" {
		t.Errorf("cell %s", d.where("x1"))
	}
	store.Update(func(s *state.Snapshot) { s.Folder = state.Folder{Kind: state.AllSessions} })
	until("another folder", func(s *state.Snapshot) bool { return s.Notebook == state.Notebook{} })
}

// TestPlotsFollowTheRenamedNotebook covers a notebook that is found to be renamed when it is read.
func TestPlotsFollowTheRenamedNotebook(t *testing.T) {
	d := newDesk(t)
	d.book.Insert(0, notebooks.Code, "one")
	d.draw(library.Execution{ID: "x1", Code: "one", Count: 1})
	if !d.refresh() || d.where("x1") != "0" {
		t.Fatalf("cell %s", d.where("x1"))
	}
	read := d.Read
	d.Read = func(ctx context.Context, server, path, known string) (*notebooks.Notebook, string, error) {
		if path == "renamed.ipynb" {
			return read(ctx, server, "n.ipynb", known)
		}
		if err := d.lib.Sessions.Put(ctx, library.Session{ID: session, Server: "jupyter", NotebookPath: "renamed.ipynb"}); err != nil {
			return nil, "", err
		}
		return nil, "", notebooks.ErrNotFound
	}
	if !d.refresh() || d.where("x1") != "0" || d.Path(session) != "renamed.ipynb" {
		t.Errorf("cell %s in %q", d.where("x1"), d.Path(session))
	}
}

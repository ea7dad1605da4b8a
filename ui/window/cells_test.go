package window

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"

	"easel/mcphost/catalog"
	"easel/ui/core/command"
	"easel/ui/core/state"
	"easel/ui/window/external"
	"easel/ui/window/gallery"
	"easel/ui/window/uitest"
)

// notebookOf returns a library with nine plots of a session with a notebook, and the state that
// shows them in the order of the cells. The plots were drawn from the last cell to the first.
// Two are stale, one was drawn by no cell, and one by a cell that was deleted.
func notebookOf(t testing.TB, edit func(*state.Snapshot)) (*uitest.Library, func(*state.Snapshot)) {
	lib, drew := uitest.NewLibrary(t), notebookCells{}
	lib.UseCells(drew)
	lib.AddSession(1, "売上.ipynb", "")
	headings := []string{"1. Data", "2. 売上の推移", "3. Model and residuals of the seasonal part"}
	for i := range 9 {
		id := lib.Add(1, []string{"", "売上（地域別）", "Residuals"}[i%3], sineCode)
		index := 22 - 2*i
		cell := &catalog.PlotCell{CellID: id, Index: &index, Count: i + 1, Heading: headings[i%3], Total: 24}
		switch i {
		case 1, 4:
			cell.Stale = catalog.StaleChanged
		case 6:
			cell = nil
		case 7:
			cell.Index, cell.Stale, cell.Heading = nil, catalog.StaleDeleted, ""
		}
		drew[strings.Replace(id, "img", "run", 1)] = cell
	}
	return lib, func(s *state.Snapshot) {
		busy(s)
		s.Folder = state.Folder{Kind: state.OneSession, ID: uitest.SessionID(1)}
		s.Notebook = state.Notebook{SessionID: uitest.SessionID(1), Path: "売上.ipynb"}
		s.Query.ByCell = true
		s.Sessions[1].NotebookPath, s.Sessions[1].Images = "売上.ipynb", 9
		if edit != nil {
			edit(s)
		}
	}
}

// notebookCells are the cells that executions ran.
type notebookCells map[string]*catalog.PlotCell

func (n notebookCells) Cell(_, execution string) *catalog.PlotCell { return n[execution] }

// index returns the place of the cell of an image, or a large number if it has none.
func (n notebookCells) index(id string) int {
	if c := n[strings.Replace(id, "img", "run", 1)]; c != nil && c.Index != nil {
		return *c.Index
	}
	return math.MaxInt
}

func (n notebookCells) Sort(_ context.Context, _ string, ids []string) error {
	slices.SortStableFunc(ids, func(a, b string) int { return cmp.Compare(n.index(a), n.index(b)) })
	return nil
}

func (n notebookCells) Placed(_ string, ids []string) int {
	return len(slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return n.index(id) == math.MaxInt }))
}

func TestThePlotsOfANotebook(t *testing.T) {
	for name, c := range map[string]struct {
		size fyne.Size
		edit func(*state.Snapshot)
	}{
		"notebook": {wide, func(s *state.Snapshot) {
			s.Settings.Layout.Dock, s.Settings.ThumbSize = state.Hidden, 140
			s.Selection, s.Current = []string{plotID(5)}, plotID(5)
		}},
		"notebook_dark_ja_narrow": {narrowed, func(s *state.Snapshot) {
			s.Settings.Theme, s.Settings.Language, s.Settings.ThumbSize = "dark", "ja", 110
		}},
		"notebook_by_time": {wide, func(s *state.Snapshot) {
			s.Query.ByCell, s.Selection, s.Current = false, []string{plotID(8)}, plotID(8)
		}},
		"notebook_in_the_viewer": {wide, func(s *state.Snapshot) {
			s.Mode, s.Selection, s.Current = state.Viewer, []string{plotID(2)}, plotID(2)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			lib, set := notebookOf(t, c.edit)
			w := newWorld(t, c.size, lib, set)
			uitest.Golden(t, name, w.app.win.Canvas())
		})
	}
}

func TestTheOrderOfTheNotebook(t *testing.T) {
	lib, set := notebookOf(t, nil)
	w := newWorld(t, wide, lib, set)
	byCell := []string{plotID(9), plotID(6), plotID(5), plotID(4), plotID(3), plotID(2), plotID(1), plotID(7), plotID(8)}
	if got := w.app.shell.gallery.ids; !slices.Equal(got, byCell) {
		t.Fatalf("by cell: %v", got)
	}

	// The keys cross the heading, and so does a band.
	w.key(fyne.KeyEnd)
	grid := w.app.shell.gallery.grid
	w.key(fyne.KeyUp)
	if n := grid.Columns(); grid.Cursor() != byCell[(6/n)*n+1] && grid.Cursor() != byCell[6] {
		t.Errorf("↑ from the second part goes to %s", grid.Cursor())
	}
	w.key(fyne.KeyDown)
	if grid.Cursor() != plotID(8) && grid.Cursor() != plotID(7) {
		t.Errorf("↓ goes to %s", grid.Cursor())
	}

	w.app.typedRune('n')
	w.settled()
	n := w.store.Snapshot()
	if n.Query.ByCell || n.Settings.Layout.ByCell || !slices.IsSortedFunc(w.app.shell.gallery.ids, func(a, b string) int { return strings.Compare(b, a) }) {
		t.Errorf("by time: %v", w.app.shell.gallery.ids)
	}
	w.app.shell.gallery.bar.cells.Tapped(nil)
	w.settled()
	if n = w.store.Snapshot(); !n.Settings.Layout.ByCell || !slices.Equal(w.app.shell.gallery.ids, byCell) {
		t.Errorf("by cell again: %v", w.app.shell.gallery.ids)
	}
	// An assistant that sorts is obeyed, but the user's choice stays.
	w.call(t, "sort_thumbnails", `{"by": "rating"}`)
	if n = w.store.Snapshot(); n.ByCell() || !n.Settings.Layout.ByCell {
		t.Errorf("after the assistant has sorted: %+v", n.Query)
	}
	w.app.shell.gallery.bar.time.Tapped(nil)
	w.settled()
	if n = w.store.Snapshot(); n.Query.SortBy != "created" || n.Settings.Layout.ByCell {
		t.Errorf("by time again: %+v", n.Query)
	}
	w.app.navigate.OpenAll("", 0)
	w.settled()
	if bar := w.app.shell.gallery.bar; bar.cells.Visible() || !bar.sort.Visible() {
		t.Error("all sessions together have the order of a notebook")
	}
}

func TestACellIsShownInJupyterLab(t *testing.T) {
	lib, set := notebookOf(t, func(s *state.Snapshot) { s.Selection, s.Current = []string{plotID(1)}, plotID(1) })
	w := newWorld(t, wide, lib, set)
	asked := make(chan command.ShowCellIn, 10)
	out := command.ShowCellOut{Shown: true}
	command.ShowCell.Handle(w.bus, func(_ context.Context, in command.ShowCellIn) (command.ShowCellOut, error) {
		asked <- in
		return out, nil
	}, nil)
	var opened []string
	w.app.cfg.JupyterLab = func(context.Context, string) (string, error) { return "", nil }
	w.app.cfg.OpenSecret = func(url string) error { opened = append(opened, url); return nil }
	w.app.external = external.New(w.app.externalPort())
	w.app.typedRune('j')
	w.settled()
	if in := <-asked; in != (command.ShowCellIn{Image: plotID(1)}) {
		t.Errorf("asked %+v", in)
	}
	w.said("JupyterLab shows the cell.")

	// Without a tab, the browser opens the notebook, and then the cell is shown there.
	out = command.ShowCellOut{Address: "http://jupyter/lab/tree/n.ipynb"}
	w.app.typedRune('j')
	w.settled()
	if first, second := <-asked, <-asked; first.Opening || !second.Opening || len(opened) != 1 || opened[0] != out.Address {
		t.Errorf("asked %+v and %+v, opened %v", first, second, opened)
	}
	// A cell that was deleted is not shown.
	w.app.navigate.Open(plotID(8))
	w.settled()
	w.app.typedRune('j')
	w.settled()
	if len(asked) > 0 {
		t.Errorf("asked %+v", <-asked)
	}
	if im, _ := w.app.shell.gallery.known(plotID(8)); gallery.CellName(w.app.shell.k, im) != "In [8]" {
		t.Errorf("its name: %s", gallery.CellName(w.app.shell.k, im))
	}
}

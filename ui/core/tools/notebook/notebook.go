// Package notebook implements the tools for notebooks and files on Jupyter servers.
//
// # Goroutines
//
// Calls run on goroutines of the bus. The outputs of a cell are saved, and the next cell is
// started, on the goroutine of its kernel's recorder; see kernels.Manager.WhenEnded. What they
// share has its own lock.
package notebook

import (
	"context"
	"log/slog"

	"easel/mcphost/catalog"
	"easel/ui/core/cells"
	"easel/ui/core/command"
	"easel/ui/core/editors"
	"easel/ui/core/kernels/execution"
	"easel/ui/core/library"
	"easel/ui/core/notebooks"
	"easel/ui/core/private"
	"easel/ui/core/tools/chain"
	"easel/ui/core/tools/paths"
	"easel/ui/core/tools/run"
)

// Deps are the dependencies of the tools for notebooks.
type Deps struct {
	Runner  *run.Runner
	Paths   *paths.Finder
	Library *library.Library
	Rooms   *notebooks.Rooms // joins shared notebooks; if nil, it cannot
	Editors *editors.Hub     // has the user's editors; may be nil
	Cells   *cells.Cells     // knows the cells that drew plots; Register makes it read notebooks
	Private *private.Directory
	Log     *slog.Logger
}

// Tools are what tools for other subjects need of notebooks.
type Tools struct {
	reader *reader
	runs   *cellRunner
}

// Register registers the bodies.
func Register(c *chain.Chain, d Deps) *Tools {
	if d.Rooms == nil {
		d.Rooms = &notebooks.Rooms{Python: func() string { return "" }}
	}
	k, open := d.Runner.Kernels, newOpener(d)
	files := open.files
	find := &finder{paths: d.Paths, kernels: k, files: files}
	known := &readers{kernels: k}
	runs := &cellRunner{
		paths: d.Paths, kernels: k, library: d.Library, cells: d.Cells, log: d.Log, runner: d.Runner,
		find: find, open: open, known: known, earlier: make(map[place][]*cellRun),
	}
	chain.Register(c, catalog.NotebookRunCell, runs.runCell)
	r := &reader{paths: d.Paths, library: d.Library, find: find, open: open, known: known}
	chain.Register(c, catalog.NotebookRead, r.read)
	e := &editor{paths: d.Paths, files: files, cells: d.Cells, find: find, open: open, known: known, runs: runs}
	chain.Register(c, catalog.NotebookCreate, e.create)
	chain.Register(c, catalog.NotebookAddCell, e.addCell)
	chain.Register(c, catalog.NotebookEditCell, e.editCell)
	chain.Register(c, catalog.NotebookMoveCell, e.moveCell)
	chain.Register(c, catalog.NotebookDeleteCell, e.deleteCell)
	f := &fileReader{find: find, files: files, private: d.Private}
	chain.Register(c, catalog.FileList, f.fileList)
	chain.Register(c, catalog.FileRead, f.fileRead)
	s := &saver{paths: d.Paths, kernels: k, library: d.Library, files: files}
	chain.Register(c, command.SaveAsNotebook, s.saveAs)
	p := &plotCells{kernels: k, library: d.Library, cells: d.Cells, files: files, open: open, log: d.Log}
	chain.Register(c, command.ShowCell, p.showCell)
	d.Cells.Read = p.peek
	return &Tools{reader: r, runs: runs}
}

// SavedPicture reads a picture that is saved in a notebook. path is the server's own spelling.
func (t *Tools) SavedPicture(ctx context.Context, name notebooks.PictureName) (p notebooks.SavedPicture, path string, err error) {
	return t.reader.savedPicture(ctx, name)
}

// HintCell says what became of a cell that has run; see run.Deps.
func (t *Tools) HintCell(ctx context.Context, x *execution.Execution, wait bool) string {
	return t.runs.hintCell(ctx, x, wait)
}

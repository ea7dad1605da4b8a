package notebook

import (
	"context"
	"fmt"
	"strings"
	"time"

	"easel/jupyter"
	"easel/mcphost/catalog"
	"easel/ui/core/cells"
	"easel/ui/core/notebooks"
	"easel/ui/core/tools/codes"
	"easel/ui/core/tools/paths"
	"easel/ui/core/tools/run"
)

// An editor creates notebooks and changes their cells.
type editor struct {
	paths *paths.Finder
	files *notebooks.Files
	cells *cells.Cells
	find  *finder
	open  *opener
	known *readers
	runs  *cellRunner
}

func (n *editor) create(ctx context.Context, in catalog.NotebookCreateIn) (catalog.NotebookCreateOut, error) {
	ctx, cancel := paths.Patience(ctx)
	defer cancel()
	out := catalog.NotebookCreateOut{Result: catalog.OK}
	clean, server, err := n.paths.Resolve(ctx, in.Server, "path", in.Path, jupyter.NotebookPath)
	if err != nil {
		return out, err
	}
	if err = n.paths.Astray(ctx, server, "path", in.Path); err != nil {
		return out, err
	}
	hosts, err := n.paths.Hosts(ctx, server)
	if err != nil {
		return out, err
	}
	at := place{hosts[0], clean}
	book := notebooks.New(kernelOf(ctx, at, ""))
	for _, c := range in.Cells {
		book.Insert(len(book.Cells), c.CellType, c.Source)
	}
	if err := n.files.Create(ctx, at.Client, at.path, book); err != nil {
		return out, codes.Notebook(at.path, err)
	}
	n.paths.Chosen.Add(ctx, at.path, at.Name)
	out.Path, out.AtServer, out.CreatedAt = at.own(), n.paths.At(at.Name), time.Now().UTC()
	return out, nil
}

func ref(in catalog.CellRef) notebooks.Ref { return notebooks.Ref{ID: in.CellID, Index: in.Index} }

// change applies an edit to a notebook, if it may be written and the cell that the edit names
// is as the caller was last told. check is called to find out. It returns where the edit was
// made.
func (n *editor) change(ctx context.Context, server, p string, e *notebooks.Edit,
	check func(notebooks.Caller, *notebooks.Notebook) error,
) (at place, d notebooks.Document, err error) {
	at, err = n.find.notebook(ctx, server, p)
	if err != nil {
		return at, nil, err
	}
	knows := n.known.caller(ctx, at)
	e.Check = func(book *notebooks.Notebook) error { return check(knows, book) }
	if d, err = n.open.document(ctx, at); err != nil {
		return at, nil, n.open.refusal(ctx, at, err, e.Refused)
	}
	if err := d.Edit(ctx, e); err != nil {
		return at, nil, n.open.editError(ctx, at, knows, err)
	}
	knows.Did(e)
	n.cells.Edited()
	n.open.greet(ctx, at, d)
	return at, d, nil
}

// unchanged checks that the cell is as the caller was last told.
func unchanged(r notebooks.Ref) func(notebooks.Caller, *notebooks.Notebook) error {
	return func(c notebooks.Caller, book *notebooks.Notebook) error { return c.Check(book, r) }
}

func (n *editor) changed(at place, d notebooks.Document, e *notebooks.Edit) catalog.CellChanged {
	return catalog.CellChanged{
		Result: catalog.OK, AtServer: n.paths.At(at.Name), Path: at.own(), CellID: e.Cell.ID(), Index: e.Index,
		Via: d.Via(),
	}
}

func (n *editor) addCell(ctx context.Context, in catalog.NotebookAddCellIn) (catalog.CellChanged, error) {
	if in.Run && in.CellType != notebooks.Code {
		return catalog.CellChanged{}, notCode(in.CellType, "nothing was added")
	}
	asked, end := in.Position, 0
	edit := notebooks.AddCell(in.CellType, in.Source, in.Position)
	if asked != nil {
		asked = new(*asked)
	}
	out, err := n.changeAndRun(ctx, in.Server, in.Path, edit, in.Run, func(c notebooks.Caller, book *notebooks.Notebook) (err error) {
		end = len(book.Cells)
		if in.Position != nil {
			*in.Position, err = c.Position(book, *in.Position)
		}
		return err
	})
	if err == nil && asked != nil && *asked > end {
		addNote(&out, fmt.Sprintf("position %d is beyond the end, so the cell was added at the end", *asked))
	}
	return out, err
}

// addNote adds a note to a result.
func addNote(out *catalog.CellChanged, note string) {
	out.Note = strings.TrimPrefix(out.Note+"; "+note, "; ")
}

func (n *editor) editCell(ctx context.Context, in catalog.NotebookEditCellIn) (catalog.CellChanged, error) {
	r := ref(in.CellRef)
	edit := notebooks.EditCell(r, in.Source)
	if in.Run {
		edit.Only = func(c *notebooks.Cell) error {
			if c.Type() != notebooks.Code {
				return notCode(c.Type(), "its text was not changed")
			}
			return nil
		}
	}
	return n.changeAndRun(ctx, in.Server, in.Path, edit, in.Run, unchanged(r))
}

func (n *editor) changeAndRun(ctx context.Context, server, p string, e *notebooks.Edit, runs bool,
	check func(notebooks.Caller, *notebooks.Notebook) error,
) (catalog.CellChanged, error) {
	short, cancel := paths.Patience(ctx)
	defer cancel()
	at, d, err := n.change(short, server, p, e, check)
	if err != nil {
		return catalog.CellChanged{}, err
	}
	out := n.changed(at, d, e)
	if !runs {
		return out, nil
	}
	return n.runs.run(ctx, at, d, []string{out.CellID}, 0, run.DefaultWait)
}

func (n *editor) moveCell(ctx context.Context, in catalog.NotebookMoveCellIn) (catalog.CellChanged, error) {
	ctx, cancel := paths.Patience(ctx)
	defer cancel()
	r := ref(in.CellRef)
	edit := notebooks.MoveCell(r, in.To)
	at, d, err := n.change(ctx, in.Server, in.Path, edit, unchanged(r))
	if err != nil {
		return catalog.CellChanged{}, err
	}
	out := n.changed(at, d, edit)
	if in.To > out.Index {
		addNote(&out, fmt.Sprintf("%d is beyond the end, so the cell was moved to the end", in.To))
	}
	return out, nil
}

func (n *editor) deleteCell(ctx context.Context, in catalog.NotebookDeleteCellIn) (catalog.NotebookDeleteCellOut, error) {
	ctx, cancel := paths.Patience(ctx)
	defer cancel()
	out := catalog.NotebookDeleteCellOut{Result: catalog.OK}
	r := ref(in.CellRef)
	edit := notebooks.DeleteCell(r)
	at, d, err := n.change(ctx, in.Server, in.Path, edit, unchanged(r))
	if err != nil {
		return out, err
	}
	out.AtServer, out.Path, out.CellID, out.Index, out.Total, out.Via = n.paths.At(at.Name), at.own(), edit.Cell.ID(), edit.Index,
		edit.Total, d.Via()
	out.Removed = catalog.NewCell{CellType: edit.Cell.Type(), Source: edit.Cell.Source()}
	return out, nil
}

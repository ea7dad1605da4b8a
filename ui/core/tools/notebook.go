package tools

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"easel/jupyter"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/command"
	"easel/ui/core/kernels/servers"
	"easel/ui/core/notebooks"
	"easel/ui/core/private"
	"easel/ui/core/tools/chain"
	"easel/ui/core/tools/codes"
	"easel/ui/core/tools/paths"
	"easel/ui/core/tools/run"
)

// notebookBodies implements the toolset notebook.
type notebookBodies struct {
	*bodies
	files *notebooks.Files
	rooms *notebooks.Rooms
	seen  notebooks.ReadHistory

	mu      sync.Mutex
	earlier map[place][]*cellRun          // ended runs whose displays a later cell may still update
	noTabs  map[*jupyter.Server]time.Time // when no JupyterLab tab answered
	greeted map[place]time.Time           // when a tab showed who works in it
	inTabs  map[place]tabSeen             // notebooks that a tab showed
	alone   map[place]string              // kernels of others' sessions that nobody is connected to, by their notebook
	tabs    notebooks.Tabs
}

// registerNotebook registers the implementations of the toolset notebook.
func registerNotebook(c *chain.Chain, b *bodies) *notebookBodies {
	if b.Rooms == nil {
		b.Rooms = &notebooks.Rooms{Python: func() string { return "" }}
	}
	n := &notebookBodies{
		bodies: b, files: b.Kernels.Notebooks(), rooms: b.Rooms,
		earlier: make(map[place][]*cellRun), noTabs: make(map[*jupyter.Server]time.Time),
		greeted: make(map[place]time.Time), inTabs: make(map[place]tabSeen), alone: make(map[place]string),
	}
	chain.Register(c, catalog.NotebookCreate, n.create)
	chain.Register(c, catalog.NotebookRead, n.read)
	chain.Register(c, catalog.NotebookAddCell, n.addCell)
	chain.Register(c, catalog.NotebookEditCell, n.editCell)
	chain.Register(c, catalog.NotebookMoveCell, n.moveCell)
	chain.Register(c, catalog.NotebookDeleteCell, n.deleteCell)
	chain.Register(c, catalog.NotebookRunCell, n.runCell)
	chain.Register(c, catalog.FileList, n.fileList)
	chain.Register(c, catalog.FileRead, n.fileRead)
	b.Cells.Read = n.peek
	chain.Register(c, command.ShowCell, n.showCell)
	chain.Register(c, command.SaveAsNotebook, n.saveAs)
	return n
}

// A place is a file on a server.
type place struct {
	servers.Host
	path string // cleaned by jupyter.CleanPath
}

// own returns the path in the server's own spelling.
func (p place) own() string { return p.Client.Spelling(p.path) }

// led says where a place is, if a symbolic link leads to it.
func (p place) led() catalog.LinkTarget {
	disk := p.Client.Disk(p.own())
	if disk == "" || p.Client.Elsewhere() {
		return catalog.LinkTarget{}
	}
	return catalog.LinkTarget{RealPath: private.Outside(p.Client.Root(), disk)}
}

// find returns the place of a file or folder. If server is "" and there are several servers, it is
// on the first that has the file, or on the default server if none has it.
func (n *notebookBodies) find(ctx context.Context, server, p string) (place, error) {
	clean, server, err := n.paths.Resolve(ctx, server, "path", p, jupyter.CleanPath)
	if err != nil {
		return place{}, err
	}
	hosts, err := n.Kernels.Servers.Hosts(ctx, server)
	if err != nil {
		return place{}, err
	}
	if len(hosts) > 1 {
		for _, h := range hosts {
			if _, err := n.files.Stat(ctx, h.Client, clean); err == nil {
				return place{h, clean}, nil
			}
		}
	}
	return place{hosts[0], clean}, nil
}

func (n *notebookBodies) create(ctx context.Context, in catalog.NotebookCreateIn) (catalog.NotebookCreateOut, error) {
	ctx, cancel := paths.Patience(ctx)
	defer cancel()
	out := catalog.NotebookCreateOut{Result: catalog.OK}
	clean, server, err := n.paths.Resolve(ctx, in.Server, "path", in.Path, jupyter.NotebookPath)
	if err != nil {
		return out, err
	}
	hosts, err := n.Kernels.Servers.Hosts(ctx, server)
	if err != nil {
		return out, err
	}
	at := place{hosts[0], clean}
	book := notebooks.New(n.kernelOf(ctx, at, ""))
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

// kernelOf describes a kernel of the server for the metadata of a notebook. An empty name
// means the default kernel.
func (n *notebookBodies) kernelOf(ctx context.Context, at place, name string) notebooks.Kernel {
	specs, err := at.Client.KernelSpecs(ctx)
	if name == "" {
		name = specs.Default
	}
	s, ok := specs.Specs[name]
	if err != nil || !ok {
		if name == "" {
			name = "python3"
		}
		return notebooks.Kernel{Name: name, DisplayName: name}
	}
	return notebooks.Kernel{Name: name, DisplayName: s.DisplayName, Language: strings.ToLower(s.Language)}
}

// sessionOf returns the id of the notebook's running session, or "" if it has none or the
// server does not respond.
func (n *notebookBodies) sessionOf(ctx context.Context, at place) string {
	sessions, err := n.Kernels.Sessions(ctx, at.Host)
	if err != nil {
		return "" // the id is optional
	}
	for _, s := range sessions {
		if p, err := jupyter.CleanPath(s.Path); err == nil && p == at.path {
			return s.ID
		}
	}
	return ""
}

func ref(in catalog.CellRef) notebooks.Ref { return notebooks.Ref{ID: in.CellID, Index: in.Index} }

// caller returns what the caller knows of the notebook.
func (n *notebookBodies) caller(ctx context.Context, at place) notebooks.Caller {
	who := tool.CallerFrom(ctx).Identity()
	c := n.seen.By(who, at.Client, at.path)
	for _, before := range n.Kernels.Renames.Formerly(at.Name, at.path) {
		c.Inherit(n.seen.By(who, at.Client, before))
	}
	return c
}

// change applies an edit to a notebook, if it may be written and the cell that the edit names
// is as the caller was last told. check is called to find out. It returns where the edit was
// made.
func (n *notebookBodies) change(ctx context.Context, server, p string, e *notebooks.Edit, check func(notebooks.Caller, *notebooks.Notebook) error) (at place, d notebooks.Document, err error) {
	at, err = n.notebook(ctx, server, p)
	if err != nil {
		return at, nil, err
	}
	knows := n.caller(ctx, at)
	e.Check = func(book *notebooks.Notebook) error { return check(knows, book) }
	if d, err = n.document(ctx, at); err != nil {
		return at, nil, n.refusal(ctx, at, err, e.Refused)
	}
	if err := d.Edit(ctx, e); err != nil {
		return at, nil, n.editError(ctx, at, knows, err)
	}
	knows.Did(e)
	n.Cells.Edited()
	n.greet(ctx, at, d)
	return at, d, nil
}

// refusal returns the error of a call for a notebook that cannot be written now. If the call
// is wrong, as far as the file says, the error is that of check instead: nobody should close a
// notebook for it.
func (n *notebookBodies) refusal(ctx context.Context, at place, err error, check func(*notebooks.Notebook) error) error {
	refused := n.documentError(ctx, at, err)
	if tool.AsError(refused).Code != tool.NotExecutable {
		return refused
	}
	book, err := n.files.Read(ctx, at.Client, at.path)
	if err != nil {
		return refused
	}
	if err := check(book); err != nil {
		return codes.Notebook(at.path, err)
	}
	return refused
}

// unchanged checks that the cell is as the caller was last told.
func unchanged(r notebooks.Ref) func(notebooks.Caller, *notebooks.Notebook) error {
	return func(c notebooks.Caller, book *notebooks.Notebook) error { return c.Check(book, r) }
}

// mostStale is how many bytes of a changed cell an error contains.
const mostStale = 8_000

// editError converts an error of an edit to a tool.Error. If the cell has changed, the
// error contains its new text, so that the caller knows it from now on.
func (n *notebookBodies) editError(ctx context.Context, at place, knows notebooks.Caller, err error) error {
	stale, ok := errors.AsType[*notebooks.StaleError](err)
	if !ok {
		return n.documentError(ctx, at, err)
	}
	e := &tool.Error{
		Code: tool.NotExecutable, Err: err, Detail: fmt.Sprintf("Nothing was changed in %q: %v.", at.path, err),
		Hint: "See what has changed with notebook_read and view=changes, and refer to cells by cell_id.",
	}
	if stale.Moved {
		return e
	}
	source := stale.Cell.Source()
	e.Detail += fmt.Sprintf(" The source of cell %s (index %d) is now:\n%s", stale.Cell.ID(), stale.Index, tool.Shorten(source, mostStale))
	if len(source) <= mostStale {
		knows.Shown(stale.Cell)
		e.Hint = "Make your change to this source, and call again."
	}
	return e
}

func (n *notebookBodies) changed(at place, d notebooks.Document, e *notebooks.Edit) catalog.CellChanged {
	return catalog.CellChanged{Result: catalog.OK, AtServer: n.paths.At(at.Name), Path: at.own(), CellID: e.Cell.ID(), Index: e.Index, Via: d.Via()}
}

func (n *notebookBodies) addCell(ctx context.Context, in catalog.NotebookAddCellIn) (catalog.CellChanged, error) {
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

func (n *notebookBodies) editCell(ctx context.Context, in catalog.NotebookEditCellIn) (catalog.CellChanged, error) {
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

func (n *notebookBodies) changeAndRun(ctx context.Context, server, p string, e *notebooks.Edit, runs bool, check func(notebooks.Caller, *notebooks.Notebook) error) (catalog.CellChanged, error) {
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
	return n.run(ctx, at, d, []string{out.CellID}, 0, run.DefaultWait)
}

func (n *notebookBodies) moveCell(ctx context.Context, in catalog.NotebookMoveCellIn) (catalog.CellChanged, error) {
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

func (n *notebookBodies) deleteCell(ctx context.Context, in catalog.NotebookDeleteCellIn) (catalog.NotebookDeleteCellOut, error) {
	ctx, cancel := paths.Patience(ctx)
	defer cancel()
	out := catalog.NotebookDeleteCellOut{Result: catalog.OK}
	r := ref(in.CellRef)
	edit := notebooks.DeleteCell(r)
	at, d, err := n.change(ctx, in.Server, in.Path, edit, unchanged(r))
	if err != nil {
		return out, err
	}
	out.AtServer, out.Path, out.CellID, out.Index, out.Total, out.Via = n.paths.At(at.Name), at.own(), edit.Cell.ID(), edit.Index, edit.Total, d.Via()
	out.Removed = catalog.NewCell{CellType: edit.Cell.Type(), Source: edit.Cell.Source()}
	return out, nil
}

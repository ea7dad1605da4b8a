package notebook

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"easel/jupyter"
	"easel/mcphost/tool"
	"easel/ui/core/cells"
	"easel/ui/core/command"
	"easel/ui/core/kernels"
	"easel/ui/core/library"
	"easel/ui/core/notebooks"
	"easel/ui/core/tools/codes"
)

// plotCells read and show the cells that drew plots.
type plotCells struct {
	kernels *kernels.Manager
	library *library.Library
	cells   *cells.Cells
	files   *notebooks.Files
	open    *opener
	log     *slog.Logger
}

// readInTab is the version of a notebook that was read in a JupyterLab tab. It is never the
// same, because the tab does not say whether it has changed.
const readInTab = "tab"

// peek reads a notebook to show what its cells are now; see cells.Read. It reads the tab that
// shows the notebook, and otherwise the file. It does not join shared documents, where others
// would see it: their servers save them within a second, and a tab has them, too.
func (n *plotCells) peek(ctx context.Context, server, path, known string) (*notebooks.Notebook, string, error) {
	hosts, err := n.kernels.Servers.Hosts(ctx, server)
	if err != nil {
		return nil, "", err
	}
	at := place{hosts[0], path}
	file, err := n.files.Stat(ctx, at.Client, path)
	if errors.Is(err, notebooks.ErrNotFound) {
		_, _ = n.kernels.Sessions(ctx, at.Host) // perhaps it was renamed; then the library has its new path
	}
	if err != nil {
		return nil, "", err // asked about it, JupyterLab would show this error to the user
	}
	if known == readInTab || n.open.mayHaveTabs(at.Client) {
		patience := tabGlance
		if known == readInTab { // probably still open, but busy
			patience = tabPatience
		}
		_, sole, err := n.open.clients(ctx, at)
		if err != nil {
			return nil, "", err
		}
		tab, err := n.open.tabs.Open(ctx, at.Client, path, patience, false, sole)
		if err == nil {
			book, err := tab.Read(ctx)
			if err == nil || known == readInTab { // otherwise it is perhaps too large for the tab
				return book, readInTab, err
			}
		}
		if e, ok := errors.AsType[*notebooks.OpenError](err); ok && e.Nobody() {
			n.open.hasNoTabs(at.Client)
		}
	}
	if versionOf(file) == known {
		return nil, known, nil
	}
	book, file, err := n.files.ReadSettled(ctx, at.Client, path, file)
	return book, versionOf(file), err
}

func versionOf(file jupyter.ContentsModel) string {
	return fmt.Sprint(file.LastModified.UnixNano(), " ", file.Size)
}

// openingPatience is how long a browser may take to open JupyterLab.
const openingPatience = time.Minute

// showCell shows the cell that drew an image in the JupyterLab tab that shows its notebook. If
// there is none, it returns an address for the browser.
func (n *plotCells) showCell(ctx context.Context, in command.ShowCellIn) (command.ShowCellOut, error) {
	var none command.ShowCellOut
	images, err := n.library.Images.Get(ctx, in.Image)
	if err != nil {
		return none, err
	}
	if len(images) == 0 {
		return none, codes.ImageNotFound(in.Image, library.ErrNotFound)
	}
	im := images[0]
	n.cells.Fresh(ctx, im.SessionID)
	cell, path := n.cells.Cell(im.SessionID, im.ExecutionID), n.cells.Path(im.SessionID)
	switch {
	case cell == nil:
		return none, &tool.Error{Code: tool.CellNotFound, Detail: "No cell of a notebook is known that drew this plot."}
	case cell.Index == nil:
		return none, &tool.Error{Code: tool.CellNotFound, Detail: "The cell that drew this plot was deleted."}
	}
	s, err := n.library.Sessions.Get(ctx, im.SessionID)
	if err != nil {
		return none, err
	}
	hosts, err := n.kernels.Servers.Hosts(ctx, s.Server)
	if err != nil {
		return none, err
	}
	if in.Opening {
		ctx, cancel := context.WithTimeout(ctx, openingPatience)
		defer cancel()
		err = notebooks.ShowCellSoon(ctx, hosts[0].Client, path, cell.CellID)
		return command.ShowCellOut{Shown: err == nil}, nil // an error is not shown: the notebook is open, which is most of it
	}
	err = notebooks.ShowCell(ctx, hosts[0].Client, path, cell.CellID, tabPatience)
	if err == nil {
		return command.ShowCellOut{Shown: true}, nil
	}
	if _, ok := errors.AsType[*notebooks.OpenError](err); !ok {
		n.log.DebugContext(ctx, "showing a cell in a tab", "notebook", path, "err", err)
	}
	if !hosts[0].Client.HasPage(ctx, "lab") {
		return none, nil
	}
	address, err := kernels.LabNotebook(ctx, hosts[0].Client, path)
	return command.ShowCellOut{Address: address}, err
}

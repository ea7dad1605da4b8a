package notebook

import (
	"context"
	"fmt"
	"slices"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/kernels"
	"easel/ui/core/library"
	"easel/ui/core/notebooks"
	"easel/ui/core/tools/paths"
)

// How many bytes of a cell's outputs notebook_read returns at once with outputs=full. A
// model gets what fits into its page.
const (
	outputsPage      = 200_000
	outputsPageModel = 16_000
)

// A reader reads notebooks for callers.
type reader struct {
	paths   *paths.Finder
	library *library.Library
	find    *finder
	open    *opener
	known   *readers
}

// readers know what callers have read, so that none overwrites what it has not seen.
type readers struct {
	kernels *kernels.Manager
	seen    notebooks.ReadHistory
}

// caller returns what the caller knows of the notebook.
func (n *readers) caller(ctx context.Context, at place) notebooks.Caller {
	who := tool.CallerFrom(ctx).Process()
	c := n.seen.By(who, at.Client, at.path)
	for _, before := range n.kernels.Renames.Formerly(at.Name, at.path) {
		c.Inherit(n.seen.By(who, at.Client, before))
	}
	return c
}

func (n *reader) read(ctx context.Context, in catalog.NotebookReadIn) (catalog.NotebookReadOut, error) {
	ctx, cancel := paths.Patience(ctx)
	defer cancel()
	out := catalog.NotebookReadOut{Result: catalog.OK, Cells: []catalog.NotebookCell{}}
	at, also, err := n.find.locate(ctx, in.Server, in.Path)
	if err != nil {
		return out, err
	}
	d, book, missed, err := n.open.look(ctx, at)
	if err != nil {
		return out, n.open.documentError(ctx, at, err)
	}
	if missed != "" {
		out.Notes = append(out.Notes, missed)
	}
	knows := n.known.caller(ctx, at)
	out.Path, out.AtServer, out.Total, out.Via = at.own(), n.paths.At(at.Name), len(book.Cells), d.Via()
	out.AlsoOpenOn, out.LinkTarget = also, at.led()
	chosen := book.All()
	if in.View == catalog.ViewChanges {
		var before bool
		if chosen, out.Removed, before = knows.Changes(book); !before {
			out.Notes = append(out.Notes, "you have not read this notebook before; these are all cells")
		}
	}
	if in.Find != "" {
		chosen = book.Containing(chosen, in.Find)
	}
	chosen = slices.DeleteFunc(chosen, func(i int) bool { return i < in.Start })
	if in.View == catalog.ViewOutline {
		out.Cells = book.Outline(chosen)
		knows.Told(book)
	} else {
		show(&out, book, chosen, in, tool.CallerFrom(ctx).Transport)
		knows.Told(book, chosen[:len(out.Cells)]...)
	}
	if len(out.Cells) == 0 && len(out.Removed) == 0 {
		out.Notes = append(out.Notes, whyEmpty(in, out.Total)...)
	}
	notebooks.NamePictures(at.own(), out.Cells)
	n.findPlots(ctx, out.Cells)
	out.SessionID = n.find.sessionOf(ctx, at)
	return out, nil
}

// whyEmpty says why a result has no cells, unless the notebook or the page has none.
func whyEmpty(in catalog.NotebookReadIn, total int) []string {
	switch {
	case in.Start > 0 && in.Start >= total:
		return []string{fmt.Sprintf("start is %d, but the notebook has %d cells", in.Start, total)}
	case in.Find != "" && in.Start > 0:
		return []string{fmt.Sprintf("no cell from index %d on contains %q", in.Start, in.Find)}
	case in.Find != "":
		return []string{fmt.Sprintf("no cell contains %q in its source or outputs", in.Find)}
	case in.Start > 0:
		return nil
	case in.View == catalog.ViewOutline:
		return []string{"no cell has a heading or an error; read it without view to see its cells"}
	case in.View == catalog.ViewChanges:
		return []string{"no cell has changed since you last read it"}
	}
	return nil
}

// show adds the cells that were chosen to a result, up to the limit.
func show(out *catalog.NotebookReadOut, book *notebooks.Notebook, chosen []int, in catalog.NotebookReadIn, to tool.Transport) {
	look := notebooks.Look{Outputs: in.Outputs, Offset: in.Offset, Page: outputsPage}
	if to == tool.MCP {
		look.Page = outputsPageModel
	}
	var notes []string
	out.Cells, notes = book.View(chosen[:min(len(chosen), in.Limit)], look)
	out.Notes = append(out.Notes, notes...)
	if len(out.Cells) < len(chosen) && len(out.Cells) > 0 {
		out.NextStart = chosen[len(out.Cells)]
	}
}

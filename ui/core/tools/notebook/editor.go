package notebook

import (
	"context"
	"errors"
	"path"

	"easel/mcphost/tool"
	"easel/ui/core/kernels"
	"easel/ui/core/kernels/record"
	"easel/ui/core/library"
	"easel/ui/core/notebooks"
)

// inEditor returns the notebook in the user's editor, or nil if no editor has it open. open is what clients has returned: another
// program that is connected to the notebook's kernel has a copy of its own.
func (n *opener) inEditor(at place, open *openError) (notebooks.Document, error) {
	if n.editors == nil || at.Client.Elsewhere() {
		return nil, nil
	}
	disk := at.Client.Disk(at.own())
	if disk == "" {
		return nil, nil
	}
	d, err := n.editors.Open(disk)
	switch {
	case err != nil:
		return nil, err
	case d == nil:
		return nil, nil
	case open != nil && open.clients > 0:
		return nil, notebooks.InEditorAndOther(d.Notebook().Editor())
	}
	return d, nil
}

// session returns the session in which the cells of a notebook run: that of the notebook, or the editor's.
func (n *cellRunner) session(ctx context.Context, at place, d notebooks.Document, book *notebooks.Notebook, caller tool.Caller,
) (library.Session, error) {
	if e, ok := d.(*notebooks.Editor); ok {
		return n.kernels.JoinGuest(ctx, n.open.editors.Kernel(e), caller.Name, path.Base(at.path))
	}
	return n.kernels.Create(ctx, kernels.NewSession{
		Server: at.Name, KernelName: kernelFor(ctx, at, book.Kernel()),
		Notebook: at.path, Client: caller.Name,
	})
}

// sendInEditor makes the editor run the cell; see record.Request.Send.
func (n *cellRunner) sendInEditor(r *cellRun) func(context.Context, string, func() error) error {
	return func(ctx context.Context, code string, may func() error) error {
		saved, err := n.open.editors.Run(ctx, r.editor, r.cell, &r.asked, code, may)
		if !record.Moved(err) { // otherwise it is called again
			r.filed = saved
			close(r.shown)
		}
		return err
	}
}

// kept has the outputs of an ended run saved: by the editor that has run the cell, or else by save.
func (n *cellRunner) kept(ctx context.Context, at place, caller tool.Caller, run *cellRun) error {
	if run.editor == nil {
		return n.save(ctx, at, caller, run)
	}
	if v, err := run.x.View(ctx, ""); err == nil && v.StartedAt == nil {
		return errNeverRan
	}
	return run.inEditorFile(ctx)
}

// errUnsavedInEditor says why the outputs of a cell are not in the file.
var errUnsavedInEditor = errors.New("they are in the user's editor, where the notebook has unsaved edits; the user saves it")

// inEditorFile waits until the editor has run the cell, and returns nil if it has saved the outputs.
func (r *cellRun) inEditorFile(ctx context.Context) error {
	defer r.x.Cell().Forget()
	select {
	case <-r.shown:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if !r.filed {
		return errUnsavedInEditor
	}
	return nil
}

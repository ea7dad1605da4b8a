package notebook

import (
	"context"
	"errors"
	"fmt"

	"easel/internal/truncate"
	"easel/jupyter"
	"easel/mcphost/tool"
	"easel/ui/core/notebooks"
	"easel/ui/core/tools/codes"
	"easel/ui/core/tools/paths"
)

// documentNow is like document. If the notebook was renamed since at was found, it updates at.
func (n *opener) documentNow(ctx context.Context, at *place) (notebooks.Document, error) {
	d, err := n.document(ctx, *at)
	now := n.kernels.Renames.Now(at.Name, at.path)
	if now == "" {
		return d, err
	}
	if _, gone := n.files.Stat(ctx, at.Client, at.path); !errors.Is(gone, notebooks.ErrNotFound) {
		return d, err // another notebook has that path now
	}
	at.path = now
	return n.document(ctx, *at)
}

// followRename updates at if the notebook of a run was renamed in the meantime: a page that is asked
// for its former path opens another tab, which says that the file is missing.
func (n *cellRunner) followRename(ctx context.Context, at *place, run *cellRun) {
	if _, err := n.open.files.Stat(ctx, at.Client, at.path); !errors.Is(err, notebooks.ErrNotFound) {
		return
	}
	sessions, _ := n.kernels.Sessions(ctx, at.Host) // without them, it is not known
	for _, s := range sessions {
		if path, err := jupyter.NotebookPath(s.Path); s.ID == run.session && err == nil {
			at.path = path
		}
	}
}

// documentError is like notebookError for an error of document or of reading. If the file is
// gone, it says what is known about it.
func (n *opener) documentError(ctx context.Context, at place, err error) error {
	if !errors.Is(err, notebooks.ErrNotFound) {
		return codes.Notebook(at.path, err)
	}
	sessions, _ := n.kernels.Sessions(ctx, at.Host) // without them, less is known
	e := &tool.Error{Code: tool.NotebookNotFound, Err: err}
	if now := n.kernels.Renames.Now(at.Name, at.path); now != "" {
		return n.paths.RenamedTo(e, at.Name, at.path, now)
	}
	const saveAgain = "If the user still has it open in JupyterLab, ask them to save it there (File › Save Notebook): that writes the file again. If it was moved, file_list shows where it is."
	e.Hint = saveAgain
	for _, s := range sessions {
		if p, bad := jupyter.CleanPath(s.Path); bad != nil || p != at.path {
			continue
		}
		e.Detail = fmt.Sprintf("The file %q no longer exists, but its session is still running.", at.path)
		if started, own := n.kernels.Holds(ctx, s.ID, s.Kernel.ID); started && s.Kernel.Connections == own {
			e.Hint = "Nobody else has it open. Create it again with notebook_create. If it was moved, file_list shows where it is."
		}
		e.Hint += fmt.Sprintf(" execute_code runs code in its session (session_id %s).", s.ID)
		return e
	}
	if n.wasInTab(at) {
		e.Detail = fmt.Sprintf("The file %q no longer exists, but a JupyterLab tab showed it when it was last used.", at.path)
		return e
	}
	return paths.InRoot(at.Host, codes.Notebook(at.path, err))
}

// refusal returns the error of a call for a notebook that cannot be written now. If the call
// is wrong, as far as the file says, the error is that of check instead: nobody should close a
// notebook for it.
func (n *opener) refusal(ctx context.Context, at place, err error, check func(*notebooks.Notebook) error) error {
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

// mostStale is how many bytes of a changed cell an error contains.
const mostStale = 8_000

// editError converts an error of an edit to a tool.Error. If the cell has changed, the
// error contains its new text, so that the caller knows it from now on.
func (n *opener) editError(ctx context.Context, at place, knows notebooks.Caller, err error) error {
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
	e.Detail += fmt.Sprintf(" The source of cell %s (index %d) is now:\n%s", stale.Cell.ID(), stale.Index, truncate.Middle(source, mostStale))
	if len(source) <= mostStale {
		knows.Shown(stale.Cell)
		e.Hint = "Make your change to this source, and call again."
	}
	return e
}

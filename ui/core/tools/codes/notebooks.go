package codes

import (
	"errors"
	"fmt"

	"easel/jupyter"
	"easel/mcphost/tool"
	"easel/ui/core/notebooks"
)

// An explainer is an error that knows its tool.Error.
type explainer interface {
	error
	Tool() *tool.Error
}

// Notebook converts an error about the notebook at p to a tool.Error. It leaves the
// errors that Of knows to Of.
func Notebook(p string, err error) error {
	if e, ok := errors.AsType[explainer](err); ok {
		return e.Tool()
	}
	if e, ok := errors.AsType[*notebooks.OpenError](err); ok {
		return &tool.Error{
			Code: tool.NotExecutable, Detail: fmt.Sprintf("Nothing was changed in %q: %s.", p, e.Reason),
			Hint: "To make it possible: " + e.Remedy + ".", Err: err,
		}
	}
	if errors.Is(err, notebooks.ErrUnproved) {
		return &tool.Error{Code: tool.NotExecutable, Detail: fmt.Sprintf("The edit of %q was sent but not confirmed: %v.", p, err), Hint: "Read it again with notebook_read before you repeat the edit.", Err: err}
	}
	if _, done := errors.AsType[*tool.Error](err); done {
		return err
	}
	if _, ok := errors.AsType[*jupyter.PathError](err); ok {
		return Path("path", err)
	}
	if e, ok := errors.AsType[*notebooks.FormatError](err); ok {
		c := tool.Validation
		if e.Old {
			c = tool.Unsupported
		}
		return &tool.Error{Code: c, Detail: fmt.Sprintf("%q cannot be used as a notebook: %s.", p, e.Reason), Err: err}
	}
	switch {
	case errors.Is(err, notebooks.ErrNoContents):
		return NoContents(err)
	case errors.Is(err, notebooks.ErrNotFound):
		return &tool.Error{Code: tool.NotebookNotFound, Detail: fmt.Sprintf("There is no notebook %q.", p), Hint: "file_list shows the existing files; notebook_create creates a notebook.", Err: err}
	case errors.Is(err, notebooks.ErrExists):
		return &tool.Error{Code: tool.AlreadyExists, Detail: fmt.Sprintf("%q exists already (or a file has the name of one of its folders); it was not changed.", p), Hint: "Choose another path, or change it with notebook_add_cell and notebook_edit_cell.", Err: err}
	case errors.Is(err, notebooks.ErrCellNotFound):
		return &tool.Error{
			Code: tool.CellNotFound, Detail: fmt.Sprintf("%q: %v.", p, err),
			Hint: "notebook_read lists the cells with id and index.", Err: err,
		}
	case errors.Is(err, notebooks.ErrChanged):
		return &tool.Error{Code: tool.NotExecutable, Detail: fmt.Sprintf("Nothing was written: %v (%q).", err, p), Hint: "Read it again with notebook_read: someone else has changed it.", Err: err}
	}
	return err
}

package notebooks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"easel/mcphost/catalog"
)

// The methods of an [EditorNotebook].
const (
	askRead      = "read"
	askGlance    = "glance"
	askApply     = "apply"
	askRun       = "run"
	askInterrupt = "interrupt"
)

// ErrEditorLeft means that the editor has left, or has closed the notebook. What was asked may be done or not.
var ErrEditorLeft = errors.New("the editor has left, or has closed the notebook")

// An EditorNotebook is a notebook that is open in an editor, such as VS Code. It answers questions about it.
type EditorNotebook interface {
	// Ask asks the editor, and decodes its answer to out, unless that is nil. onReport, if not nil, is called with what the editor
	// reports meanwhile. If the editor refuses, the error is an *EditorRefusalError.
	Ask(ctx context.Context, method string, params map[string]any, out any, onReport func(EditorReport)) error
	// Editor returns the name of the program.
	Editor() string
}

// An EditorRefusalError says why an editor has not done what it was asked. Nothing was changed, unless the kind is unproved.
type EditorRefusalError struct {
	Kind    string `json:"kind"` // changed, failed, or unproved
	Message string `json:"message"`
}

// Error returns the message.
func (e *EditorRefusalError) Error() string { return e.Message }

// Kinds of a refusal: the notebook is not as expected, and an edit was made but is not seen.
const (
	refusedChanged  = "changed"
	refusedUnproved = "unproved"
)

// An EditorReport is what an editor reports about a cell that it runs.
type EditorReport struct {
	Event  string          `json:"event"` // started, count, clear, or output
	Count  int             `json:"count"`
	Output json.RawMessage `json:"output"` // of an output, in nbformat
}

// An Editor is a notebook that is open in the user's editor. It is a Document. The editor's own API reads and changes it, so that
// the user sees each change, with unsaved edits around it, and can undo it. The editor makes a change only if the notebook is still
// what its extension knows.
type Editor struct{ notebook EditorNotebook }

// NewEditor returns the document of a notebook that is open in an editor.
func NewEditor(n EditorNotebook) *Editor { return &Editor{n} }

// Notebook returns the notebook in the editor.
func (d *Editor) Notebook() EditorNotebook { return d.notebook }

// Via implements Document.
func (d *Editor) Via() string { return catalog.ViaEditor }

// Read implements Document.
func (d *Editor) Read(ctx context.Context) (*Notebook, error) { return d.read(ctx) }

// Glance implements Document.
func (d *Editor) Glance(ctx context.Context, r Ref) (*Notebook, error) { return d.glance(ctx, r) }

// Edit implements Document. The editor saves the notebook afterwards, unless it had unsaved edits before.
func (d *Editor) Edit(ctx context.Context, e *Edit) error { return edit(ctx, d, e) }

func (d *Editor) read(ctx context.Context) (*Notebook, error) { return d.ask(ctx, askRead) }

func (d *Editor) glance(ctx context.Context, _ Ref) (*Notebook, error) { return d.ask(ctx, askGlance) }

func (d *Editor) ask(ctx context.Context, method string) (*Notebook, error) {
	var raw json.RawMessage
	err := d.notebook.Ask(ctx, method, nil, &raw, nil)
	if errors.Is(err, ErrEditorLeft) {
		return nil, &OpenError{Reason: d.notebook.Editor() + " has just closed it, or was reloaded", Remedy: "try again", Shown: unknown}
	}
	if err != nil {
		return nil, d.refused(err)
	}
	return parseOpen(raw)
}

// refused returns the error of a request that the editor has refused.
func (d *Editor) refused(err error) error {
	e, ok := errors.AsType[*EditorRefusalError](err)
	switch {
	case !ok:
		return err
	case e.Kind == refusedChanged:
		return fmt.Errorf("%w: %s", ErrChanged, e.Message)
	case e.Kind == refusedUnproved:
		return fmt.Errorf("%w: %s", ErrUnproved, e.Message)
	default:
		return &OpenError{Reason: fmt.Sprintf("%s reports %q", d.notebook.Editor(), e.Message), Remedy: "ask the user to look at it there"}
	}
}

func (d *Editor) apply(ctx context.Context, c Change) (id string, err error) {
	if c.Op == opOutputs {
		return "", &OpenError{Reason: d.notebook.Editor() + " keeps the outputs itself", Remedy: "run the cell while it is open there"}
	}
	var out struct {
		Cell string `json:"cell"`
	}
	err = d.notebook.Ask(ctx, askApply, map[string]any{"change": c}, &out, nil)
	return out.Cell, d.refused(err)
}

// Run makes the editor run a cell, as if the user had, and returns when it has ended. It first makes code the cell's text if that
// is still *text, and then sets *text. It returns an error if the cell was not run, for example the error of may, which it calls
// right before that. saved is whether the outputs are in the file.
func (d *Editor) Run(ctx context.Context, cell string, text *string, code string, may func() error, onReport func(EditorReport),
) (done EditorRun, err error) {
	if err := may(); err != nil {
		return done, err
	}
	if *text != code {
		if _, err := d.apply(ctx, Change{Op: opSet, Cell: cell, Before: *text, Source: code}); err != nil {
			return done, err
		}
		*text = code
		if err := may(); err != nil {
			return done, err
		}
	}
	err = d.notebook.Ask(ctx, askRun, map[string]any{"cell": cell, "code": code}, &done, onReport)
	return done, d.refused(err)
}

// An EditorRun is how a cell has ended in an editor.
type EditorRun struct {
	OK    bool `json:"ok"`    // it has succeeded
	Saved bool `json:"saved"` // the outputs are in the file
}

// Interrupt makes the editor interrupt what the notebook runs.
func (d *Editor) Interrupt(ctx context.Context) error {
	return d.refused(d.notebook.Ask(ctx, askInterrupt, nil, nil, nil))
}

// NotConnected returns the error of a notebook that was open in an editor which is not connected now.
func NotConnected(editor string) *OpenError {
	return &OpenError{
		Reason: "it was open in " + editor + ", which has been reloaded or closed, and may have edits that are not saved",
		Remedy: "try again in a moment, or ask the user to open it there or to close it", Shown: unknown,
	}
}

// InSeveral returns the error of a notebook that several windows of editors show.
func InSeveral(windows int) *OpenError {
	return &OpenError{
		Reason: fmt.Sprintf("%d windows of the user's editor show it, and each has its own copy", windows),
		Remedy: "close it in all windows but one", Shown: several,
	}
}

// InEditorAndOther returns the error of a notebook that is open both in an editor and in another program.
func InEditorAndOther(editor string) *OpenError {
	return &OpenError{
		Reason: "it is open in " + editor + " and in another program, for example JupyterLab, and each has its own copy",
		Remedy: "close it in one of them", Shown: several,
	}
}

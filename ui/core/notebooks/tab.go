package notebooks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"easel/mcphost/catalog"
)

// Commands of the JupyterLab extensions jupyterlab-commands-toolkit, which runs commands
// that are sent over the server's event bus, and jupyterlab-ai-commands.
const (
	cmdClientID = "jupyterlab-commands-toolkit:get-web-client-id"
	cmdInfo     = "jupyterlab-ai-commands:get-notebook-info"
	cmdContent  = "jupyterlab-ai-commands:get-notebook-content"
	cmdCell     = "jupyterlab-ai-commands:get-cell-info"
	cmdSet      = "jupyterlab-ai-commands:set-cell-content"
	cmdAdd      = "jupyterlab-ai-commands:add-cell"
	cmdDelete   = "jupyterlab-ai-commands:delete-cell"
	cmdRun      = "jupyterlab-ai-commands:run-cell"
	cmdSave     = "jupyterlab-ai-commands:save-notebook"
	cmdNotify   = "apputils:notify" // of JupyterLab itself
)

// TabRemedy says how to make a JupyterLab tab writable.
const TabRemedy = "pip install jupyterlab-commands-toolkit jupyterlab-ai-commands (where JupyterLab is installed; then restart JupyterLab)"

// A Tab is a notebook that is open in one JupyterLab tab of the user. It is a Document.
// JupyterLab's own commands read and change it, so that the user sees each change, with
// unsaved edits around it, and can undo it.
type Tab struct {
	server TabServer
	path   string
	client string // id of the tab

	// ServerSaves is whether the server saves what is in the tab by itself. If JupyterLab
	// saved it, too, it would ask the user which version to keep.
	ServerSaves bool
}

// args are the arguments of a command.
type args map[string]any

// Via implements Document.
func (t *Tab) Via() string { return catalog.ViaTab }

// Read implements Document.
func (t *Tab) Read(ctx context.Context) (*Notebook, error) {
	b, err := openBus(ctx, t.server)
	if err != nil {
		return nil, err
	}
	defer b.close()
	return tabChannel{t, b}.read(ctx)
}

// Glance implements Document.
func (t *Tab) Glance(ctx context.Context, r Ref) (*Notebook, error) {
	b, err := openBus(ctx, t.server)
	if err != nil {
		return nil, err
	}
	defer b.close()
	return tabChannel{t, b}.glance(ctx, r)
}

// Edit implements Document. After the edit it asks the tab to save the notebook.
func (t *Tab) Edit(ctx context.Context, e *Edit) error {
	b, err := openBus(ctx, t.server)
	if err != nil {
		return err
	}
	defer b.close()
	return tabChannel{t, b}.editAndSave(ctx, e)
}

// editAndSave applies an edit and asks the tab to save it. If the tab cannot save now, it does
// so later, unless it is gone, and the edit with it.
func (t tabChannel) editAndSave(ctx context.Context, e *Edit) error {
	if err := edit(ctx, t, e); err != nil {
		return err
	}
	if t.save(ctx) != nil {
		return prove(ctx, t, e)
	}
	return nil
}

// Run runs a cell in the tab, as if the user had, and returns when its outputs are there. It
// first makes code the cell's text if the text is still before. It returns an error if the
// cell was not run, for example the error of may, which it calls right before the tab runs the
// cell.
func (t *Tab) Run(ctx context.Context, cell, before, code string, may func() error) error {
	b, err := openBus(ctx, t.server)
	if err != nil {
		return err
	}
	defer b.close()
	ch := tabChannel{t, b}
	if err := may(); err != nil {
		return err
	}
	if before != code {
		if _, err := ch.apply(ctx, Change{Op: opSet, Cell: cell, Before: before, Source: code}); err != nil {
			return err
		}
	}
	if err := ch.unchanged(ctx, cell, code); err != nil {
		return err
	}
	if err := may(); err != nil {
		return err
	}
	var ran struct {
		Status  string `json:"status"`
		Message string `json:"message"`
		Error   string `json:"errorName"`
	}
	if err := b.run(ctx, t.client, cmdRun, t.at(cell), &ran); err != nil {
		return err
	}
	if ran.Status == "no-op" || ran.Error == "MissingKernel" {
		return fmt.Errorf("JupyterLab did not run the cell: %s", ran.Message)
	}
	return nil
}

// At returns the tab of a notebook that may have been renamed to path.
func (t *Tab) At(path string) *Tab {
	moved := *t
	moved.path = path
	return &moved
}

// answerTime is how long a tab has to answer whether it is still there.
const answerTime = 3 * time.Second

// Answers reports whether the tab is still there: it answers when it is asked about a cell. A page
// that was reloaded does not, because it is another one.
func (t *Tab) Answers(ctx context.Context, cell string) bool {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	b, err := openBus(ctx, t.server)
	if err != nil {
		return false
	}
	defer b.close()
	err = b.run(ctx, t.client, cmdCell, t.at(cell), new(json.RawMessage))
	return ctx.Err() == nil && !errors.Is(err, context.DeadlineExceeded)
}

// Save asks the tab to save the notebook.
func (t *Tab) Save(ctx context.Context) error {
	b, err := openBus(ctx, t.server)
	if err != nil {
		return err
	}
	defer b.close()
	return tabChannel{t, b}.save(ctx)
}

// at returns the arguments that name the notebook and, if it is not empty, a cell.
func (t *Tab) at(cell string) args {
	a := args{"notebookPath": t.path}
	if cell != "" {
		a["cellId"] = cell
	}
	return a
}

// A tabChannel is the channel to a tab.
type tabChannel struct {
	*Tab
	bus commander
}

// A commander runs JupyterLab's commands. A bus is one.
type commander interface {
	run(ctx context.Context, client, name string, a args, out any) error
}

func (t tabChannel) read(ctx context.Context) (*Notebook, error) {
	var out struct {
		Content json.RawMessage `json:"content"`
	}
	if err := t.bus.run(ctx, t.client, cmdContent, t.at(""), &out); err != nil {
		return nil, err
	}
	n, err := parseOpen(out.Content)
	if err != nil || n.number("nbformat_minor") >= minorIDs {
		return n, err
	}
	return n, t.identify(ctx, n)
}

// A tabInfo is the answer to cmdInfo.
type tabInfo struct {
	Cells    []tabCell       `json:"cells"`
	Metadata json.RawMessage `json:"notebookMetadata"`
}

type tabCell struct {
	ID   string `json:"cellId"`
	Type string `json:"cellType"`
}

// identify gives the cells of n the ids that the tab knows them by. In older formats, the
// content has none.
func (t tabChannel) identify(ctx context.Context, n *Notebook) error {
	var info tabInfo
	if err := t.bus.run(ctx, t.client, cmdInfo, t.at(""), &info); err != nil {
		return err
	}
	if len(info.Cells) != len(n.Cells) {
		return fmt.Errorf("%w: cells were added or removed", ErrChanged)
	}
	for i, c := range info.Cells {
		n.Cells[i].id = c.ID
	}
	return nil
}

func (t tabChannel) glance(ctx context.Context, r Ref) (*Notebook, error) {
	var info tabInfo
	if err := t.bus.run(ctx, t.client, cmdInfo, t.at(""), &info); err != nil {
		return nil, err
	}
	n := New(Kernel{})
	if len(info.Metadata) > 0 {
		n.fields["metadata"] = info.Metadata
	}
	for i, c := range info.Cells {
		if c.ID == "" { // a command for it would change the cell where the user is
			return nil, &OpenError{
				Reason: fmt.Sprintf("the cell at index %d has an empty id, so JupyterLab's commands may change the wrong cell", i),
				Remedy: copyCell,
			}
		}
		n.Insert(i, c.Type, "").id = c.ID
	}
	i, err := n.Find(r)
	if err != nil {
		return n, nil //nolint:nilerr // the caller looks for the cell, too
	}
	var cell struct {
		Source string `json:"source"`
	}
	err = t.bus.run(ctx, t.client, cmdCell, t.at(n.Cells[i].id), &cell)
	if err != nil {
		return nil, err
	}
	n.Cells[i].SetSource(cell.Source)
	return n, nil
}

// Tell shows a message in the tab for a few seconds.
func (t *Tab) Tell(ctx context.Context, message string) error {
	b, err := openBus(ctx, t.server)
	if err != nil {
		return err
	}
	defer b.close()
	return b.run(ctx, t.client, cmdNotify, args{"message": message, "type": "info", "options": args{"autoClose": 4000}}, nil)
}

func (t tabChannel) save(ctx context.Context) error {
	if t.ServerSaves {
		return nil
	}
	return t.bus.run(ctx, t.client, cmdSave, t.at(""), nil)
}

func (t tabChannel) apply(ctx context.Context, c Change) (id string, err error) {
	switch c.Op {
	case opInsert:
		return t.insert(ctx, c)
	case opSet:
		return c.Cell, t.set(ctx, c.Cell, c.Before, c.Source)
	case opDelete:
		// The command does not say what it deletes. So make the cell empty first, which
		// fails if the user has changed it.
		if err := t.set(ctx, c.Cell, c.Before, ""); err != nil {
			return "", err
		}
		err := t.bus.run(ctx, t.client, cmdDelete, t.at(c.Cell), nil)
		if _, refused := errors.AsType[*OpenError](err); refused {
			_ = t.set(ctx, c.Cell, "", c.Before) // best effort: the error is reported anyway
		}
		return c.Cell, err
	case opMove:
		return "", &OpenError{Reason: "JupyterLab has no command that moves a cell", Remedy: "ask the user to move it, or add a copy and delete the cell"}
	default:
		return "", &OpenError{Reason: "JupyterLab has no command that sets outputs", Remedy: "run the cell while its tab is open"}
	}
}

// insert adds a cell below the cell c.After.
func (t tabChannel) insert(ctx context.Context, c Change) (id string, err error) {
	a := t.at("")
	a["cellType"], a["content"] = c.Type, c.Source
	if c.After != "" {
		a["referenceCellId"], a["position"] = c.After, "below"
	} else {
		n, err := t.glance(ctx, Ref{})
		if err != nil {
			return "", err
		}
		if len(n.Cells) > 0 {
			a["referenceCellId"], a["position"] = n.Cells[0].id, "above"
		}
	}
	var out struct {
		CellID string `json:"cellId"`
	}
	err = t.bus.run(ctx, t.client, cmdAdd, a, &out)
	return out.CellID, err
}

// unchanged returns ErrChanged if the text of a cell is not before.
func (t tabChannel) unchanged(ctx context.Context, cell, before string) error {
	var now struct {
		Source string `json:"source"`
	}
	if err := t.bus.run(ctx, t.client, cmdCell, t.at(cell), &now); err != nil {
		return err
	}
	if now.Source != before {
		return fmt.Errorf("%w: the text of the cell was changed", ErrChanged)
	}
	return nil
}

// set replaces the text of a cell, if it is before. The command replaces any text, but
// returns the one that it has replaced. So if the user has typed since the text was read, set
// puts that text back.
func (t tabChannel) set(ctx context.Context, cell, before, source string) error {
	if err := t.unchanged(ctx, cell, before); err != nil {
		return err
	}
	replaced, err := t.replace(ctx, cell, source)
	if err != nil || replaced == before {
		return err
	}
	last, put := source, replaced // what the cell should have now, and what the user wants
	for {
		if replaced, err = t.replace(ctx, cell, put); err != nil {
			return fmt.Errorf("%w: putting back what the user typed failed: %w", ErrUnproved, err)
		}
		if replaced == last {
			return fmt.Errorf("%w: the user typed at the same moment", ErrChanged)
		}
		last, put = put, carry(last, replaced, put)
	}
}

// replace sets the text of a cell, and returns the text that was replaced.
func (t tabChannel) replace(ctx context.Context, cell, source string) (before string, err error) {
	a := t.at(cell)
	a["content"], a["showDiff"] = source, false
	var out struct {
		Previous string `json:"previousContent"`
	}
	err = t.bus.run(ctx, t.client, cmdSet, a, &out)
	return out.Previous, err
}

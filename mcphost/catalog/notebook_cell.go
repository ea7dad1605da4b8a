package catalog

import (
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"easel/mcphost/tool"
)

// A CellChanged is the cell that a tool changed or ran.
type CellChanged struct {
	Result
	SessionNews
	AtServer
	Path      string     `json:"path" jsonschema:"the notebook"`
	CellID    string     `json:"cell_id" jsonschema:"id of the cell; it stays when cells move"`
	Index     int        `json:"index" jsonschema:"position of the cell now"`
	Execution *Execution `json:"execution,omitempty" jsonschema:"of the cell, if it was run"`
	Saved     *bool      `json:"outputs_saved,omitempty" jsonschema:"whether the outputs are in the notebook; absent while it runs"`
	Note      string     `json:"note,omitempty" jsonschema:"what is not as asked, for example why outputs were not saved"`
	Via       string     `json:"via" enum:"file,tab,collaboration" jsonschema:"where it was changed: the file, the user's JupyterLab tab, or the shared document"`
	Ran       []RanCell  `json:"ran,omitempty" jsonschema:"of a range: the cells that have ended; execution is the last one that was started"`
	Images    []Image    `json:"images,omitempty" jsonschema:"of a range: what the cells before execution drew, in order; cell says which one"`
	Left      int        `json:"left,omitempty" jsonschema:"of a range: cells that run after execution, or that do not run; then reason says why"`
	Reason    string     `json:"reason,omitempty" jsonschema:"of a range: why the cells that are left do not run"`
}

// A RanCell is a cell of a range that has run.
type RanCell struct {
	Index       int    `json:"index" jsonschema:"position of the cell"`
	CellID      string `json:"cell_id" jsonschema:"id of the cell"`
	ExecutionID string `json:"execution_id" jsonschema:"for get_execution"`
	Status      string `json:"status" jsonschema:"of the execution"`
	Images      int    `json:"images,omitempty" jsonschema:"number that it drew"`
	// Outputs are those of all cells but the last one, which the execution has.
	Outputs []Output `json:"outputs,omitempty" jsonschema:"what it displayed; the last cell's outputs are in execution"`
	Cut     bool     `json:"outputs_cut,omitempty" jsonschema:"true if outputs were shortened; get_execution has all of them"`
	Unsaved bool     `json:"outputs_unsaved,omitempty" jsonschema:"its outputs could not be saved into the notebook; get_execution has them"`
}

// Failed implements tool.Failer.
func (c CellChanged) Failed() bool { return c.Execution != nil && c.Execution.Failed() }

// Links implements tool.Linker.
func (c CellChanged) Links() []tool.Link {
	if c.Execution == nil || c.Execution.Unlinked {
		return nil
	}
	return links(c.Drawn())
}

// Drawn returns what all cells of a range drew, in order, or the only cell.
func (c CellChanged) Drawn() []Image { return slices.Concat(c.Images, c.Execution.Images) }

// Pictures implements tool.Picturer.
func (c CellChanged) Pictures() (uris []string, maxEdge int) {
	if c.Execution == nil {
		return nil, InlineEdge
	}
	return c.Execution.Pictures()
}

// A CellRef identifies a cell of a notebook.
type CellRef struct {
	Path   string `json:"path" jsonschema:"notebook"`
	CellID string `json:"cell_id,omitempty" jsonschema:"from notebook_read"`
	Index  *int   `json:"index,omitempty" jsonschema:"position from 0"`
	OfServer
}

// oneCell requires the id or the index of a cell. If both are given, they must mean the same cell.
var oneCell = tool.Either{Of: []string{"cell_id", "index"}}

// cellAliases are names of path that the session tools have.
var cellAliases = map[string]string{"notebook_path": "path"}

func cellRef(in *jsonschema.Schema) {
	text(in, "path", 1, maxPath)
	text(in, "server", 0, maxDirectory)
	if in.Properties["cell_id"] != nil {
		text(in, "cell_id", 0, maxID)
		in.Properties["index"].Minimum = new(0.0)
	}
	if in.Properties["source"] != nil {
		text(in, "source", 0, maxCode)
	}
}

// NotebookAddCellIn is a new cell and its position.
type NotebookAddCellIn struct {
	Path     string `json:"path" jsonschema:"notebook"`
	CellType string `json:"cell_type" jsonschema:"type of the cell"`
	Source   string `json:"source" jsonschema:"text of the cell"`
	Position *int   `json:"position,omitempty" jsonschema:"index; if omitted, at the end"`
	Run      bool   `json:"run,omitempty" jsonschema:"also run the cell"`
	OfServer
}

// NotebookAddCell adds a cell.
var NotebookAddCell = tool.Define[NotebookAddCellIn, CellChanged](tool.Spec{
	Name: "notebook_add_cell", Title: "Add a cell",
	Description: "Add a cell to a notebook. Returns its cell_id.",
	Category:    tool.Execute, Changes: tool.Notebooks, Toolset: tool.Notebook, OpenWorld: true, Core: true, Aliases: cellAliases,
	Unlisted: ofServer,
	Patterns: notebookPath,
	Example:  `{"path": "a.ipynb", "cell_type": "code", "source": "1 + 1", "run": true}`,
}, func(in *jsonschema.Schema) {
	cellRef(in)
	oneOf(in, "cell_type", "code", "markdown")
	in.Properties["position"].Minimum = new(0.0)
})

// NotebookEditCellIn is a cell and its new source.
type NotebookEditCellIn struct {
	CellRef
	Source string `json:"source" jsonschema:"new text of the cell"`
	Run    bool   `json:"run,omitempty" jsonschema:"also run the cell"`
}

// NotebookEditCell changes a cell's source.
var NotebookEditCell = tool.Define[NotebookEditCellIn, CellChanged](tool.Spec{
	Name: "notebook_edit_cell", Title: "Edit a cell",
	Description: "Replace a cell's source and clear its outputs.",
	Category:    tool.Execute, Changes: tool.Notebooks, Toolset: tool.Notebook, Destructive: true, OpenWorld: true, Core: true,
	Aliases: cellAliases, Unlisted: ofServer,
	Either:   oneCell,
	Patterns: notebookPath,
	Example:  `{"path": "a.ipynb", "cell_id": "3f2a91bc", "source": "2 + 2"}`,
}, cellRef)

// NotebookMoveCellIn is a cell and its new position.
type NotebookMoveCellIn struct {
	CellRef
	To int `json:"to" jsonschema:"new index of the cell"`
}

// NotebookMoveCell moves a cell.
var NotebookMoveCell = tool.Define[NotebookMoveCellIn, CellChanged](tool.Spec{
	Name: "notebook_move_cell", Title: "Move a cell",
	Description: "Move a cell.",
	Category:    tool.Execute, Changes: tool.Notebooks, Toolset: tool.Notebook, Aliases: cellAliases, Unlisted: ofServer,
	Either:   oneCell,
	Patterns: notebookPath,
	Example:  `{"path": "a.ipynb", "index": 3, "to": 0}`,
}, func(in *jsonschema.Schema) {
	cellRef(in)
	in.Properties["to"].Minimum = new(0.0)
})

// NotebookDeleteCellIn names the cell to delete.
type NotebookDeleteCellIn struct{ CellRef }

// NotebookDeleteCellOut is the removed cell.
type NotebookDeleteCellOut struct {
	Result
	AtServer
	Path    string  `json:"path" jsonschema:"the notebook"`
	CellID  string  `json:"cell_id" jsonschema:"id that it had"`
	Index   int     `json:"index" jsonschema:"its former position"`
	Removed NewCell `json:"removed" jsonschema:"the deleted cell"`
	Total   int     `json:"total" jsonschema:"cells that are left"`
	Via     string  `json:"via" enum:"file,tab,collaboration" jsonschema:"where it was deleted: the file, the user's JupyterLab tab, or the shared document"`
}

// NotebookDeleteCell deletes a cell.
var NotebookDeleteCell = tool.Define[NotebookDeleteCellIn, NotebookDeleteCellOut](tool.Spec{
	Name: "notebook_delete_cell", Title: "Delete a cell",
	Description: "Delete a cell. Returns its source.",
	Category:    tool.Execute, Changes: tool.Notebooks, Toolset: tool.Notebook, Destructive: true, Aliases: cellAliases, Unlisted: ofServer,
	Either:   oneCell,
	Patterns: notebookPath,
	Example:  `{"path": "a.ipynb", "cell_id": "3f2a91bc"}`,
}, cellRef)

// NotebookRunCellIn names the cell to run.
type NotebookRunCellIn struct {
	CellRef
	Through *int     `json:"through,omitempty" jsonschema:"also run the cells up to this index; -1: all"`
	Timeout float64  `json:"timeout,omitempty" jsonschema:"as in execute_code"`
	Wait    *float64 `json:"wait,omitempty" jsonschema:"seconds to wait"`
}

// NotebookRunCell runs a cell.
var NotebookRunCell = tool.Define[NotebookRunCellIn, CellChanged](tool.Spec{
	Name: "notebook_run_cell", Title: "Run a cell",
	Description: "Run code cells in their notebook's session, up to the first error, and save the outputs. Follow one that still runs with get_execution.",
	Category:    tool.Execute, Changes: tool.Notebooks, Toolset: tool.Notebook, Destructive: true, OpenWorld: true, Core: true,
	Aliases: cellAliases, Unlisted: ofServer,
	Either:   oneCell,
	Patterns: notebookPath,
	Example:  `{"path": "a.ipynb", "index": 0}`,
}, func(in *jsonschema.Schema) {
	cellRef(in)
	in.Properties["through"].Minimum = new(-1.0)
	t := in.Properties["timeout"]
	t.ExclusiveMinimum, t.Maximum = new(0.0), new(float64(maxTimeout))
	preset(number(in, "wait", 0, maxWait), defaultWait)
})

package catalog

import (
	"github.com/google/jsonschema-go/jsonschema"

	"easel/mcphost/tool"
)

// How much of a cell's outputs to return.
const (
	OutputsNone  = "none"
	OutputsBrief = "brief"
	OutputsFull  = "full"
)

// Which cells to return.
const (
	ViewCells   = "cells"
	ViewOutline = "outline"
	ViewChanges = "changes"
)

// How a notebook was read or written.
const (
	ViaFile          = "file"          // its file, through Jupyter's Contents API
	ViaTab           = "tab"           // the user's JupyterLab tab
	ViaCollaboration = "collaboration" // the server's shared document
	ViaEditor        = "vscode"        // the user's VS Code, or a relative of it
)

// NotebookReadIn says what to read of a notebook.
type NotebookReadIn struct {
	Path    string `json:"path" jsonschema:"notebook to read"`
	View    string `json:"view,omitempty" jsonschema:"changes since your last read; outline: headings, errors"`
	Find    string `json:"find,omitempty" jsonschema:"only cells with this text"`
	Start   int    `json:"start,omitempty" jsonschema:"first cell's index"`
	Limit   int    `json:"limit,omitempty" jsonschema:"cells to return"`
	Outputs string `json:"outputs,omitempty" jsonschema:"outputs to return"`
	Offset  int    `json:"offset,omitempty" jsonschema:"next_offset of the cell at start"`
	OfServer
}

// A NotebookCell is a cell in a notebook.
type NotebookCell struct {
	Index          int            `json:"index" jsonschema:"counted from 0, Markdown cells too"`
	CellID         string         `json:"cell_id" jsonschema:"stays when cells move"`
	ExecutionCount *int           `json:"execution_count,omitempty" jsonschema:"the n of In [n]; absent: not run"`
	CellType       string         `json:"cell_type" enum:"code,markdown,raw"`
	Source         string         `json:"source" jsonschema:"its text"`
	Outputs        []CellOutput   `json:"outputs,omitempty" jsonschema:"of a code cell"`
	Cut            *TruncatedCell `json:"truncated,omitempty" jsonschema:"what of this cell is not shown"`
}

// A TruncatedCell says which parts of a cell are not shown.
type TruncatedCell struct {
	SourceBytes int `json:"source_bytes,omitempty" jsonschema:"length of the whole source: do not write the part back"`
	Outputs     int `json:"outputs,omitempty" jsonschema:"outputs that are left out"`
	NextOffset  int `json:"next_offset,omitempty" jsonschema:"pass as offset, with the cell's index as start and limit 1, to get the rest of its outputs"`
}

// A CellOutput is one output of a cell.
type CellOutput struct {
	OutputType string       `json:"output_type" enum:"stream,display_data,execute_result,error,unknown"`
	Name       string       `json:"name,omitempty" jsonschema:"of a stream: stdout or stderr"`
	Text       string       `json:"text,omitempty" jsonschema:"printed text, text/plain, or the traceback"`
	TotalBytes int          `json:"total_bytes,omitempty" jsonschema:"of text, if it is shortened here"`
	Data       []OutputForm `json:"data,omitempty" jsonschema:"other forms of the same output"`
	Index      int          `json:"-"` // among the outputs of the cell
	Ename      string       `json:"ename,omitempty" jsonschema:"class of the exception"`
	Evalue     string       `json:"evalue,omitempty" jsonschema:"message of the exception"`
}

// An OutputForm is one form of an output in addition to text/plain.
type OutputForm struct {
	MIMEType string `json:"mime_type" jsonschema:"type of the form"`
	Bytes    int    `json:"bytes" jsonschema:"size of the whole form"`
	Width    int    `json:"width,omitempty" jsonschema:"pixels"`
	Height   int    `json:"height,omitempty" jsonschema:"pixels"`
	Text     string `json:"text,omitempty" jsonschema:"with outputs=full, of forms that are text"`
	// ResourceURI is the name of a picture, and Plot the same picture in Easel's gallery.
	ResourceURI string `json:"resource_uri,omitempty" jsonschema:"of a picture, for get_image_resource"`
	Plot        *Image `json:"plot,omitempty" jsonschema:"the same picture in Easel's gallery, if it is there"`
	Sum         string `json:"-"` // SHA-256 of a picture, in hexadecimal; empty if it cannot be read
}

// NotebookReadOut is a page of a notebook.
type NotebookReadOut struct {
	Result
	SessionNews
	AtServer
	LinkTarget
	Path string `json:"path" jsonschema:"the notebook"`
	// AlsoOpenOn are other servers that have a notebook of this path open, if the caller
	// has not chosen one.
	AlsoOpenOn []string       `json:"also_open_on,omitempty" jsonschema:"other servers with an open notebook of this path: before you change it, choose one by session_connect with notebook_path and server"`
	Cells      []NotebookCell `json:"cells" jsonschema:"in order"`
	Total      int            `json:"total" jsonschema:"cells in the notebook"`
	Removed    []string       `json:"removed,omitempty" jsonschema:"with view=changes, cell_id of the cells that were deleted"`
	Via        string         `json:"via" enum:"file,tab,collaboration" jsonschema:"where it was read: the file, the user's JupyterLab tab with unsaved edits, or the shared document"`
	NextStart  int            `json:"next_start,omitempty" jsonschema:"pass as start to get the cells after these"`
	SessionID  string         `json:"session_id,omitempty" jsonschema:"the notebook's running session"`
	Notes      []string       `json:"notes,omitempty" jsonschema:"what was left out, and why"`
}

// NotebookRead reads a notebook.
var NotebookRead = tool.Define[NotebookReadIn, NotebookReadOut](tool.Spec{
	Name: "notebook_read", Title: "Read a notebook",
	Description: "Read a notebook. Call it before you edit or run its cells.",
	Category:    tool.Info, Toolset: tool.Notebook, Core: true, Unlisted: ofServer,
	Patterns: notebookPath, Aliases: cellAliases,
	Example: `{"path": "reports/sales.ipynb", "outputs": "brief"}`,
}, func(in *jsonschema.Schema) {
	text(in, "path", 1, maxPath)
	text(in, "server", 0, maxDirectory)
	preset(oneOf(in, "view", ViewCells, ViewOutline, ViewChanges), ViewCells)
	text(in, "find", 0, maxPath)
	in.Properties["start"].Minimum = new(0.0)
	in.Properties["offset"].Minimum = new(0.0)
	preset(number(in, "limit", 1, maxCells), 100)
	preset(oneOf(in, "outputs", OutputsNone, OutputsBrief, OutputsFull), OutputsBrief)
})

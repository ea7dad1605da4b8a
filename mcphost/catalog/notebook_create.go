package catalog

import (
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"easel/mcphost/tool"
)

// NotebookCreateIn says what notebook to write, and where.
type NotebookCreateIn struct {
	Path   string    `json:"path" jsonschema:"new .ipynb file, relative to the server's root"`
	Cells  []NewCell `json:"cells,omitempty" jsonschema:"cells in order"`
	Server string    `json:"server,omitempty" jsonschema:"Jupyter server name; if omitted, the default server"`
}

// A NewCell is a cell that is to be written.
type NewCell struct {
	CellType string `json:"cell_type" jsonschema:"type of the cell"`
	Source   string `json:"source" jsonschema:"text of the cell"`
}

// NotebookCreateOut tells what was written.
type NotebookCreateOut struct {
	Result
	Path      string    `json:"path"`
	CreatedAt time.Time `json:"created_at"`
	Server    string    `json:"server"`
}

// NotebookCreate writes a new notebook.
var NotebookCreate = tool.Define[NotebookCreateIn, NotebookCreateOut](tool.Spec{
	Name: "notebook_create", Title: "Create a notebook",
	Description: "Create a notebook. Missing folders are created; an existing file is never overwritten. The cells are not run: use notebook_run_cell.",
	Category:    tool.Execute, Toolset: tool.Notebook,
	Example: `{"path": "reports/sales.ipynb", "cells": [{"cell_type": "markdown", "source": "# Sales"}]}`,
}, func(in *jsonschema.Schema) {
	text(in, "path", 1, maxPath)
	text(in, "server", 0, maxID)
	in.Properties["cells"].MaxItems = new(maxCells)
	cell := in.Properties["cells"].Items
	oneOf(cell, "cell_type", "code", "markdown", "raw")
	text(cell, "source", 0, maxCode)
})

// maxCells bounds the cells of one call.
const maxCells = 1_000

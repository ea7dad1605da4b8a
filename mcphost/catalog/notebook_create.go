package catalog

import (
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"easel/mcphost/tool"
)

// NotebookCreateIn says what notebook to write, and where.
type NotebookCreateIn struct {
	Path   string    `json:"path" jsonschema:"new .ipynb file, in the user's project or the server's root"`
	Cells  []NewCell `json:"cells,omitempty" jsonschema:"cells in order"`
	Server string    `json:"server,omitempty" jsonschema:"Jupyter server; if omitted, the default"`
}

// A NewCell is a cell to write.
type NewCell struct {
	CellType string `json:"cell_type" enum:"code,markdown,raw" jsonschema:"type of the cell"`
	Source   string `json:"source" jsonschema:"text of the cell"`
}

// NotebookCreateOut describes what was written.
type NotebookCreateOut struct {
	Result
	AtServer
	Path      string    `json:"path" jsonschema:"the notebook"`
	CreatedAt time.Time `json:"created_at" jsonschema:"when it was written"`
}

// NotebookCreate writes a new notebook.
var NotebookCreate = tool.Define[NotebookCreateIn, NotebookCreateOut](tool.Spec{
	Name: "notebook_create", Title: "Create a notebook",
	Description: "Create a notebook. Never overwrites a file. Cells are not run.",
	Category:    tool.Execute, Changes: tool.Notebooks, Toolset: tool.Notebook,
	Patterns: notebookPath, Aliases: cellAliases,
	Example: `{"path": "reports/sales.ipynb", "cells": [{"cell_type": "markdown", "source": "# Sales"}]}`,
}, func(in *jsonschema.Schema) {
	text(in, "path", 1, maxPath)
	text(in, "server", 0, maxDirectory)
	in.Properties["cells"].MaxItems = new(maxCells)
	cell := in.Properties["cells"].Items
	text(cell, "source", 0, maxCode)
})

// maxCells limits the cells of one call.
const maxCells = 1_000

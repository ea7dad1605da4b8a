package catalog

import (
	"encoding/json"

	"github.com/google/jsonschema-go/jsonschema"

	"easel/mcphost/tool"
)

// FileReadIn names a file and says how much of it to read.
type FileReadIn struct {
	Path     string `json:"path" jsonschema:"file, in the user's project or the server's root"`
	MaxBytes int    `json:"max_bytes,omitempty" jsonschema:"bytes of text or rows"`
	Rows     int    `json:"rows,omitempty" jsonschema:"table rows"`
}

// FileReadOut is a file's text, or its columns and rows.
type FileReadOut struct {
	Result
	LinkTarget
	Path      string              `json:"path" jsonschema:"the file"`
	Server    string              `json:"server" jsonschema:"Jupyter server that has it"`
	Kind      string              `json:"kind" enum:"text,csv,tsv,json,jsonl,parquet,excel" jsonschema:"how the file was read"`
	Size      int64               `json:"size" jsonschema:"bytes of the file"`
	Encoding  string              `json:"encoding,omitempty" jsonschema:"as Python names it, for example utf-8 or cp932"`
	Guess     bool                `json:"encoding_guess,omitempty" jsonschema:"true if the encoding may be another"`
	Or        string              `json:"encoding_or,omitempty" jsonschema:"the encoding that is next likely"`
	Delimiter string              `json:"delimiter,omitempty" jsonschema:"of csv and tsv"`
	Decimal   string              `json:"decimal,omitempty" jsonschema:"of csv and tsv: . or ,"`
	Pandas    string              `json:"pandas,omitempty" jsonschema:"expression that reads a csv or tsv file with pandas as pd"`
	Text      *string             `json:"text,omitempty" jsonschema:"the text, if the file is not a table"`
	Truncated bool                `json:"truncated,omitempty" jsonschema:"true if there is more text or there are more rows or columns, or values were cut"`
	Columns   []string            `json:"columns,omitzero" jsonschema:"names of the columns of a table"`
	Rows      [][]json.RawMessage `json:"rows,omitzero" jsonschema:"the first rows, each with a value for each column"`
	TotalRows *int64              `json:"total_rows,omitempty" jsonschema:"rows in the file"`
	Sheets    []string            `json:"sheets,omitempty" jsonschema:"of Excel; the first with rows is read"`
	Notes     []string            `json:"notes,omitempty" jsonschema:"what was left out, and why"`
}

// FileRead reads a file.
var FileRead = tool.Define[FileReadIn, FileReadOut](tool.Spec{
	Name: "file_read", Title: "Preview a file",
	Description: "Preview a file before you load it in code: text and its encoding, or the columns and first rows of CSV, TSV, JSON, Parquet and Excel.",
	Category:    tool.Info, Toolset: tool.Notebook,
	Patterns: map[string]string{"path": FilePattern},
	Example:  `{"path": "data/sales.csv", "rows": 20}`,
}, func(in *jsonschema.Schema) {
	text(in, "path", 1, maxPath)
	preset(number(in, "max_bytes", 1, 400_000), 50_000)
	preset(number(in, "rows", 1, 1000), 50)
})

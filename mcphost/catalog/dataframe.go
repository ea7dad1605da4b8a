package catalog

import (
	"encoding/json"

	"github.com/google/jsonschema-go/jsonschema"

	"easel/mcphost/tool"
)

// GetDataFrameInfoIn names a DataFrame.
type GetDataFrameInfoIn struct {
	SessionID    string `json:"session_id" jsonschema:"session"`
	VariableName string `json:"variable_name" jsonschema:"name of the DataFrame"`
	IncludeHead  bool   `json:"include_head,omitempty" jsonschema:"return the first rows"`
	HeadRows     int    `json:"head_rows,omitempty" jsonschema:"first rows"`
	// Columns restricts what is described, not the list of names.
	Columns []string `json:"columns,omitempty" jsonschema:"only these; * matches any text"`
}

// GetDataFrameInfoOut describes a table. If columns have the same name, the keys of
// Dtypes, Head and Describe are numbered: a, a.1, a.2.
type GetDataFrameInfoOut struct {
	Result
	SessionNews
	Name        string                    `json:"name" jsonschema:"name of the variable"`
	Type        string                    `json:"type" jsonschema:"for example pandas.DataFrame"`
	Shape       []int64                   `json:"shape" jsonschema:"rows, columns"`
	Columns     []string                  `json:"columns" jsonschema:"names in order, as text"`
	Dtypes      map[string]string         `json:"dtypes" jsonschema:"type of each column"`
	Index       *FrameIndex               `json:"index,omitempty" jsonschema:"the index, unless it only counts the rows from 0"`
	Head        []json.RawMessage         `json:"head,omitempty" jsonschema:"the first rows as objects; NaN and missing values are null, dates ISO 8601"`
	Describe    map[string]map[string]any `json:"describe" jsonschema:"count (without nulls), nulls, mean, std, min, quartiles and max of a number column; count, nulls, unique, top and freq of another"`
	MemoryBytes int64                     `json:"memory_bytes" jsonschema:"what it holds in memory"`
	Notes       []string                  `json:"notes,omitempty" jsonschema:"what was left out, and why"`

	Keys  []string `json:"-"` // of all columns, in order
	Shown []string `json:"-"` // of the columns in Head and Describe, in order
}

// A FrameIndex is the index of a pandas DataFrame.
type FrameIndex struct {
	Names  []string          `json:"names" jsonschema:"of its levels; empty text: without a name"`
	Dtypes []string          `json:"dtypes" jsonschema:"of its levels"`
	Head   []json.RawMessage `json:"head" jsonschema:"its value in each row of head; a list if there are several levels"`
}

// GetDataFrameInfo describes a DataFrame without changing it.
var GetDataFrameInfo = tool.Define[GetDataFrameInfoIn, GetDataFrameInfoOut](tool.Spec{
	Name: "get_dataframe_info", Title: "Describe a DataFrame",
	Description: "Describe a table of pandas, polars or pyarrow: shape, columns, dtypes, index, first rows, statistics and memory.",
	Category:    tool.Info, Toolset: tool.Jupyter,
	Example: `{"session_id": "5ab0…", "variable_name": "df"}`,
}, func(in *jsonschema.Schema) {
	text(in, "session_id", 1, maxID)
	text(in, "variable_name", 1, maxID)
	preset(in.Properties["include_head"], true)
	preset(number(in, "head_rows", 1, 1000), 5)
	list(in.Properties["columns"], 1, 100, maxID)
})

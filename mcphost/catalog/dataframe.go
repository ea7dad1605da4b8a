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
}

// GetDataFrameInfoOut describes a DataFrame. If columns have the same name, the keys of
// Dtypes, Head and Describe are numbered: a, a.1, a.2.
type GetDataFrameInfoOut struct {
	Result
	SessionNews
	Name        string                    `json:"name" jsonschema:"name of the variable"`
	Type        string                    `json:"type" jsonschema:"for example pandas.DataFrame"`
	Shape       []int64                   `json:"shape" jsonschema:"rows, columns"`
	Columns     []string                  `json:"columns" jsonschema:"names in order, as text"`
	Dtypes      map[string]string         `json:"dtypes" jsonschema:"type of each column"`
	Head        []json.RawMessage         `json:"head,omitempty" jsonschema:"the first rows as objects; NaN and missing values are null, dates ISO 8601"`
	Describe    map[string]map[string]any `json:"describe" jsonschema:"count, mean, std, min, quartiles and max of a number column; count, unique, top and freq of another"`
	MemoryBytes int64                     `json:"memory_bytes" jsonschema:"what it holds in memory"`
	Notes       []string                  `json:"notes,omitempty" jsonschema:"what was left out, and why"`
}

// GetDataFrameInfo describes a DataFrame without changing it.
var GetDataFrameInfo = tool.Define[GetDataFrameInfoIn, GetDataFrameInfoOut](tool.Spec{
	Name: "get_dataframe_info", Title: "Describe a DataFrame",
	Description: "Describe a pandas or polars DataFrame: shape, columns, dtypes, first rows, statistics and memory.",
	Category:    tool.Info, Toolset: tool.Jupyter,
	Example: `{"session_id": "5ab0…", "variable_name": "df"}`,
}, func(in *jsonschema.Schema) {
	text(in, "session_id", 1, maxID)
	text(in, "variable_name", 1, maxID)
	preset(in.Properties["include_head"], true)
	preset(number(in, "head_rows", 1, 1000), 5)
})

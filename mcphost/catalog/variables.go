package catalog

import (
	"github.com/google/jsonschema-go/jsonschema"

	"easel/mcphost/tool"
)

// GetVariablesIn names the session to inspect.
type GetVariablesIn struct {
	SessionID string `json:"session_id" jsonschema:"session"`
	Filter    string `json:"filter,omitempty" jsonschema:"text in names or types"`
}

// A Variable is one user variable of a kernel.
type Variable struct {
	Name        string `json:"name" jsonschema:"name of the variable"`
	Type        string `json:"type" jsonschema:"class, for example DataFrame"`
	Size        string `json:"size,omitempty" jsonschema:"1000 rows × 5 cols, (3, 4), 12 items, or 48 bytes of what has neither shape nor length"`
	Value       any    `json:"value,omitempty" jsonschema:"of int, float, str and bool; NaN, infinities and integers beyond 2^53 as strings"`
	Truncated   bool   `json:"truncated,omitempty" jsonschema:"true if the text in value was cut at 200 characters"`
	MemoryBytes int64  `json:"memory_bytes,omitempty" jsonschema:"what it holds in memory, where that is cheap to know"`
}

// GetVariablesOut lists the user's variables by name.
type GetVariablesOut struct {
	Result
	SessionNews
	Variables []Variable `json:"variables" jsonschema:"by name"`
}

// GetVariables reads the variables of a kernel without side effects.
var GetVariables = tool.Define[GetVariablesIn, GetVariablesOut](tool.Spec{
	Name: "get_variables", Title: "List variables",
	Description: "List the variables of a session with type, size and value. Use it before you write code that needs them.",
	Category:    tool.Info, Toolset: tool.Jupyter, Core: true,
	Example: `{"session_id": "5ab0…", "filter": "df"}`,
}, func(in *jsonschema.Schema) {
	text(in, "session_id", 1, maxID)
	text(in, "filter", 0, maxID)
})

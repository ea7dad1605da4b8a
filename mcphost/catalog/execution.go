package catalog

import (
	"github.com/google/jsonschema-go/jsonschema"

	"easel/mcphost/tool"
)

// How images are returned with an execution.
const (
	ImagesInline = "inline"
	ImagesLink   = "link"
	ImagesNone   = "none"
)

// ExecuteCodeIn says what code to run in which session.
type ExecuteCodeIn struct {
	SessionID string   `json:"session_id" jsonschema:"from session_create or session_list"`
	Code      string   `json:"code" jsonschema:"code of one cell"`
	Timeout   float64  `json:"timeout,omitempty" jsonschema:"seconds until the code is interrupted; if omitted, the user's setting"`
	Wait      *float64 `json:"wait,omitempty" jsonschema:"seconds to wait"`
	Images    string   `json:"images,omitempty" jsonschema:"how plots are returned"`
}

// ExecuteCode runs code in a session's kernel.
var ExecuteCode = tool.Define[ExecuteCodeIn, Execution](tool.Spec{
	Name: "execute_code", Title: "Run code",
	Description: "Run code in a session, like a notebook cell; variables stay for the next call. Returns stdout, stderr, the value of the last expression, each plot as a picture, and the traceback if it fails. If it is still running after wait seconds, it continues: follow it with get_execution, do not run it again.",
	Category:    tool.Execute, Toolset: tool.Jupyter, Destructive: true, OpenWorld: true, Core: true, AlwaysLoad: true,
	Mistaken: map[string]string{"source": "code"},
	Example:  `{"session_id": "5ab0…", "code": "import matplotlib.pyplot as plt\nplt.plot([1, 3, 2])\nplt.show()"}`,
}, func(in *jsonschema.Schema) {
	text(in, "session_id", 1, maxID)
	text(in, "code", 1, maxCode)
	t := in.Properties["timeout"]
	t.ExclusiveMinimum, t.Maximum = new(0.0), new(float64(maxTimeout))
	preset(number(in, "wait", 0, maxWait), defaultWait)
	oneOf(in, "images", ImagesInline, ImagesLink, ImagesNone)
})

// GetExecutionIn names an execution to follow.
type GetExecutionIn struct {
	ExecutionID string  `json:"execution_id" jsonschema:"from an earlier result"`
	Wait        float64 `json:"wait,omitempty" jsonschema:"seconds to wait"`
	After       string  `json:"after,omitempty" jsonschema:"next from an earlier result; returns only newer output"`
}

// GetExecution reads an execution.
var GetExecution = tool.Define[GetExecutionIn, Execution](tool.Spec{
	Name: "get_execution", Title: "Get an execution",
	Description: "Wait for code that was queued, running or awaiting approval, at most wait seconds. Returns what execute_code returns.",
	Category:    tool.Info, Toolset: tool.Jupyter, Core: true, AlwaysLoad: true,
	Example: `{"execution_id": "e1f0…", "wait": 30}`,
}, func(in *jsonschema.Schema) {
	text(in, "execution_id", 1, maxID)
	preset(number(in, "wait", 0, maxWait), 0)
	text(in, "after", 0, maxID)
})

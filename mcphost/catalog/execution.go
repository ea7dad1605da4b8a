package catalog

import (
	"github.com/google/jsonschema-go/jsonschema"

	"easel/mcphost/tool"
)

// The ways in which images may come with an execution.
const (
	ImagesInline = "inline"
	ImagesLink   = "link"
	ImagesNone   = "none"
)

// ExecuteCodeIn says what to run and where.
type ExecuteCodeIn struct {
	SessionID string   `json:"session_id" jsonschema:"the session, from session_create or session_connect"`
	Code      string   `json:"code" jsonschema:"the source to run, as one notebook cell"`
	Timeout   float64  `json:"timeout,omitempty" jsonschema:"seconds it may run before it is interrupted; absent: the user's setting"`
	Wait      *float64 `json:"wait,omitempty" jsonschema:"seconds to wait for the end; it goes on afterwards, follow it with get_execution"`
	Images    string   `json:"images,omitempty" jsonschema:"inline: the pictures in the result; link: only their links; none: neither. Absent: what suits the client"`
}

// ExecuteCode runs code in a session's kernel.
var ExecuteCode = tool.Define[ExecuteCodeIn, Execution](tool.Spec{
	Name: "execute_code", Title: "Run code",
	Description: "Run code in a session's kernel, as a notebook cell: returns stdout, stderr, the last expression, every plot and any error with its traceback. Show a plot with plt.show() or as the last expression. Long code answers status 'running' after `wait` seconds and goes on: follow it with get_execution.",
	Category:    tool.Execute, Toolset: tool.Jupyter, Destructive: true, OpenWorld: true,
	Example: `{"session_id": "5ab0…", "code": "import matplotlib.pyplot as plt\nplt.plot([1, 3, 2])\nplt.show()"}`,
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
	ExecutionID string  `json:"execution_id" jsonschema:"the execution, from execute_code"`
	Wait        float64 `json:"wait,omitempty" jsonschema:"seconds to wait for its end"`
	After       string  `json:"after,omitempty" jsonschema:"'next' of an earlier answer: only newer output"`
}

// GetExecution reads an execution.
var GetExecution = tool.Define[GetExecutionIn, Execution](tool.Spec{
	Name: "get_execution", Title: "Follow an execution",
	Description: "Read an execution: at its end, or as it stands after `wait` seconds, with everything it has printed and plotted so far.",
	Category:    tool.Info, Toolset: tool.Jupyter,
	Example: `{"execution_id": "e1f0…", "wait": 30}`,
}, func(in *jsonschema.Schema) {
	text(in, "execution_id", 1, maxID)
	preset(number(in, "wait", 0, maxWait), 0)
	text(in, "after", 0, maxID)
})

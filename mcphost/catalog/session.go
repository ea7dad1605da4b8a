package catalog

import (
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"easel/mcphost/tool"
)

// SessionCreateIn says what kernel to start, and for which notebook.
type SessionCreateIn struct {
	Name         string `json:"name,omitempty" jsonschema:"kernel name (kernelspec), as python3"`
	NotebookPath string `json:"notebook_path,omitempty" jsonschema:"notebook to share the kernel with, relative to the server's root, ending in .ipynb; made if missing"`
	Server       string `json:"server,omitempty" jsonschema:"name of a Jupyter server known to Easel; absent: the default one"`
}

// SessionCreateOut is the new session, ready to run code.
type SessionCreateOut struct {
	Result
	SessionID    string    `json:"session_id"`
	KernelID     string    `json:"kernel_id"`
	Status       string    `json:"status" jsonschema:"idle"`
	CreatedAt    time.Time `json:"created_at"`
	KernelName   string    `json:"kernel_name"`
	NotebookPath string    `json:"notebook_path,omitempty"`
	Server       string    `json:"server"`

	IdleSessions []IdleSession `json:"idle_sessions,omitempty" jsonschema:"idle sessions that the caller already has: reuse one, or end it by session_delete"`
}

// An IdleSession is a session that its client could use again.
type IdleSession struct {
	SessionID   string `json:"session_id"`
	IdleMinutes int    `json:"idle_minutes"`
}

// SessionCreate starts a kernel.
var SessionCreate = tool.Define[SessionCreateIn, SessionCreateOut](tool.Spec{
	Name: "session_create", Title: "Start a session",
	Description: "Start a Jupyter kernel and return the session_id that every other tool takes. With notebook_path the kernel is shared with whoever opens that notebook in JupyterLab; an existing session of that notebook is returned as it is.",
	Category:    tool.Execute, Toolset: tool.Jupyter,
	Example: `{"name": "python3"}`,
}, func(in *jsonschema.Schema) {
	preset(text(in, "name", 1, maxID), "python3")
	text(in, "notebook_path", 0, maxPath)
	text(in, "server", 0, maxID)
})

// SessionListIn has no parameters.
type SessionListIn struct{}

// SessionListOut is every kernel on every known server.
type SessionListOut struct {
	Result
	Sessions []Session `json:"sessions"`
}

// SessionList lists the sessions.
var SessionList = tool.Define[SessionListIn, SessionListOut](tool.Spec{
	Name: "session_list", Title: "List sessions",
	Description: "List every kernel on every Jupyter server that Easel knows, also those that the user started in JupyterLab (owner: other).",
	Category:    tool.Info, Toolset: tool.Jupyter,
	Example: `{}`,
})

// SessionConnectIn names a running kernel.
type SessionConnectIn struct {
	NotebookPath string `json:"notebook_path,omitempty" jsonschema:"notebook whose kernel to join; decides if both are given"`
	KernelID     string `json:"kernel_id,omitempty" jsonschema:"kernel to join"`
	Server       string `json:"server,omitempty" jsonschema:"name of a Jupyter server known to Easel; absent: all are searched"`
}

// SessionConnectOut is the joined session.
type SessionConnectOut struct {
	Result
	SessionID    string `json:"session_id"`
	KernelID     string `json:"kernel_id"`
	NotebookPath string `json:"notebook_path,omitempty"`
	Status       string `json:"status"`
	Connected    bool   `json:"connected"`
}

// SessionConnect joins a running kernel.
var SessionConnect = tool.Define[SessionConnectIn, SessionConnectOut](tool.Spec{
	Name: "session_connect", Title: "Join a running session",
	Description: "Join the kernel of a notebook that is open in JupyterLab, or any running kernel by its id. Give notebook_path or kernel_id. Variables and imports of that kernel are there.",
	Category:    tool.Execute, Toolset: tool.Jupyter, Idempotent: true,
	Example: `{"notebook_path": "analysis.ipynb"}`,
}, func(in *jsonschema.Schema) {
	text(in, "notebook_path", 0, maxPath)
	text(in, "kernel_id", 0, maxID)
	text(in, "server", 0, maxID)
})

// SessionDeleteIn names the session to end.
type SessionDeleteIn struct {
	SessionID string `json:"session_id" jsonschema:"the session"`
	Force     bool   `json:"force,omitempty" jsonschema:"also end a kernel that Easel did not start"`
}

// SessionDeleteOut confirms the end.
type SessionDeleteOut struct {
	Result
	SessionID string `json:"session_id"`
	Status    string `json:"status" jsonschema:"deleted"`
}

// SessionDelete ends a session.
var SessionDelete = tool.Define[SessionDeleteIn, SessionDeleteOut](tool.Spec{
	Name: "session_delete", Title: "End a session",
	Description: "Shut the session's kernel down; its variables are lost, its images stay. A kernel that the user started (owner: other) is only disconnected, unless force.",
	Category:    tool.Execute, Toolset: tool.Jupyter, Destructive: true,
	Example: `{"session_id": "5ab0…"}`,
}, func(in *jsonschema.Schema) { text(in, "session_id", 1, maxID) })

// SessionRestartIn names the session to restart.
type SessionRestartIn struct {
	SessionID string `json:"session_id" jsonschema:"the session"`
	Force     bool   `json:"force,omitempty" jsonschema:"also restart a kernel that Easel did not start"`
}

// SessionRestartOut is the session after the restart.
type SessionRestartOut struct {
	Result
	SessionID  string `json:"session_id"`
	KernelID   string `json:"kernel_id"`
	Status     string `json:"status"`
	Generation int    `json:"generation"`
}

// SessionRestart restarts a kernel.
var SessionRestart = tool.Define[SessionRestartIn, SessionRestartOut](tool.Spec{
	Name: "session_restart", Title: "Restart the kernel",
	Description: "Restart the session's kernel: variables and imports are lost, what runs or waits ends as interrupted or cancelled, images stay.",
	Category:    tool.Execute, Toolset: tool.Jupyter, Destructive: true,
	Example: `{"session_id": "5ab0…"}`,
}, func(in *jsonschema.Schema) { text(in, "session_id", 1, maxID) })

// SessionInterruptIn names the session to interrupt.
type SessionInterruptIn struct {
	SessionID string `json:"session_id" jsonschema:"the session"`
}

// What came of an interrupt, by the kernel's own word.
const (
	Interrupted = "interrupted"     // the code has ended by it
	StillRuns   = "still_running"   // the code has not reacted for some seconds
	EndedItself = "ended"           // the code came to its own end, or an error of its own
	NothingRan  = "nothing_running" // there was nothing to interrupt
	Withdrawn   = "withdrawn"       // it was a question to the user, and is no longer asked
)

// SessionInterruptOut is the session after the interrupt, and what came of that.
type SessionInterruptOut struct {
	Result
	SessionID   string `json:"session_id"`
	KernelID    string `json:"kernel_id"`
	Status      string `json:"status" jsonschema:"of the kernel now: idle, or busy if the code goes on or other code follows"`
	Outcome     string `json:"outcome,omitempty" jsonschema:"interrupted, still_running, ended, nothing_running or withdrawn"`
	ExecutionID string `json:"execution_id,omitempty" jsonschema:"what was interrupted or withdrawn"`
	Hint        string `json:"hint,omitempty"`
}

// SessionInterrupt interrupts what runs.
var SessionInterrupt = tool.Define[SessionInterruptIn, SessionInterruptOut](tool.Spec{
	Name: "session_interrupt", Title: "Interrupt the kernel",
	Description: "Interrupt what runs in the session now (KeyboardInterrupt), and withdraw what waits for the user's approval. Output so far is kept; code in the queue runs next. outcome says what came of it.",
	Category:    tool.Execute, Toolset: tool.Jupyter, Idempotent: true,
	Example: `{"session_id": "5ab0…"}`,
}, func(in *jsonschema.Schema) { text(in, "session_id", 1, maxID) })

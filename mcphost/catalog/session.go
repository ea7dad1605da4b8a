package catalog

import (
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"easel/mcphost/tool"
)

// SessionCreateIn says which kernel to start, and for which notebook.
type SessionCreateIn struct {
	Name         string `json:"name,omitempty" jsonschema:"kernel, from session_list"`
	NotebookPath string `json:"notebook_path,omitempty" jsonschema:"notebook; created if missing"`
	Directory    string `json:"directory,omitempty" jsonschema:"the user's project, absolute or ssh://HOST/path: its Python and files; default: your client's folder, else Easel's own"`
	Title        string `json:"title,omitempty" jsonschema:"subject, for the user"`
	Server       string `json:"server,omitempty" jsonschema:"Jupyter server, from session_list"`
}

// SessionCreateOut is the new session, ready to run code.
type SessionCreateOut struct {
	Result
	SessionNews
	AtServer
	SessionID    string    `json:"session_id" jsonschema:"id to use in every other tool"`
	KernelID     string    `json:"kernel_id" jsonschema:"id of the kernel on its server"`
	Status       string    `json:"status" enum:"idle" jsonschema:"it is ready to run code"`
	CreatedAt    time.Time `json:"created_at" jsonschema:"when the kernel was started"`
	KernelName   string    `json:"kernel_name" jsonschema:"kernelspec name, for example python3"`
	NotebookPath string    `json:"notebook_path,omitempty" jsonschema:"path on the server, if the session belongs to a notebook"`
	Directory    string    `json:"directory,omitempty" jsonschema:"where the kernel works; relative paths in its code start there"`
	Environment  string    `json:"environment,omitempty" jsonschema:"which Python it is, if Easel knows it"`
	Title        string    `json:"title,omitempty" jsonschema:"what the session is called, if it has a title"`
	NewNotebook  bool      `json:"notebook_created,omitempty" jsonschema:"true if there was no notebook at the path: it was created, empty"`
	Hint         string    `json:"hint,omitempty" jsonschema:"what to know about the project or the notebook, if anything"`

	IdleSessions []IdleSession `json:"idle_sessions,omitempty" jsonschema:"idle sessions that the caller already has: reuse one, or end it with session_delete"`
}

// An IdleSession is a session that its client could use again.
type IdleSession struct {
	SessionID   string `json:"session_id" jsonschema:"the session"`
	IdleMinutes int    `json:"idle_minutes" jsonschema:"minutes since it was used"`
}

// notebookAliases are names of notebook_path that the notebook tools have.
var notebookAliases = map[string]string{"path": "notebook_path"}

// SessionCreate starts a kernel.
var SessionCreate = tool.Define[SessionCreateIn, SessionCreateOut](tool.Spec{
	Name: "session_create", Title: "Start a session",
	Description: "Start a Jupyter kernel. Returns the session_id for most other tools. With notebook_path, it is shared with that notebook in JupyterLab; an existing one is reused.",
	Category:    tool.Execute, Toolset: tool.Jupyter, Core: true, AlwaysLoad: true,
	Mistaken: map[string]string{"kernel": "name", "kernelspec": "name"},
	Patterns: map[string]string{"notebook_path": OptionalNotebookPattern},
	Aliases:  notebookAliases,
	Example:  `{"name": "python3"}`,
}, func(in *jsonschema.Schema) {
	preset(text(in, "name", 1, maxID), "python3")
	text(in, "notebook_path", 0, maxPath)
	text(in, "directory", 0, maxDirectory)
	text(in, "title", 0, MaxTitle)
	text(in, "server", 0, maxDirectory)
})

// SessionListIn has no parameters.
type SessionListIn struct{}

// SessionListOut lists every kernel on every known server, and what can be started there.
type SessionListOut struct {
	Result
	Sessions []Session       `json:"sessions" jsonschema:"kernels on all known servers"`
	Servers  []StartingPoint `json:"servers,omitempty" jsonschema:"where session_create can start a kernel, the default first"`
}

// A StartingPoint is a Jupyter server with the kernels that session_create can start on it.
type StartingPoint struct {
	Server    string       `json:"server" jsonschema:"server of session_create"`
	Directory string       `json:"directory,omitempty" jsonschema:"its root, if it is on this machine"`
	State     string       `json:"state,omitempty" jsonschema:"why it can start none now, for example unreachable"`
	Kernels   []KernelKind `json:"kernels,omitempty" jsonschema:"what it can start"`
}

// A KernelKind is a kernelspec.
type KernelKind struct {
	Name     string `json:"name" jsonschema:"name of session_create"`
	Language string `json:"language" jsonschema:"for example python"`
	Program  string `json:"program,omitempty" jsonschema:"the interpreter, if the server says it"`
}

// SessionList lists the sessions.
var SessionList = tool.Define[SessionListIn, SessionListOut](tool.Spec{
	Name: "session_list", Title: "List sessions",
	Description: "List all running sessions and their session_id, also the user's in JupyterLab (owner: other) or another program (server: this-machine), and which servers and kernels session_create can use.",
	Category:    tool.Info, Toolset: tool.Jupyter, Core: true,
	Example: `{}`,
})

// SessionConnectIn names a running kernel.
type SessionConnectIn struct {
	NotebookPath string `json:"notebook_path,omitempty" jsonschema:"notebook to join"`
	KernelID     string `json:"kernel_id,omitempty" jsonschema:"from session_list"`
	Server       string `json:"server,omitempty" jsonschema:"Jupyter server; if omitted, all"`
}

// SessionConnectOut is the joined session.
type SessionConnectOut struct {
	Result
	SessionNews
	AtServer
	SessionID    string `json:"session_id" jsonschema:"id to use in every other tool"`
	KernelID     string `json:"kernel_id" jsonschema:"id of the kernel on its server"`
	NotebookPath string `json:"notebook_path,omitempty" jsonschema:"path on the server, if the session belongs to a notebook"`
	Status       string `json:"status" enum:"starting,idle,busy,restarting,disconnected,dead,unknown" jsonschema:"state of the kernel now"`
	Connected    bool   `json:"connected" jsonschema:"true"`
}

// SessionConnect joins a running kernel.
var SessionConnect = tool.Define[SessionConnectIn, SessionConnectOut](tool.Spec{
	Name: "session_connect", Title: "Join a session",
	Description: "Join a running kernel and its variables, for example of the user's open notebook. On this-machine, Easel asks the user first. Returns the session_id.",
	Category:    tool.Execute, Toolset: tool.Jupyter, Idempotent: true, Core: true,
	Either:   tool.Either{Of: []string{"notebook_path", "kernel_id"}},
	Patterns: map[string]string{"notebook_path": OptionalNotebookPattern},
	Aliases:  notebookAliases,
	Example:  `{"notebook_path": "analysis.ipynb"}`,
}, func(in *jsonschema.Schema) {
	text(in, "notebook_path", 0, maxPath)
	text(in, "kernel_id", 0, maxID)
	text(in, "server", 0, maxDirectory)
})

// SessionDeleteIn names the session to end.
type SessionDeleteIn struct {
	SessionID string `json:"session_id" jsonschema:"session"`
	Force     bool   `json:"force,omitempty" jsonschema:"also end a kernel that the user started"`
}

// SessionDeleteOut confirms that the session has ended.
type SessionDeleteOut struct {
	Result
	SessionID string `json:"session_id" jsonschema:"the session"`
	Status    string `json:"status" enum:"deleted" jsonschema:"the kernel was shut down, or, with owner other and without force, disconnected"`
}

// SessionDelete ends a session.
var SessionDelete = tool.Define[SessionDeleteIn, SessionDeleteOut](tool.Spec{
	Name: "session_delete", Title: "End a session",
	Description: "End a session when its work is done. Its variables are lost; its images are kept. One with owner: other is only disconnected.",
	Category:    tool.Execute, Changes: tool.Sessions, Toolset: tool.Jupyter, Destructive: true,
	Example: `{"session_id": "5ab0…"}`,
}, func(in *jsonschema.Schema) { text(in, "session_id", 1, maxID) })

// SessionRestartIn names the session to restart.
type SessionRestartIn struct {
	SessionID string `json:"session_id" jsonschema:"session"`
	Force     bool   `json:"force,omitempty" jsonschema:"also restart a kernel that the user started"`
}

// SessionRestartOut is the session after the restart.
type SessionRestartOut struct {
	Result
	SessionNews
	SessionID  string `json:"session_id" jsonschema:"the session"`
	KernelID   string `json:"kernel_id" jsonschema:"id of the kernel on its server"`
	Status     string `json:"status" enum:"starting,idle,busy,restarting,disconnected,dead,unknown" jsonschema:"state of the kernel now"`
	Generation int    `json:"generation" jsonschema:"number of this run of the kernel; it grows with every restart"`
	Hint       string `json:"hint,omitempty" jsonschema:"what to know about the project's Python, if anything"`
}

// SessionRestart restarts a kernel.
var SessionRestart = tool.Define[SessionRestartIn, SessionRestartOut](tool.Spec{
	Name: "session_restart", Title: "Restart a session",
	Description: "Restart a session's kernel. Variables are lost, code is stopped, images are kept.",
	Category:    tool.Execute, Changes: tool.Sessions, Toolset: tool.Jupyter, Destructive: true, Core: true,
	Example: `{"session_id": "5ab0…"}`,
}, func(in *jsonschema.Schema) { text(in, "session_id", 1, maxID) })

// SessionInterruptIn names the session to interrupt.
type SessionInterruptIn struct {
	SessionID string `json:"session_id" jsonschema:"session"`
}

// The outcome of an interrupt, as reported by the kernel.
const (
	Interrupted = "interrupted"     // the interrupt ended the code
	StillRuns   = "still_running"   // the code has not reacted for some seconds
	EndedItself = "ended"           // the code finished, or failed by itself
	NothingRan  = "nothing_running" // there was nothing to interrupt
	Withdrawn   = "withdrawn"       // it was waiting for the user's approval, which is no longer requested
)

// SessionInterruptOut is the session after the interrupt, and the outcome.
type SessionInterruptOut struct {
	Result
	SessionNews
	SessionID   string `json:"session_id" jsonschema:"the session"`
	KernelID    string `json:"kernel_id" jsonschema:"id of the kernel on its server"`
	Status      string `json:"status" enum:"starting,idle,busy,restarting,disconnected,dead,unknown" jsonschema:"state of the kernel now: busy if the code continues or other code follows"`
	Outcome     string `json:"outcome,omitempty" enum:"interrupted,still_running,ended,nothing_running,withdrawn" jsonschema:"result of the interrupt: still_running if the code has not reacted yet; ended if it finished by itself; withdrawn if it still waited for approval"`
	ExecutionID string `json:"execution_id,omitempty" jsonschema:"what was interrupted or withdrawn"`
	Hint        string `json:"hint,omitempty" jsonschema:"what to do next, if that is not obvious"`
}

// SessionInterrupt interrupts running code.
var SessionInterrupt = tool.Define[SessionInterruptIn, SessionInterruptOut](tool.Spec{
	Name: "session_interrupt", Title: "Interrupt a session",
	Description: "Stop the code that is running in a session, or withdraw code that awaits approval. Variables and output are kept; queued code runs next.",
	Category:    tool.Execute, Toolset: tool.Jupyter, Idempotent: true, Core: true,
	Example: `{"session_id": "5ab0…"}`,
}, func(in *jsonschema.Schema) { text(in, "session_id", 1, maxID) })

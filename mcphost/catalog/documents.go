package catalog

import (
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"easel/mcphost/tool"
)

// A Document is a JSON resource: settings, history or state.
type Document string

// The documents, by their name under easel:// and /api/resources/.
const (
	DocSettings Document = "settings"
	DocHistory  Document = "history"
	DocState    Document = "state"
)

// Documents describes each document, in the order of lists.
var Documents = []struct {
	Name        Document
	Title, What string
	Schema      *jsonschema.Schema
}{
	{DocState, "What the window shows", "The folder, the selection, the view and the sessions that the user sees now.", tool.SchemaOf[State]()},
	{DocHistory, "Executions so far", "The code that was run, by whom, and how it ended, newest first, without output: the last 200 executions; over MCP, the last 20 in short. search_history finds earlier ones.", tool.SchemaOf[History]()},
	{DocSettings, "Settings", "Easel's settings, without secrets.", tool.SchemaOf[Settings]()},
}

// Settings are the user's choices that every client may read. None is secret.
type Settings struct {
	Language         string  `json:"language" enum:",en,ja" jsonschema:"of the window; empty: the system's"`
	Theme            string  `json:"theme" enum:"light,dark,system" jsonschema:"of the window"`
	ThumbSize        int     `json:"thumb_size" jsonschema:"edge of a thumbnail in the gallery, in pixels"`
	Port             int     `json:"port" jsonschema:"preferred port"`
	Timeout          float64 `json:"timeout" jsonschema:"default timeout of execute_code, in seconds"`
	Delivery         string  `json:"delivery" enum:",inline,link,none" jsonschema:"how images reach MCP clients; empty: what suits the client"`
	OutputKB         int     `json:"output_kb" jsonschema:"kB of each output stream in an MCP result"`
	AutoRaise        bool    `json:"auto_raise" jsonschema:"tools may raise a hidden window"`
	Access           string  `json:"access" enum:"allow,ask_risky,ask,read_only" jsonschema:"what assistants may do: everything, run code but risky code only after the user's approval, run code after the user's approval, or only read"`
	AskFor           float64 `json:"ask_for" jsonschema:"approval timeout, in seconds"`
	QuotaMB          int64   `json:"quota_mb" jsonschema:"maximum size of the library in MB; 0: no limit"`
	TrashDays        int     `json:"trash_days" jsonschema:"days that deleted images are kept"`
	Prestart         bool    `json:"spare" jsonschema:"a kernel is kept ready for the next session"`
	UnusedHours      float64 `json:"unused_hours" jsonschema:"hours after which Easel ends an unused session of its own; 0: never"`
	KeepFigures      bool    `json:"keep_figures" jsonschema:"Easel's own kernels keep their last figures, so that they can be redrawn"`
	KeepTheirFigures bool    `json:"keep_their_figures" jsonschema:"Python kernels of other servers do so too"`
	CheckMinutes     int     `json:"check_minutes" jsonschema:"time limit for checking whether a plot is reproducible"`
	DrawText         bool    `json:"draw_text,omitzero" jsonschema:"tables and formulas are drawn as images"`
	PlotFacts        bool    `json:"plot_facts" jsonschema:"results say what plots show in numbers"`
	RootDir          string  `json:"root_dir" jsonschema:"where the managed Jupyter works; empty: the default"`
	LocalServers     bool    `json:"local_servers" jsonschema:"Jupyter servers that the user runs on this machine are found automatically"`
	DefaultServer    string  `json:"default_server,omitzero" jsonschema:"Jupyter server for calls that name none; absent: Easel's own"`
	OnClose          string  `json:"on_close" enum:"hide,quit" jsonschema:"what closing the window does"`
	Notify           string  `json:"notify" enum:"off,questions,hidden,always" jsonschema:"when the desktop shows notifications: only questions; questions, failures and ends of long runs; also while the user looks at the window"`
	SaveDir          string  `json:"save_dir,omitzero" jsonschema:"directory where the user last saved an image"`
	SaveCode         bool    `json:"save_code,omitzero" jsonschema:"saved images contain their code"`
	ToldTray         bool    `json:"told_tray,omitzero" jsonschema:"the user has been told that a hidden window is in the tray"`
}

// History is what was run, newest first.
type History struct {
	Executions []PastExecution `json:"executions" jsonschema:"newest first"`
}

// A PastExecution is an execution without its output.
type PastExecution struct {
	ExecutionID string          `json:"execution_id" jsonschema:"for get_execution"`
	SessionID   string          `json:"session_id" jsonschema:"the session that ran it"`
	Client      string          `json:"client" jsonschema:"name and version of the client that ran it"`
	Status      string          `json:"status" enum:"queued,awaiting_approval,running,ok,error,interrupted,cancelled,timeout,kernel_died,lost"`
	Code        string          `json:"code" jsonschema:"what ran; the user may have edited it. Over MCP, its first line"`
	CreatedAt   time.Time       `json:"created_at" jsonschema:"when it was requested"`
	TimeMS      float64         `json:"execution_time_ms,omitempty" jsonschema:"milliseconds from start to end"`
	Error       *ExecutionError `json:"error,omitempty" jsonschema:"why it failed; absent if it did not"`
}

// State is what the window shows now.
type State struct {
	URL       string         `json:"url" jsonschema:"Easel's own address"`
	Window    string         `json:"window" enum:"shown,hidden,none,starting"`
	Paused    bool           `json:"paused" jsonschema:"the user has paused the AI"`
	Hold      string         `json:"hold" enum:",paused,paused_running" jsonschema:"empty: not paused; paused_running: paused, but code started earlier still runs"`
	Sessions  []StateSession `json:"sessions" jsonschema:"live sessions, newest first"`
	Folder    StateFolder    `json:"folder" jsonschema:"folder that the gallery shows"`
	Mode      string         `json:"mode" enum:"grid,viewer"`
	Current   string         `json:"current" jsonschema:"id of the image that the viewer shows or the cursor is on; empty: none"`
	Selection []string       `json:"selection" jsonschema:"ids of the selected images, in the order of selection"`
	Total     int            `json:"total" jsonschema:"images in the folder"`
	Matching  int            `json:"matching" jsonschema:"images in the folder that pass the filters"`
}

// A StateSession is a live session and what it is doing.
type StateSession struct {
	Session Session       `json:"session" jsonschema:"the session, as session_list gives it"`
	Name    string        `json:"name" jsonschema:"as the window shows it"`
	Client  string        `json:"client" jsonschema:"client that created it"`
	Queued  int           `json:"queued" jsonschema:"executions that wait"`
	Running *StateRunning `json:"running,omitempty" jsonschema:"absent if nothing runs"`
}

// A StateRunning is code that is running.
type StateRunning struct {
	ExecutionID string    `json:"execution_id" jsonschema:"empty if it was not run through Easel"`
	Client      string    `json:"client" jsonschema:"who runs it"`
	Since       time.Time `json:"since" jsonschema:"when it started"`
	Code        string    `json:"code" jsonschema:"its first 2,000 characters"`
}

// A StateFolder is the folder that the gallery shows.
type StateFolder struct {
	Kind string `json:"kind" enum:"sessions,session,directory,trash"`
	ID   string `json:"id" jsonschema:"id of the session, or path of the directory; empty for the other kinds"`
}

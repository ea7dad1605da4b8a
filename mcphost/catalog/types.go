package catalog

import (
	"fmt"
	"time"

	"easel/mcphost/tool"
)

// A Session is a kernel as a client sees it.
type Session struct {
	SessionID    string    `json:"session_id" jsonschema:"id to use in every other tool"`
	KernelID     string    `json:"kernel_id"`
	KernelName   string    `json:"kernel_name" jsonschema:"kernelspec name, as python3"`
	Status       string    `json:"status" jsonschema:"starting, idle, busy, restarting, dead or unknown"`
	CreatedAt    time.Time `json:"created_at"`
	LastActivity time.Time `json:"last_activity"`
	NotebookPath string    `json:"notebook_path,omitempty" jsonschema:"path on the server, where the session belongs to a notebook"`
	Server       string    `json:"server" jsonschema:"name of the Jupyter server"`
	Owner        string    `json:"owner" jsonschema:"easel if Easel started the kernel, else other"`
	Generation   int       `json:"generation" jsonschema:"counts the kernel's restarts: when it grew, the variables are gone"`
	Images       int       `json:"images" jsonschema:"images of this session in the gallery"`
}

// An Image is one picture that a kernel displayed, or a figure that only a browser can
// draw.
type Image struct {
	ResourceURI string    `json:"resource_uri" jsonschema:"jupyter:// URI, for get_image_resource and resources/read"`
	ImageID     string    `json:"image_id"`
	MIMEType    string    `json:"mime_type"`
	Width       int       `json:"width" jsonschema:"pixels; 0 if unknown"`
	Height      int       `json:"height" jsonschema:"pixels; 0 if unknown"`
	Bytes       int64     `json:"bytes"`
	Title       string    `json:"title,omitempty" jsonschema:"the figure's title, where it has one"`
	Description string    `json:"description" jsonschema:"a line that tells what it is"`
	Path        string    `json:"path" jsonschema:"the file on disk"`
	SessionID   string    `json:"session_id,omitempty"`
	ExecutionID string    `json:"execution_id,omitempty"`
	CreatedAt   time.Time `json:"created_at"`
	Rating      int       `json:"rating" jsonschema:"the user's stars, 0 to 5"`
	Tags        []string  `json:"tags"`
	Replaces    string    `json:"replaces,omitempty" jsonschema:"URI of the image that this one updates"`
	Versions    int       `json:"versions,omitempty" jsonschema:"how many versions its figure has, of which this is the newest; absent: one"`
	ReplacedBy  string    `json:"replaced_by,omitempty" jsonschema:"URI of the figure's newest version, where this is an older one"`
	Interactive string    `json:"interactive,omitempty" jsonschema:"plotly, vegalite, vega, bokeh, holoviews, widget or html: a figure that came without a picture; the resource is its data"`
}

// Link makes the image an MCP resource link.
func (i Image) Link() tool.Link {
	name := i.Title
	if name == "" {
		name = i.ImageID
	}
	line := fmt.Sprintf("Image: %s · %d×%d px %s · %s · %s", i.Description, i.Width, i.Height, i.MIMEType, i.ResourceURI, i.Path)
	if i.Interactive != "" {
		line = fmt.Sprintf("%s · its data, %d bytes of %s: %s · %s", i.Description, i.Bytes, i.MIMEType, i.ResourceURI, i.Path)
	}
	return tool.Link{
		URI: i.ResourceURI, Name: name, Title: i.Title, Description: i.Description,
		MIMEType: i.MIMEType, Bytes: i.Bytes, Line: line,
	}
}

func links(images []Image) []tool.Link {
	ls := make([]tool.Link, len(images))
	for i, im := range images {
		ls[i] = im.Link()
	}
	return ls
}

// The states of an execution.
const (
	StatusQueued      = "queued"
	StatusAwaiting    = "awaiting_approval"
	StatusRunning     = "running"
	StatusOK          = "ok"
	StatusError       = "error"
	StatusInterrupted = "interrupted"
	StatusCancelled   = "cancelled"
	StatusTimeout     = "timeout"
	StatusKernelDied  = "kernel_died"
	StatusLost        = "lost"
)

// TransportJupyter is the transport of what was not run through Easel: another client of
// the kernel asked for it, and Easel watched.
const TransportJupyter = "jupyter"

// The codes of a failed execution. They are no tool.Codes: the tool ran.
const (
	CodeExecution       = "EXECUTION_ERROR"
	CodeInterrupted     = "INTERRUPTED"
	CodeCancelled       = "CANCELLED"
	CodeDenied          = "DENIED"
	CodeApprovalTimeout = "APPROVAL_TIMEOUT"
	CodeTimeout         = "EXECUTION_TIMEOUT"
	CodeKernelDied      = "KERNEL_DIED"
	CodeOutputLost      = "OUTPUT_LOST"
)

// Ended tells whether an execution of this status will change no more.
func Ended(status string) bool {
	switch status {
	case StatusQueued, StatusAwaiting, StatusRunning:
		return false
	default:
		return true
	}
}

// An Execution is one piece of code that ran, runs or waits to run.
type Execution struct {
	Result
	ExecutionID     string          `json:"execution_id"`
	SessionID       string          `json:"session_id"`
	Status          string          `json:"status" jsonschema:"queued, awaiting_approval, running, ok, error, interrupted, cancelled, timeout, kernel_died or lost"`
	Code            string          `json:"code" jsonschema:"what ran; the user may have edited it"`
	ExecutionCount  int             `json:"execution_count,omitempty" jsonschema:"the kernel's number, as In [n]"`
	Stdout          string          `json:"stdout"`
	Stderr          string          `json:"stderr"`
	Text            string          `json:"result,omitempty" jsonschema:"text/plain of the last expression"`
	Images          []Image         `json:"images"`
	Error           *ExecutionError `json:"error,omitempty"`
	Truncated       []Truncation    `json:"truncated,omitempty" jsonschema:"what is missing here, and why"`
	QueuePosition   int             `json:"queue_position,omitempty" jsonschema:"1: next in its session"`
	CreatedAt       time.Time       `json:"created_at"`
	StartedAt       *time.Time      `json:"started_at,omitempty"`
	ExecutionTimeMS float64         `json:"execution_time_ms,omitempty" jsonschema:"milliseconds from start to end, to now, or to when it was last heard of"`
	Next            string          `json:"next,omitempty" jsonschema:"pass as 'after' to get_execution to have only what is new"`
	Hint            string          `json:"hint,omitempty" jsonschema:"what to do next, where that is not plain"`

	// Inline lists the URIs that go into an MCP result as pictures: a decision of
	// the GUI side, not part of the result.
	Inline []string `json:"-"`
	// Unlinked leaves the images out of an MCP result altogether.
	Unlinked bool `json:"-"`
	// Doubtful tells that it is not known whether it still runs: no news of it is progress.
	Doubtful bool `json:"-"`
	// Watched names who runs it, if that was not through Easel; for the window.
	Watched string `json:"-"`
}

// An ExecutionError tells why an execution failed.
type ExecutionError struct {
	Code      string `json:"code" jsonschema:"EXECUTION_ERROR, INTERRUPTED, CANCELLED, DENIED, APPROVAL_TIMEOUT, EXECUTION_TIMEOUT, KERNEL_DIED or OUTPUT_LOST"`
	Type      string `json:"type,omitempty" jsonschema:"the exception's class, as ZeroDivisionError"`
	Message   string `json:"message"`
	Traceback string `json:"traceback,omitempty" jsonschema:"without colour codes"`
}

// A Truncation says what part of an output is not shown.
type Truncation struct {
	Stream     string `json:"stream" jsonschema:"stdout, stderr, result, traceback, images"`
	TotalBytes int64  `json:"total_bytes"`
	Reason     string `json:"reason"`
}

// Failed implements tool.Failer.
func (e Execution) Failed() bool { return !e.Success }

// Links implements tool.Linker.
func (e Execution) Links() []tool.Link {
	if e.Unlinked {
		return nil
	}
	return links(e.Images)
}

// InlineEdge is the long edge, in pixels, to which inlined pictures are scaled:
// what models look at without scaling again.
const InlineEdge = 1568

// Pictures implements tool.Picturer.
func (e Execution) Pictures() (uris []string, maxEdge int) { return e.Inline, InlineEdge }

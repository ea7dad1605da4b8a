package catalog

import (
	"cmp"
	"strings"
	"time"

	"easel/internal/truncate"
	"easel/mcphost/tool"
)

// A Session is a kernel as a client sees it.
type Session struct {
	SessionID    string    `json:"session_id" jsonschema:"id to use in every other tool"`
	KernelID     string    `json:"kernel_id" jsonschema:"id of the kernel on its server"`
	KernelName   string    `json:"kernel_name" jsonschema:"kernelspec name, for example python3"`
	Status       string    `json:"status" enum:"starting,idle,busy,restarting,disconnected,dead,unknown" jsonschema:"state of the kernel: disconnected while its server cannot be reached, unknown if the server does not tell"`
	CreatedAt    time.Time `json:"created_at" jsonschema:"when the kernel was started, or first seen"`
	LastActivity time.Time `json:"last_activity" jsonschema:"when the kernel last did something"`
	Title        string    `json:"title,omitempty" jsonschema:"what the user or its client calls it, or what was asked first"`
	NotebookPath string    `json:"notebook_path,omitempty" jsonschema:"path on the server, if the session belongs to a notebook"`
	Directory    string    `json:"directory,omitempty" jsonschema:"where the kernel works, if Easel knows it"`
	Environment  string    `json:"environment,omitempty" jsonschema:"which Python it is, if Easel knows it"`
	Server       string    `json:"server" jsonschema:"name of the Jupyter server"`
	Owner        string    `json:"owner" enum:"easel,other" jsonschema:"easel if Easel started the kernel, otherwise other"`
	Generation   int       `json:"generation" jsonschema:"number of kernel restarts; when it has grown, the variables are lost"`
	Images       int       `json:"images" jsonschema:"images of this session in the gallery"`
	Death        string    `json:"death,omitempty" jsonschema:"how its process died, if it did since the last restart and Easel knows it"`
	Clients      []string  `json:"clients,omitempty" jsonschema:"the last clients of Easel that used it, newest last"`
	KernelUsage
	// Running is set while the kernel runs code.
	Running *RunningCode `json:"running,omitempty" jsonschema:"the code that runs now"`
	// Process is set for a kernel that no Jupyter server runs.
	Process *KernelProcess `json:"process,omitempty" jsonschema:"where the kernel runs, if no Jupyter server runs it (server: this-machine)"`
}

// A KernelUsage is what a kernel uses with the processes that it has started, if it runs on this machine.
type KernelUsage struct {
	MemoryBytes    int64 `json:"memory_bytes,omitempty" jsonschema:"memory of its processes; absent if the kernel does not run on this machine"`
	CPUPercent     int   `json:"cpu_percent,omitempty" jsonschema:"processor time lately: 100 is one processor; absent if it is none, or unknown"`
	GPUMemoryBytes int64 `json:"gpu_memory_bytes,omitempty" jsonschema:"memory of NVIDIA GPUs"`
}

// A RunningCode is the code that a kernel runs now.
type RunningCode struct {
	ExecutionID string    `json:"execution_id,omitempty" jsonschema:"for get_execution; absent if Easel has not seen the code"`
	Since       time.Time `json:"since,omitzero" jsonschema:"when it was started; absent if unknown"`
	Seconds     int       `json:"seconds,omitempty" jsonschema:"how long ago that was"`
	Client      string    `json:"client,omitempty" jsonschema:"whose code it is"`
	Code        string    `json:"code,omitempty" jsonschema:"its first line"`
}

// FirstLine returns the first line of code that is not blank, without spaces around it and at
// most 100 characters long.
func FirstLine(code string) string {
	const most = 100
	return truncate.Line(code, most)
}

// ManagedServer is the name of Easel's own Jupyter server. Those of projects are managed, too.
const ManagedServer = "managed"

// ThisMachine is the server of kernels on this machine that no Jupyter server runs.
const ThisMachine = "this-machine"

// A KernelProcess is the process of a kernel on this machine that no Jupyter server runs.
// What is unknown is zero.
type KernelProcess struct {
	PID            int       `json:"pid,omitempty" jsonschema:"process ID of the kernel"`
	Program        string    `json:"program,omitempty" jsonschema:"program that started it, for example jupyter-console"`
	Directory      string    `json:"directory,omitempty" jsonschema:"its working directory"`
	User           string    `json:"user,omitempty" jsonschema:"user who runs it"`
	StartedAt      time.Time `json:"started_at,omitzero" jsonschema:"when it was started"`
	ConnectionFile string    `json:"connection_file,omitempty" jsonschema:"path of its connection file"`
	Problem        string    `json:"problem,omitempty" jsonschema:"why Easel cannot connect to it; absent if it can"`
}

// An Image is a picture that a kernel displayed, or a figure that only a browser can
// draw.
type Image struct {
	ResourceURI string    `json:"resource_uri" jsonschema:"jupyter:// URI, for get_image_resource and resources/read"`
	ImageID     string    `json:"image_id" jsonschema:"unique in the library; tools also take its end, from six characters on"`
	MIMEType    string    `json:"mime_type" jsonschema:"image/png, image/jpeg, image/svg+xml, image/gif or image/webp; the type of the data of an interactive figure"`
	Width       int       `json:"width" jsonschema:"pixels; 0 if unknown"`
	Height      int       `json:"height" jsonschema:"pixels; 0 if unknown"`
	Bytes       int64     `json:"bytes" jsonschema:"size of the file"`
	Title       string    `json:"title,omitempty" jsonschema:"the figure's title, if it has one"`
	Description string    `json:"description" jsonschema:"one line that says what it is"`
	Path        string    `json:"path" jsonschema:"the file on disk"`
	SessionID   string    `json:"session_id,omitempty" jsonschema:"session that drew it; absent for a file on disk"`
	ExecutionID string    `json:"execution_id,omitempty" jsonschema:"what drew it"`
	CreatedAt   time.Time `json:"created_at" jsonschema:"when it was displayed"`
	Rating      int       `json:"rating" jsonschema:"the user's stars, 0 to 5"`
	Tags        []string  `json:"tags" jsonschema:"the user's tags"`
	Note        string    `json:"note,omitempty" jsonschema:"what the user wrote about it"`
	Replaces    string    `json:"replaces,omitempty" jsonschema:"URI of the image that this one updates"`
	Versions    int       `json:"versions,omitempty" jsonschema:"how many versions its figure has, of which this is the newest; absent: one"`
	ReplacedBy  string    `json:"replaced_by,omitempty" jsonschema:"URI of the figure's newest version, if this is an older one"`
	Cell        *PlotCell `json:"cell,omitempty" jsonschema:"the cell that drew it, if its session has a notebook and the cell is known"`
	Redrawable  string    `json:"redrawable,omitempty" enum:"kernel,stored,replay,no" jsonschema:"what can draw it again: its kernel or its stored data (render_image), only its code (replay), or nothing"`
	NotRedrawn  string    `json:"redrawable_why,omitempty" jsonschema:"why only its code or nothing can, and what to do"`
	Damaged     string    `json:"damaged,omitempty" jsonschema:"why the picture cannot be shown, if its data is damaged"`
	Facts       string    `json:"facts,omitempty" jsonschema:"what the plot shows in numbers: first what its reader may miss, such as points off the axes, then ranges"`
	Findings    []Finding `json:"findings,omitempty" jsonschema:"what a careful reader of the plot would notice, the most important first"`
	Interactive string    `json:"interactive,omitempty" enum:"plotly,vegalite,vega,bokeh,holoviews,widget,html,pdf,table,latex" jsonschema:"kind of a figure that came without a picture; the resource is its data"`
}

// A Finding is what a careful reader of a plot would notice. It says what was counted, and not what that means.
type Finding struct {
	Check string `json:"check" jsonschema:"name of the check, which does not change"`
	Text  string `json:"text" jsonschema:"what was counted"`
	Count int    `json:"count,omitempty" jsonschema:"how many points or values it is about"`
	Where string `json:"where,omitempty" jsonschema:"where they are in the plot's data"`
	// Dismissed findings are not in facts.
	Dismissed bool `json:"dismissed,omitempty" jsonschema:"the user judged it to be no problem"`
}

// What can draw an image again.
const (
	RedrawnByKernel = "kernel"
	RedrawnStored   = "stored" // an engine, from the figure's data
	RedrawnByReplay = "replay" // only its code, run again
	RedrawnNot      = "no"
)

// The reasons why a plot is stale.
const (
	StaleChanged = "changed"
	StaleDeleted = "deleted"
)

// A PlotCell is the cell of a notebook that drew an image, and where it is now.
type PlotCell struct {
	CellID  string `json:"cell_id" jsonschema:"id of the cell"`
	Index   *int   `json:"index,omitempty" jsonschema:"where the cell is now, counted from 0; absent if it was deleted"`
	Count   int    `json:"execution_count,omitempty" jsonschema:"the n of In [n] when it drew the image"`
	Heading string `json:"heading,omitempty" jsonschema:"the last heading above the cell"`
	Stale   string `json:"stale,omitempty" enum:"changed,deleted" jsonschema:"the cell has changed since it drew the image, or was deleted"`
	Total   int    `json:"-"` // number of cells of the notebook
}

// shortID is how many characters of an image's id name it in lists: its end, because ids begin
// with the time. A URI costs a model sixty tokens, and these cost six.
const shortID = 8

// ShortID returns the end of the image's id.
func (i Image) ShortID() string { return i.ImageID[max(0, len(i.ImageID)-shortID):] }

// Link returns the MCP resource link of the image.
func (i Image) Link() tool.Link {
	name := i.Title
	name = cmp.Or(name, i.ImageID)
	return tool.Link{
		URI: i.ResourceURI, Name: name, Title: i.Title, Description: i.Description,
		MIMEType: i.MIMEType, Bytes: i.Bytes,
	}
}

func links(images []Image) []tool.Link {
	ls := make([]tool.Link, 0, len(images))
	for _, im := range images {
		if im.Damaged == "" { // some clients show a link as a picture
			ls = append(ls, im.Link())
		}
	}
	return ls
}

// The states of an execution.
const (
	StatusQueued        = "queued"
	StatusAwaiting      = "awaiting_approval"
	StatusAwaitingInput = "awaiting_input" // of code that runs; the library has it as running
	StatusRunning       = "running"
	StatusOK            = "ok"
	StatusError         = "error"
	StatusInterrupted   = "interrupted"
	StatusCancelled     = "cancelled"
	StatusTimeout       = "timeout"
	StatusKernelDied    = "kernel_died"
	StatusLost          = "lost"
)

// TransportJupyter is the transport of executions that another client of the kernel
// requested. Easel only observed them.
const TransportJupyter = "jupyter"

// The codes of a failed execution. They are not tool.Codes, because the tool ran.
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

// Ended reports whether an execution with this status will not change anymore.
func Ended(status string) bool {
	switch status {
	case StatusQueued, StatusAwaiting, StatusAwaitingInput, StatusRunning:
		return false
	default:
		return true
	}
}

// An Execution is a piece of code that has run, is running or waits to run.
type Execution struct {
	Result
	SessionNews
	ExecutionID     string          `json:"execution_id" jsonschema:"for get_execution"`
	SessionID       string          `json:"session_id" jsonschema:"the session that runs it"`
	Status          string          `json:"status" enum:"queued,awaiting_approval,awaiting_input,running,ok,error,interrupted,cancelled,timeout,kernel_died,lost" jsonschema:"queued, awaiting_approval, awaiting_input and running are open; the others are final"`
	AwaitingInput   *AwaitedInput   `json:"awaiting_input,omitempty" jsonschema:"what the code waits for, if it has asked the user for input; only the user can answer"`
	Code            string          `json:"code" jsonschema:"what ran; the user may have edited it"`
	ExecutionCount  int             `json:"execution_count,omitempty" jsonschema:"the kernel's number: the n of In [n]"`
	Stdout          string          `json:"stdout" jsonschema:"printed to stdout"`
	Stderr          string          `json:"stderr" jsonschema:"printed to stderr"`
	Text            string          `json:"result,omitempty" jsonschema:"text/plain of the last expression"`
	Outputs         []Output        `json:"outputs" jsonschema:"everything that it displayed, in the notebook's order, as sent"`
	Images          []Image         `json:"images" jsonschema:"what it displayed, in order"`
	Error           *ExecutionError `json:"error,omitempty" jsonschema:"why it failed; absent if it did not"`
	Truncated       []Truncation    `json:"truncated,omitempty" jsonschema:"what is missing here, and why"`
	QueuePosition   int             `json:"queue_position,omitempty" jsonschema:"1: next in its session"`
	CreatedAt       time.Time       `json:"created_at" jsonschema:"when it was requested"`
	StartedAt       *time.Time      `json:"started_at,omitempty" jsonschema:"when the kernel started it; absent while it waits"`
	ExecutionTimeMS float64         `json:"execution_time_ms,omitempty" jsonschema:"milliseconds from start to end, to now, or to when it was last heard of"`
	Next            string          `json:"next,omitempty" jsonschema:"pass as 'after' to get_execution to have only what is new"`
	Hint            string          `json:"hint,omitempty" jsonschema:"what to do next, if that is not obvious"`
	Usage           *KernelUsage    `json:"usage,omitempty" jsonschema:"what the kernel uses while the code runs"`

	// Inline lists the URIs of the pictures in an MCP result. The core sets it; it is
	// not part of the result.
	Inline []string `json:"-"`
	// Unlinked means that the MCP result contains neither pictures nor links.
	Unlinked bool `json:"-"`
	// Blind means that the client cannot show its model a picture from a result.
	Blind bool `json:"-"`
	// CodeKnown means that the caller knows the code. MCP omits it.
	CodeKnown bool `json:"-"`
	// Doubtful means that it is unknown whether the code still runs.
	Doubtful bool `json:"-"`
	// Watched names who runs the code, if it was not run through Easel. It is for the
	// window.
	Watched string `json:"-"`
}

// An AwaitedInput is what running code has asked the user for, with input() or getpass().
type AwaitedInput struct {
	Prompt   string `json:"prompt" jsonschema:"what the code asks"`
	Password bool   `json:"password,omitempty" jsonschema:"it asks for a secret: the answer is never shown or stored"`
}

// An Output is one thing that an execution displayed: text, or a picture.
type Output struct {
	Type     string `json:"type" enum:"stdout,stderr,result,display,error,image" jsonschema:"stdout and stderr are printed text, result is the value of an expression"`
	Text     string `json:"text,omitempty" jsonschema:"its text; displayed objects by their plain text, or by the source of Markdown, LaTeX, JSON or a table"`
	MIMEType string `json:"mime_type,omitempty" jsonschema:"type of the text"`
	ImageID  string `json:"image_id,omitempty" jsonschema:"id of the picture in images"`
}

// An ExecutionError says why an execution failed.
type ExecutionError struct {
	Code      string `json:"code" enum:"EXECUTION_ERROR,INTERRUPTED,CANCELLED,DENIED,APPROVAL_TIMEOUT,EXECUTION_TIMEOUT,KERNEL_DIED,OUTPUT_LOST" jsonschema:"why it failed"`
	Type      string `json:"type,omitempty" jsonschema:"the exception's class, for example ZeroDivisionError"`
	Message   string `json:"message" jsonschema:"the message of the exception, or what happened"`
	Traceback string `json:"traceback,omitempty" jsonschema:"without colour codes"`
}

// A Truncation says which part of an output is not shown.
type Truncation struct {
	Stream     string `json:"stream" jsonschema:"what was shortened: stdout, stderr, result, error.message, traceback or images"`
	TotalBytes int64  `json:"total_bytes" jsonschema:"length of the whole; 0 if unknown"`
	Reason     string `json:"reason" jsonschema:"why it was shortened"`
	After      string `json:"after,omitempty" jsonschema:"pass as 'after' to get_execution to continue after the first part"`
	Path       string `json:"path,omitempty" jsonschema:"file that has all of it"`
	// Left is how many bytes of it are not here, if that is known.
	Left int64 `json:"-"`
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

// MostPictures is the maximum number of pictures in one MCP result.
const MostPictures = 4

// InlineEdge is the long edge, in pixels, to which inlined pictures are scaled. Models
// read pictures of this size without further scaling.
const InlineEdge = 1568

// Pictures implements tool.Picturer.
func (e Execution) Pictures() (uris []string, maxEdge int) { return e.Inline, InlineEdge }

// Handle returns the name of the image in tool.Picturer.Pictures.
func (i Image) Handle() string { return cmp.Or(i.ResourceURI, i.ImageID) }

// Raster reports whether the image can be inlined, as PNG or JPEG.
func (i Image) Raster() bool {
	return strings.HasPrefix(i.MIMEType, "image/") && i.MIMEType != "image/svg+xml" && i.Interactive == "" && i.Damaged == ""
}

// MostListed is how many entries of a list without pages a model gets.
const MostListed = 20

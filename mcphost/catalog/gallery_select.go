package catalog

import (
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"easel/mcphost/tool"
)

// SelectFileIn names the files to select.
type SelectFileIn struct {
	Path  string   `json:"path,omitempty" jsonschema:"path, URI, image_id or latest"`
	Paths []string `json:"paths,omitempty" jsonschema:"several files"`

	// Follow means that nobody chose the file: the window follows the newest plot.
	Follow bool `json:"-"`
	// Current is the id of the file from which the window's keys go on, selected or not. If it
	// is empty, that is the last one selected.
	Current string `json:"-"`
}

// SelectFileOut is the new selection.
type SelectFileOut struct {
	Result
	Selected []File `json:"selected" jsonschema:"the selected files, in the order of selection"`
}

// Links implements tool.Linker.
func (o SelectFileOut) Links() []tool.Link { return fileLinks(o.Selected) }

// SelectFile selects files.
var SelectFile = tool.Define[SelectFileIn, SelectFileOut](tool.Spec{
	Name: "select_file", Title: "Select files",
	Description: "Select files in the gallery, to show the user which ones you mean.",
	Category:    tool.Execute, Toolset: tool.Gallery, Undo: true, Idempotent: true, Aliases: filesAliases,
	Either:  tool.Either{Of: []string{"path", "paths"}},
	Example: `{"path": "latest"}`,
}, files)

// GetSelectedFilesIn says what to return about the selection.
type GetSelectedFilesIn struct {
	IncludeImages bool `json:"include_images,omitempty" jsonschema:"also return the pictures"`
}

// A SelectedFile is a selected file and its origin.
type SelectedFile struct {
	File
	Code      string     `json:"code,omitempty" jsonschema:"what drew it"`
	Client    string     `json:"client,omitempty" jsonschema:"who asked for it"`
	Region    *Region    `json:"region,omitempty" jsonschema:"rectangle that the user drew on it"`
	Questions []Question `json:"questions,omitempty" jsonschema:"what the user asked about parts of it, oldest first"`
}

// Who selected the files.
const (
	ByUser      = "user"
	ByAssistant = "assistant"
	ByFollow    = "follow" // nobody: the window followed the newest plot
)

// GetSelectedFilesOut is the selection.
type GetSelectedFilesOut struct {
	Result
	Files      []SelectedFile `json:"files" jsonschema:"in the order of selection"`
	SelectedBy string         `json:"selected_by,omitempty" enum:"user,assistant,follow" jsonschema:"who selected them; follow: the window moved to the newest plot by itself; absent if nothing is selected"`

	// Pictured means that the caller asked for the pictures. Inline lists the URIs of
	// those that go into an MCP result.
	Pictured bool     `json:"-"`
	Inline   []string `json:"-"`
	// Blind means that the client cannot show its model a picture from a result.
	Blind bool `json:"-"`
}

// Links implements tool.Linker.
func (o GetSelectedFilesOut) Links() []tool.Link {
	fs := make([]File, len(o.Files))
	for i, f := range o.Files {
		fs[i] = f.File
	}
	return fileLinks(fs)
}

// Pictures implements tool.Picturer.
func (o GetSelectedFilesOut) Pictures() (uris []string, maxEdge int) { return o.Inline, InlineEdge }

// GetSelectedFiles reads the selection.
var GetSelectedFiles = tool.Define[GetSelectedFilesIn, GetSelectedFilesOut](tool.Spec{
	Name: "get_selected_files", Title: "Get the selection",
	Description: "Get the plots that the user selected, with the code that made each. Call it when the user says \"this plot\". selected_by tells whether the user chose them.",
	Category:    tool.Info, Toolset: tool.Gallery, Core: true,
	Example: `{"include_images": true}`,
})

// GetPromptInfoIn names a file.
type GetPromptInfoIn struct {
	Path        string `json:"path,omitempty" jsonschema:"path, URI or image_id, selected or latest"`
	CompareWith string `json:"compare_with,omitempty" jsonschema:"another plot, or previous for its earlier version"`
}

// Previous names the earlier version of a figure in GetPromptInfoIn.CompareWith.
const Previous = "previous"

// Differences are what is different between two plots.
type Differences struct {
	With  string   `json:"with" jsonschema:"URI or path of the other plot"`
	Code  []string `json:"code" jsonschema:"lines of code: - of the other plot only, + of this one only"`
	Facts []string `json:"facts" jsonschema:"what they show in numbers: the other's, then this one's"`
	Text  string   `json:"text" jsonschema:"the same, shortened"`
}

// GetPromptInfoOut is a file and its origin: for a plot its code and execution, for a
// picture on disk the metadata in the file.
type GetPromptInfoOut struct {
	Result
	File File `json:"file"`

	Code            string       `json:"code,omitempty" jsonschema:"code that drew it"`
	Language        string       `json:"language,omitempty" jsonschema:"language of the code"`
	SessionID       string       `json:"session_id,omitempty" jsonschema:"session that drew it"`
	Kernel          string       `json:"kernel,omitempty" jsonschema:"kernel name"`
	Client          string       `json:"client,omitempty" jsonschema:"client that ran the code"`
	ExecutionID     string       `json:"execution_id,omitempty" jsonschema:"what drew it"`
	StartedAt       *time.Time   `json:"started_at,omitempty" jsonschema:"when the code started"`
	Environment     *Environment `json:"environment,omitempty" jsonschema:"what its kernel ran in"`
	ExecutionTimeMS float64      `json:"execution_time_ms,omitempty" jsonschema:"milliseconds that the code ran"`
	Stdout          string       `json:"stdout,omitempty" jsonschema:"printed to stdout by the code"`
	Stderr          string       `json:"stderr,omitempty" jsonschema:"printed to stderr by the code"`

	Prompt         string            `json:"prompt,omitempty" jsonschema:"prompt in the file"`
	NegativePrompt string            `json:"negative_prompt,omitempty" jsonschema:"negative prompt in the file"`
	Model          string            `json:"model,omitempty" jsonschema:"model that made the picture"`
	Seed           string            `json:"seed,omitempty" jsonschema:"seed in the file"`
	Parameters     map[string]string `json:"parameters,omitempty" jsonschema:"parameters in the file"`
	Tags           []string          `json:"tags,omitempty" jsonschema:"the user's tags, or those in the file"`
	Raw            string            `json:"raw,omitempty" jsonschema:"the embedded text as it is"`

	Differences *Differences `json:"differences,omitempty" jsonschema:"from the plot in compare_with to this one"`
}

// Links implements tool.Linker.
func (o GetPromptInfoOut) Links() []tool.Link { return fileLinks([]File{o.File}) }

// GetPromptInfo returns the origin of a file.
var GetPromptInfo = tool.Define[GetPromptInfoIn, GetPromptInfoOut](tool.Spec{
	Name: "get_prompt_info", Title: "Get an image's origin",
	Description: "Get what made an image: for a plot its code, output and session; for a picture on disk its embedded prompt and parameters. compare_with adds what changed.",
	Category:    tool.Info, Toolset: tool.Gallery, Aliases: fileAliases,
	Example: `{"path": "latest"}`,
}, func(in *jsonschema.Schema) {
	preset(text(in, "path", 1, maxFile), Selected)
	text(in, "compare_with", 1, maxFile)
})

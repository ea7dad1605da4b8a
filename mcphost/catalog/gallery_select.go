package catalog

import (
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"easel/mcphost/tool"
)

// SelectFileIn names the files to select.
type SelectFileIn struct {
	Path  string   `json:"path,omitempty" jsonschema:"path or jupyter:// URI of the file, or latest"`
	Paths []string `json:"paths,omitempty" jsonschema:"several files"`

	// Follow: nobody chose it; the window goes to the newest plot by itself.
	Follow bool `json:"-"`
}

// SelectFileOut is the new selection.
type SelectFileOut struct {
	Result
	Selected []File `json:"selected"`
}

// Links implements tool.Linker.
func (o SelectFileOut) Links() []tool.Link { return fileLinks(o.Selected) }

// SelectFile selects files.
var SelectFile = tool.Define[SelectFileIn, SelectFileOut](tool.Spec{
	Name: "select_file", Title: "Select files",
	Description: "Select one or more files in the gallery, as a click does. Give path or paths.",
	Category:    tool.Execute, Toolset: tool.Gallery, Idempotent: true,
	Example: `{"path": "latest"}`,
}, files)

// GetSelectedFilesIn says what to tell of them.
type GetSelectedFilesIn struct {
	IncludeImages bool `json:"include_images,omitempty" jsonschema:"also return the pictures themselves"`
}

// A SelectedFile is a selected file and what made it.
type SelectedFile struct {
	File
	Code   string `json:"code,omitempty" jsonschema:"what drew it"`
	Client string `json:"client,omitempty" jsonschema:"who asked for it"`
}

// Who selected files.
const (
	ByUser      = "user"
	ByAssistant = "assistant"
	ByFollow    = "follow" // nobody: the window went to the newest plot by itself
)

// GetSelectedFilesOut is the selection.
type GetSelectedFilesOut struct {
	Result
	Files      []SelectedFile `json:"files"`
	SelectedBy string         `json:"selected_by,omitempty" jsonschema:"user, assistant, or follow: the window moved to the newest plot by itself; absent if nothing is selected"`

	// Pictured: the pictures themselves were asked for. Inline lists the URIs of those
	// that go into an MCP result.
	Pictured bool     `json:"-"`
	Inline   []string `json:"-"`
	// Blind: the client cannot show the model a picture that a result carries.
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
	Name: "get_selected_files", Title: "Read the selection",
	Description: "Read what the user has selected in the gallery, with the code that made each: what they mean by 'this one'.",
	Category:    tool.Info, Toolset: tool.Gallery,
	Example: `{"include_images": true}`,
})

// GetPromptInfoIn names a file.
type GetPromptInfoIn struct {
	Path string `json:"path,omitempty" jsonschema:"path or jupyter:// URI of the file, or selected or latest"`
}

// GetPromptInfoOut is a file and what made it: for a plot its code and run, for a
// picture on disk what is embedded in it.
type GetPromptInfoOut struct {
	Result
	File File `json:"file"`

	Code            string     `json:"code,omitempty"`
	Language        string     `json:"language,omitempty"`
	SessionID       string     `json:"session_id,omitempty"`
	Kernel          string     `json:"kernel,omitempty"`
	Client          string     `json:"client,omitempty"`
	ExecutionID     string     `json:"execution_id,omitempty"`
	StartedAt       *time.Time `json:"started_at,omitempty"`
	ExecutionTimeMS float64    `json:"execution_time_ms,omitempty"`
	Stdout          string     `json:"stdout,omitempty"`
	Stderr          string     `json:"stderr,omitempty"`

	Prompt         string            `json:"prompt,omitempty"`
	NegativePrompt string            `json:"negative_prompt,omitempty"`
	Model          string            `json:"model,omitempty"`
	Seed           string            `json:"seed,omitempty"`
	Parameters     map[string]string `json:"parameters,omitempty"`
	Tags           []string          `json:"tags,omitempty"`
	Raw            string            `json:"raw,omitempty"`
}

// Links implements tool.Linker.
func (o GetPromptInfoOut) Links() []tool.Link { return fileLinks([]File{o.File}) }

// GetPromptInfo tells what made a file.
var GetPromptInfo = tool.Define[GetPromptInfoIn, GetPromptInfoOut](tool.Spec{
	Name: "get_prompt_info", Title: "What made this file",
	Description: "Tell what made a file: for a plot the code, its output and session; for a picture on disk the prompt and parameters embedded in it.",
	Category:    tool.Info, Toolset: tool.Gallery,
	Example: `{"path": "latest"}`,
}, func(in *jsonschema.Schema) { preset(text(in, "path", 1, maxFile), Selected) })

// Package catalog is the contract between the host and the core. It declares the tools,
// with their inputs and outputs, and the few topics and events that are not tools. The
// host serves what is declared here, and the core (ui/core/tools) implements it. Neither
// knows the other.
//
// Each tool is declared in the file of its name. The package contains no bodies and no
// transport.
//
// # Goroutines
//
// Everything here is immutable after init.
//
//go:generate go run easel/mcphost/docgen ../../docs
package catalog

import (
	"encoding/json"

	"github.com/google/jsonschema-go/jsonschema"

	"easel/mcphost/tool"
)

// All lists every tool of Easel in the order in which clients see them.
func All() []tool.Any {
	return []tool.Any{
		SessionCreate, SessionList, SessionConnect, SessionDelete,
		SessionRestart, SessionInterrupt,
		ExecuteCode, GetExecution,
		GetVariables, GetDataFrameInfo,
		ListSessionImages, GetImageResource, SearchHistory, RenderImage, CheckReproducibility,

		NotebookCreate, NotebookRead, NotebookAddCell, NotebookEditCell,
		NotebookMoveCell, NotebookDeleteCell, NotebookRunCell,
		FileList, FileRead,

		OpenFolder, SelectFile, SetRating, SetTags,
		FilterByRating, ClearRatingFilter, FilterByTag, ClearTagFilter, SortThumbnails,
		ShowImageViewer, CloseImageViewer, NavigateImage,
		ToggleFullscreen, TogglePropertiesPanel, SetTheme,
		GetCurrentFolder, GetSelectedFiles, GetFilesInView, GetPromptInfo,
	}
}

// Result is embedded in every result. Success is true unless the tool ran and what it
// did failed.
type Result struct {
	Success bool `json:"success" jsonschema:"true unless it failed"`
}

// OK is the Result of success.
var OK = Result{true}

// Limits of parameters, as the contract sets them.
const (
	maxID        = 100       // characters of a session, kernel, execution id, kernel name, variable name
	maxPath      = 500       // characters of a notebook path
	maxDirectory = 1000      // characters of a directory on the disk
	MaxTitle     = 100       // characters of the title of a session
	maxCode      = 1_000_000 // characters of code; jupyter-server closes the websocket at 10 MiB
	maxWait      = 50        // seconds: some clients time out after 60
	defaultWait  = 45        // seconds
	maxTimeout   = 86_400    // seconds: one day
	maxURI       = 2_000     // characters
)

// Patterns of paths on a Jupyter server. A path that matches may still be invalid.
const (
	NotebookPattern         = `[^/]\.ipynb`           // of the path of a notebook
	OptionalNotebookPattern = `^$|` + NotebookPattern // empty means not given
	FilePattern             = `[^/.]|\.{3}`           // of a path that is not the root folder
)

var notebookPath = map[string]string{"path": NotebookPattern}

// The functions below add to a schema what Go types cannot express.

func text(s *jsonschema.Schema, name string, shortest, longest int) *jsonschema.Schema {
	p := s.Properties[name]
	if shortest > 0 {
		p.MinLength = new(shortest)
	}
	p.MaxLength = new(longest)
	return p
}

func number(s *jsonschema.Schema, name string, least, most float64) *jsonschema.Schema {
	p := s.Properties[name]
	p.Minimum, p.Maximum = new(least), new(most)
	return p
}

func oneOf(s *jsonschema.Schema, name string, values ...any) *jsonschema.Schema {
	p := s.Properties[name]
	p.Enum = values
	return p
}

func preset(p *jsonschema.Schema, v any) {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	p.Default = raw
}

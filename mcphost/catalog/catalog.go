// Package catalog is the contract between Easel's two halves: the tools, with
// their inputs and outputs, and the few topics and events that are no tools. The
// host serves what is declared here; the GUI side (ui/core/tools) fulfils it; neither
// knows the other.
//
// One tool is one declaration in the file of its name. There are no bodies here
// and no transport.
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
		ListSessionImages, GetImageResource,

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

// Result is embedded in every result. It is true unless the tool ran and what
// it did failed.
type Result struct {
	Success bool `json:"success" jsonschema:"true unless it failed"`
}

// OK is the usual Result.
var OK = Result{true}

// Limits of parameters, as the contract sets them.
const (
	maxID       = 100       // characters of a session, kernel, execution id, kernel name, variable name
	maxPath     = 500       // characters of a notebook path
	maxCode     = 1_000_000 // characters of code; jupyter-server drops the socket at 10 MiB
	maxWait     = 50        // seconds: some clients give up after 60
	defaultWait = 45        // seconds
	maxTimeout  = 86_400    // seconds: a day
	maxURI      = 2_000     // characters
)

// Patterns of paths on a Jupyter server. What matches may still be wrong.
const (
	NotebookPattern         = `[^/]\.ipynb`           // of the path of a notebook
	OptionalNotebookPattern = `^$|` + NotebookPattern // empty is as absent
	FilePattern             = `[^/.]|\.{3}`           // of a path that is not the root folder
)

var notebookPath = map[string]string{"path": NotebookPattern}

// The helpers below refine a schema with what Go types cannot say.

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

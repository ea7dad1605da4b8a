package catalog

import (
	"github.com/google/jsonschema-go/jsonschema"

	"easel/mcphost/tool"
)

// OpenFolderIn names the folder to show.
type OpenFolderIn struct {
	Path   string `json:"path" jsonschema:"jupyter://sessions/ for all plots, jupyter://sessions/{session_id}/ for one session's, or a directory"`
	Select string `json:"select,omitempty" jsonschema:"file to select in the folder"`
}

// OpenFolder shows a folder.
var OpenFolder = tool.Define[OpenFolderIn, ViewOut](tool.Spec{
	Name: "open_folder", Title: "Open a folder",
	Description: "Show a folder in the user's gallery.",
	Category:    tool.Execute, Toolset: tool.Gallery, Undo: true, Idempotent: true,
	Aliases: map[string]string{"folder": "path", "folderPath": "path", "selectedFilePath": "select"},
	Example: `{"path": "jupyter://sessions/"}`,
}, func(in *jsonschema.Schema) {
	text(in, "path", 1, maxFile)
	text(in, "select", 0, maxFile)
})

// GetCurrentFolderIn has no parameters.
type GetCurrentFolderIn struct{}

// GetCurrentFolderOut is the folder and the view of it.
type GetCurrentFolderOut struct {
	Result
	Folder string `json:"folder" jsonschema:"jupyter://sessions/, jupyter://sessions/{id}/ or a directory"`
	View   View   `json:"view" jsonschema:"what the gallery shows"`
}

// GetCurrentFolder returns what the gallery shows.
var GetCurrentFolder = tool.Define[GetCurrentFolderIn, GetCurrentFolderOut](tool.Spec{
	Name: "get_current_folder", Title: "Get the current view",
	Description: "Get what the gallery shows: folder, filters, sort order, counts and viewer.",
	Category:    tool.Info, Toolset: tool.Gallery,
	Example: `{}`,
})

// GetFilesInViewIn selects a page.
type GetFilesInViewIn struct {
	Cursor string `json:"cursor,omitempty" jsonschema:"next_cursor from an earlier result"`
	Limit  int    `json:"limit,omitempty" jsonschema:"files per page"`
}

// GetFilesInViewOut is a page of what the gallery shows.
type GetFilesInViewOut struct {
	Result
	Files      []File `json:"files" jsonschema:"in the order of the gallery"`
	Total      int    `json:"total" jsonschema:"files in the folder"`
	Matching   int    `json:"matching" jsonschema:"of those, the ones that pass the filters"`
	NextCursor string `json:"next_cursor,omitempty" jsonschema:"pass it as cursor to get the next page; absent on the last page"`
	View       View   `json:"view"`
}

// Links implements tool.Linker.
func (o GetFilesInViewOut) Links() []tool.Link { return fileLinks(o.Files) }

// GetFilesInView lists what the gallery shows.
var GetFilesInView = tool.Define[GetFilesInViewIn, GetFilesInViewOut](tool.Spec{
	Name: "get_files_in_view", Title: "List the files in view",
	Description: "List the gallery's files as the user sees them, with ratings and tags.",
	Category:    tool.Info, Toolset: tool.Gallery,
	Example: `{"limit": 50}`,
}, func(in *jsonschema.Schema) {
	text(in, "cursor", 0, maxFile)
	number(in, "limit", 1, 200)
})

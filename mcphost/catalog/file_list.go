package catalog

import (
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"easel/mcphost/tool"
)

// FileListIn names a folder.
type FileListIn struct {
	Path   string `json:"path,omitempty" jsonschema:"folder, in the user's project or the server's root"`
	Server string `json:"server,omitempty" jsonschema:"Jupyter server; if omitted, the default"`
}

// A FileEntry is a file or folder.
type FileEntry struct {
	Name       string     `json:"name" jsonschema:"without the path"`
	Type       string     `json:"type" enum:"directory,notebook,file"`
	Size       int64      `json:"size" jsonschema:"bytes; 0 for a directory"`
	ModifiedAt *time.Time `json:"modified_at,omitempty" jsonschema:"absent if the server does not tell"`
}

// FileListOut is what is in a folder.
type FileListOut struct {
	Result
	LinkTarget
	Path     string      `json:"path" jsonschema:"the folder"`
	Folder   string      `json:"folder,omitempty" jsonschema:"its path on the disk, if it is on this machine"`
	Server   string      `json:"server" jsonschema:"Jupyter server that has it"`
	Contents []FileEntry `json:"contents" jsonschema:"directories first, then by name"`
	Total    int         `json:"total,omitempty" jsonschema:"if not all are listed: how many there are"`
	Hint     string      `json:"hint,omitempty" jsonschema:"why this is not the client's own folder"`
}

// FileList lists a folder.
var FileList = tool.Define[FileListIn, FileListOut](tool.Spec{
	Name: "file_list", Title: "List files",
	Description: "List a folder on a Jupyter server.",
	Category:    tool.Info, Toolset: tool.Notebook,
	Example: `{"path": "data"}`,
}, func(in *jsonschema.Schema) {
	preset(text(in, "path", 0, maxPath), "/")
	text(in, "server", 0, maxDirectory)
})

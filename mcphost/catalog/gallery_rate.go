package catalog

import (
	"github.com/google/jsonschema-go/jsonschema"

	"easel/mcphost/tool"
)

// SetRatingIn is the stars and who gets them.
type SetRatingIn struct {
	Rating int      `json:"rating" jsonschema:"stars; 0 takes them away"`
	Path   string   `json:"path,omitempty" jsonschema:"path or jupyter:// URI of the file, or selected (the default) or latest"`
	Paths  []string `json:"paths,omitempty" jsonschema:"several files"`
}

// SetRating gives stars.
var SetRating = tool.Define[SetRatingIn, FilesOut](tool.Spec{
	Name: "set_rating", Title: "Give stars",
	Description: "Give files 0 to 5 stars. They are kept for ever with the image.",
	Category:    tool.Execute, Toolset: tool.Gallery, Idempotent: true,
	Example: `{"rating": 4, "path": "latest"}`,
}, files, stars)

// SetTagsIn is the tags and who gets them.
type SetTagsIn struct {
	Add    []string `json:"add,omitempty" jsonschema:"tags to put on"`
	Remove []string `json:"remove,omitempty" jsonschema:"tags to take off"`
	Path   string   `json:"path,omitempty" jsonschema:"path or jupyter:// URI of the file, or selected (the default) or latest"`
	Paths  []string `json:"paths,omitempty" jsonschema:"several files"`
}

// SetTags puts tags on and takes them off.
var SetTags = tool.Define[SetTagsIn, FilesOut](tool.Spec{
	Name: "set_tags", Title: "Tag files",
	Description: "Put tags on files and take tags off.",
	Category:    tool.Execute, Toolset: tool.Gallery, Idempotent: true,
	Example: `{"add": ["keep"], "path": "latest"}`,
}, files, func(in *jsonschema.Schema) {
	list(in.Properties["add"], 0, maxTags, maxTag)
	list(in.Properties["remove"], 0, maxTags, maxTag)
})

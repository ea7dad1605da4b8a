package catalog

import (
	"github.com/google/jsonschema-go/jsonschema"

	"easel/mcphost/tool"
)

// SetRatingIn is a rating and the files to rate.
type SetRatingIn struct {
	Rating int      `json:"rating" jsonschema:"stars; 0 removes the rating"`
	Path   string   `json:"path,omitempty" jsonschema:"path, URI or image_id, selected or latest; if omitted, selected"`
	Paths  []string `json:"paths,omitempty" jsonschema:"several files"`
}

// SetRating rates files.
var SetRating = tool.Define[SetRatingIn, FilesOut](tool.Spec{
	Name: "set_rating", Title: "Rate files",
	Description: "Rate files with 0 to 5 stars when the user asks for it.",
	Category:    tool.Execute, Toolset: tool.Gallery, Undo: true, Idempotent: true, Aliases: filesAliases,
	Example: `{"rating": 4, "path": "latest"}`,
}, files, stars)

// SetTagsIn is tags and the files to change.
type SetTagsIn struct {
	Add    []string `json:"add,omitempty" jsonschema:"tags to add"`
	Remove []string `json:"remove,omitempty" jsonschema:"tags to remove"`
	Path   string   `json:"path,omitempty" jsonschema:"path, URI or image_id, selected or latest; if omitted, selected"`
	Paths  []string `json:"paths,omitempty" jsonschema:"several files"`
}

// SetTags adds and removes tags.
var SetTags = tool.Define[SetTagsIn, FilesOut](tool.Spec{
	Name: "set_tags", Title: "Tag files",
	Description: "Add tags to files and remove tags.",
	Category:    tool.Execute, Toolset: tool.Gallery, Undo: true, Idempotent: true,
	Aliases: withAliases(filesAliases, "tags", "add"),
	Either:  tool.Either{Of: []string{"add", "remove"}},
	Example: `{"add": ["keep"], "path": "latest"}`,
}, files, func(in *jsonschema.Schema) {
	list(in.Properties["add"], 0, maxTags, maxTag)
	list(in.Properties["remove"], 0, maxTags, maxTag)
})

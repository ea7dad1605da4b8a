package catalog

import (
	"github.com/google/jsonschema-go/jsonschema"

	"easel/mcphost/tool"
)

// FilterByRatingIn says which stars to show.
type FilterByRatingIn struct {
	Rating int    `json:"rating" jsonschema:"stars to compare with"`
	Op     string `json:"op,omitempty" jsonschema:"comparison"`
}

// FilterByRating filters by stars.
var FilterByRating = tool.Define[FilterByRatingIn, ViewOut](tool.Spec{
	Name: "filter_by_rating", Title: "Filter by rating",
	Description: "Show only files whose star rating matches.",
	Category:    tool.Execute, Toolset: tool.Gallery, Undo: true, Idempotent: true,
	Example: `{"rating": 4}`,
}, stars, func(in *jsonschema.Schema) { preset(oneOf(in, "op", ">=", "=", "<="), ">=") })

// ClearRatingFilterIn has no parameters.
type ClearRatingFilterIn struct{}

// ClearRatingFilter clears the filter by stars.
var ClearRatingFilter = tool.Define[ClearRatingFilterIn, ViewOut](tool.Spec{
	Name: "clear_rating_filter", Title: "Clear the rating filter",
	Description: "Undo filter_by_rating.",
	Category:    tool.Execute, Toolset: tool.Gallery, Undo: true, Idempotent: true,
	Example: `{}`,
})

// FilterByTagIn says which tags to show.
type FilterByTagIn struct {
	Tags []string `json:"tags" jsonschema:"tags to match"`
	Mode string   `json:"mode,omitempty" jsonschema:"all tags or any of them"`
}

// FilterByTag filters by tags.
var FilterByTag = tool.Define[FilterByTagIn, ViewOut](tool.Spec{
	Name: "filter_by_tag", Title: "Filter by tags",
	Description: "Show only files with these tags.",
	Category:    tool.Execute, Toolset: tool.Gallery, Undo: true, Idempotent: true,
	Aliases: map[string]string{"tag": "tags"},
	Example: `{"tags": ["keep"]}`,
}, func(in *jsonschema.Schema) {
	list(in.Properties["tags"], 1, maxTags, maxTag)
	preset(oneOf(in, "mode", "all", "any"), "all")
})

// ClearTagFilterIn has no parameters.
type ClearTagFilterIn struct{}

// ClearTagFilter clears the filter by tags.
var ClearTagFilter = tool.Define[ClearTagFilterIn, ViewOut](tool.Spec{
	Name: "clear_tag_filter", Title: "Clear the tag filter",
	Description: "Undo filter_by_tag.",
	Category:    tool.Execute, Toolset: tool.Gallery, Undo: true, Idempotent: true,
	Example: `{}`,
})

// SortThumbnailsIn is the order.
type SortThumbnailsIn struct {
	By    string `json:"by,omitempty" jsonschema:"sort key; if omitted, unchanged"`
	Order string `json:"order,omitempty" jsonschema:"direction; if omitted, unchanged"`
}

// SortThumbnails sorts the gallery.
var SortThumbnails = tool.Define[SortThumbnailsIn, ViewOut](tool.Spec{
	Name: "sort_thumbnails", Title: "Sort the gallery",
	Description: "Sort the gallery.",
	Category:    tool.Execute, Toolset: tool.Gallery, Undo: true, Idempotent: true,
	Example: `{"by": "rating", "order": "desc"}`,
}, func(in *jsonschema.Schema) {
	oneOf(in, "by", "name", "created", "modified", "rating", "size", "session")
	oneOf(in, "order", "asc", "desc")
})

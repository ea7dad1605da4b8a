package catalog

import (
	"github.com/google/jsonschema-go/jsonschema"

	"easel/mcphost/tool"
)

// A View is what the gallery shows.
type View struct {
	Folder          string      `json:"folder" jsonschema:"jupyter://sessions/, jupyter://sessions/{id}/ or a directory"`
	Kind            string      `json:"kind" jsonschema:"session, sessions or directory"`
	Mode            string      `json:"mode" jsonschema:"grid or viewer"`
	Current         string      `json:"current,omitempty" jsonschema:"the file that the viewer shows or the cursor is on"`
	Count           int         `json:"count" jsonschema:"files in the folder"`
	Matching        int         `json:"matching" jsonschema:"of those, the ones that pass the filters"`
	Sort            ViewSort    `json:"sort"`
	Filters         ViewFilters `json:"filters"`
	Fullscreen      bool        `json:"fullscreen"`
	PropertiesPanel bool        `json:"properties_panel"`
	Theme           string      `json:"theme" jsonschema:"light, dark or system"`
	Window          string      `json:"window" jsonschema:"shown, hidden or none"`
}

// A ViewSort is the order of a view.
type ViewSort struct {
	By    string `json:"by"`
	Order string `json:"order" jsonschema:"asc or desc"`
}

// ViewFilters narrow a view; absent ones are off.
type ViewFilters struct {
	Rating *RatingFilter `json:"rating,omitempty"`
	Tags   *TagFilter    `json:"tags,omitempty"`
	Text   string        `json:"text,omitempty" jsonschema:"what the user searches for"`
}

// A RatingFilter lets files through by their stars.
type RatingFilter struct {
	Op    string `json:"op" jsonschema:"one of >=, =, <="`
	Value int    `json:"value"`
}

// A TagFilter lets files through by their tags.
type TagFilter struct {
	Tags []string `json:"tags"`
	Mode string   `json:"mode" jsonschema:"all or any"`
}

// A File is an image as the gallery shows it: one that a kernel drew, or one on
// disk, which has no session and no URI.
type File struct {
	Image
	Name string `json:"name" jsonschema:"its title, or the file's name"`
}

// ViewOut is the view after a change.
type ViewOut struct {
	Result
	View View `json:"view"`
}

// FilesOut is the files that were acted on.
type FilesOut struct {
	Result
	Files []File `json:"files"`
}

// Links implements tool.Linker.
func (o FilesOut) Links() []tool.Link { return fileLinks(o.Files) }

func fileLinks(files []File) []tool.Link {
	ls := make([]tool.Link, 0, len(files))
	for _, f := range files {
		if f.ResourceURI != "" { // one on disk can be opened by its path alone
			ls = append(ls, f.Link())
		}
	}
	return ls
}

// Words that name files beside paths and URIs.
const (
	Selected = "selected"
	Latest   = "latest"
)

// Limits of the gallery's parameters.
const (
	maxFile  = 4_096 // characters of a path or URI
	maxFiles = 1_000 // files in one call
	maxTag   = 64    // characters of a tag
	maxTags  = 50    // tags in one call
)

// fileMistaken are names that models give path, from other tools.
var fileMistaken = map[string]string{"resource_uri": "path", "uri": "path", "image": "path", "image_id": "path", "file": "path", "files": "paths"}

// files refines path and paths, which most gallery tools take.
func files(in *jsonschema.Schema) {
	if p := in.Properties["path"]; p != nil {
		p.MinLength, p.MaxLength = new(1), new(maxFile)
	}
	if p := in.Properties["paths"]; p != nil {
		list(p, 1, maxFiles, maxFile)
	}
}

// list bounds an array of strings.
func list(p *jsonschema.Schema, least, most, longest int) {
	p.MinItems, p.MaxItems = new(least), new(most)
	p.Items.MinLength, p.Items.MaxLength = new(1), new(longest)
}

// stars bounds a rating.
func stars(in *jsonschema.Schema) { number(in, "rating", 0, 5) }

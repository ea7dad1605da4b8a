package catalog

import (
	"maps"

	"github.com/google/jsonschema-go/jsonschema"

	"easel/mcphost/tool"
)

// A View is what the gallery shows.
type View struct {
	Folder          string      `json:"folder" jsonschema:"jupyter://sessions/, jupyter://sessions/{id}/ or a directory"`
	Kind            string      `json:"kind" enum:"session,sessions,directory,trash" jsonschema:"kind of the folder; only the user opens the trash"`
	Mode            string      `json:"mode" enum:"grid,viewer"`
	Current         string      `json:"current,omitempty" jsonschema:"the file that the viewer shows or the cursor is on"`
	Count           int         `json:"count" jsonschema:"files in the folder"`
	Matching        int         `json:"matching" jsonschema:"of those, the ones that pass the filters"`
	Counting        bool        `json:"counting,omitempty" jsonschema:"the directory is still being listed, so both will grow"`
	Sort            ViewSort    `json:"sort" jsonschema:"order of the files"`
	Filters         ViewFilters `json:"filters" jsonschema:"filters that are on"`
	Fullscreen      bool        `json:"fullscreen" jsonschema:"the window fills the screen"`
	PropertiesPanel bool        `json:"properties_panel" jsonschema:"the panel with the code is shown"`
	Theme           string      `json:"theme" enum:"light,dark,system"`
	Window          string      `json:"window" enum:"shown,hidden,none,starting"`
}

// A ViewSort is the order of a view.
type ViewSort struct {
	By    string `json:"by" enum:"name,created,modified,rating,size,session,cell"`
	Order string `json:"order" enum:"asc,desc"`
}

// ViewFilters narrow a view. A missing filter is off.
type ViewFilters struct {
	Rating *RatingFilter `json:"rating,omitempty"`
	Tags   *TagFilter    `json:"tags,omitempty"`
	Text   string        `json:"text,omitempty" jsonschema:"what the user searches for"`

	Findings bool `json:"findings,omitempty" jsonschema:"only plots with findings that the user has not judged to be no problem"`
}

// A RatingFilter selects files by their stars.
type RatingFilter struct {
	Op    string `json:"op" enum:">=,=,<="`
	Value int    `json:"value" jsonschema:"stars, 0 to 5"`
}

// A TagFilter selects files by their tags.
type TagFilter struct {
	Tags []string `json:"tags" jsonschema:"names of tags"`
	Mode string   `json:"mode" enum:"all,any" jsonschema:"all: files with every tag; any: with at least one"`
}

// A File is an image in the gallery with the name on its card. An untitled plot is named
// "Plot" and its number in the session. An image on disk has no session and no URI; its
// name is the file's.
type File struct {
	Image
	Name string `json:"name" jsonschema:"its title, or the file's name"`
}

// ViewOut is the view after a change.
type ViewOut struct {
	Result
	View View `json:"view" jsonschema:"what the gallery shows now"`
}

// FilesOut lists the files that were changed.
type FilesOut struct {
	Result
	Files []File `json:"files" jsonschema:"as they are now"`
}

// Links implements tool.Linker.
func (o FilesOut) Links() []tool.Link { return fileLinks(o.Files) }

func fileLinks(files []File) []tool.Link {
	ls := make([]tool.Link, 0, len(files))
	for _, f := range files {
		if f.ResourceURI != "" && f.Damaged == "" { // a file on disk can be opened only by its path
			ls = append(ls, f.Link())
		}
	}
	return ls
}

// Words that name files, in addition to paths and URIs.
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

// fileAliases are names of path that results and other tools have; filesAliases are also those of paths.
var (
	fileAliases  = map[string]string{"resource_uri": "path", "uri": "path", "image": "path", "image_id": "path", "file": "path"}
	filesAliases = withAliases(fileAliases, "files", "paths")
)

// withAliases returns aliases with one more.
func withAliases(aliases map[string]string, alias, name string) map[string]string {
	more := maps.Clone(aliases)
	more[alias] = name
	return more
}

// files refines path and paths, which most gallery tools have.
func files(in *jsonschema.Schema) {
	if p := in.Properties["path"]; p != nil {
		p.MinLength, p.MaxLength = new(1), new(maxFile)
	}
	if p := in.Properties["paths"]; p != nil {
		list(p, 1, maxFiles, maxFile)
	}
}

// list limits an array of strings.
func list(p *jsonschema.Schema, least, most, longest int) {
	p.MinItems, p.MaxItems = new(least), new(most)
	p.Items.MinLength, p.Items.MaxLength = new(1), new(longest)
}

// stars limits a rating.
func stars(in *jsonschema.Schema) { number(in, "rating", 0, 5) }

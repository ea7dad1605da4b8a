package catalog

import (
	"github.com/google/jsonschema-go/jsonschema"

	"easel/mcphost/tool"
)

// ShowImageViewerIn names what to show.
type ShowImageViewerIn struct {
	Path string `json:"path,omitempty" jsonschema:"path, URI or image_id; if omitted, selected, otherwise latest"`

	// Follow means that nobody chose the file: the window follows the newest plot.
	Follow bool `json:"-"`
}

// ShowImageViewer shows a file in the viewer.
var ShowImageViewer = tool.Define[ShowImageViewerIn, ViewOut](tool.Spec{
	Name: "show_image_viewer", Title: "Show an image",
	Description: "Show one image large, for the user to look at.",
	Category:    tool.Execute, Toolset: tool.Gallery, Undo: true, Idempotent: true, Aliases: fileAliases,
	Example: `{"path": "latest"}`,
}, files)

// CloseImageViewerIn has no parameters.
type CloseImageViewerIn struct{}

// CloseImageViewer returns to the grid.
var CloseImageViewer = tool.Define[CloseImageViewerIn, ViewOut](tool.Spec{
	Name: "close_image_viewer", Title: "Close the viewer",
	Description: "Return from the viewer to the grid.",
	Category:    tool.Execute, Toolset: tool.Gallery, Undo: true, Idempotent: true,
	Example: `{}`,
})

// NavigateImageIn says which image to go to.
type NavigateImageIn struct {
	Direction string `json:"direction,omitempty" jsonschema:"which image, in gallery order"`
	Index     *int   `json:"index,omitempty" jsonschema:"position from 0"`
}

// NavigateImageOut is the file in the viewer after the change.
type NavigateImageOut struct {
	Result
	View  View `json:"view" jsonschema:"what the gallery shows now"`
	File  File `json:"file" jsonschema:"the file that the viewer shows"`
	Index int  `json:"index" jsonschema:"place in the order of the gallery, from 0"`
}

// Links implements tool.Linker.
func (o NavigateImageOut) Links() []tool.Link { return fileLinks([]File{o.File}) }

// NavigateImage goes to another file.
var NavigateImage = tool.Define[NavigateImageIn, NavigateImageOut](tool.Spec{
	Name: "navigate_image", Title: "Go to another image",
	Description: "Show another image in the viewer, which must be open (show_image_viewer).",
	Category:    tool.Execute, Toolset: tool.Gallery, Undo: true,
	Either:  tool.Either{Of: []string{"direction", "index"}, Only: true},
	Example: `{"direction": "next"}`,
}, func(in *jsonschema.Schema) {
	oneOf(in, "direction", "next", "previous", "first", "last")
	in.Properties["index"].Minimum = new(0.0)
})

// ToggleFullscreenIn says whether to use full screen.
type ToggleFullscreenIn struct {
	On *bool `json:"on,omitempty" jsonschema:"omit to toggle"`
}

// ToggleFullscreen enters or leaves full screen.
var ToggleFullscreen = tool.Define[ToggleFullscreenIn, ViewOut](tool.Spec{
	Name: "toggle_fullscreen", Title: "Full screen",
	Description: "Turn full screen on or off.",
	Category:    tool.Execute, Toolset: tool.Gallery, Undo: true,
	Example: `{"on": true}`,
})

// TogglePropertiesPanelIn says whether to show the panel.
type TogglePropertiesPanelIn struct {
	On *bool `json:"on,omitempty" jsonschema:"omit to toggle"`
}

// TogglePropertiesPanel shows or hides the panel with the code.
var TogglePropertiesPanel = tool.Define[TogglePropertiesPanelIn, ViewOut](tool.Spec{
	Name: "toggle_properties_panel", Title: "Properties panel",
	Description: "Show or hide the panel with an image's code, origin and tags.",
	Category:    tool.Execute, Toolset: tool.Gallery, Undo: true,
	Example: `{"on": true}`,
})

// SetThemeIn is the theme.
type SetThemeIn struct {
	Theme string `json:"theme" jsonschema:"theme to use"`
}

// SetTheme switches between light and dark.
var SetTheme = tool.Define[SetThemeIn, ViewOut](tool.Spec{
	Name: "set_theme", Title: "Set the theme",
	Description: "Set the window's theme.",
	Category:    tool.Execute, Toolset: tool.Gallery, Undo: true, Idempotent: true,
	Example: `{"theme": "dark"}`,
}, func(in *jsonschema.Schema) { oneOf(in, "theme", "light", "dark", "system") })

package catalog

import (
	"github.com/google/jsonschema-go/jsonschema"

	"easel/mcphost/tool"
)

// ShowImageViewerIn names what to show.
type ShowImageViewerIn struct {
	Path string `json:"path,omitempty" jsonschema:"path or jupyter:// URI of the file, or selected or latest; absent: the selected one, else the latest"`

	// Follow: nobody chose it; the window goes to the newest plot by itself.
	Follow bool `json:"-"`
}

// ShowImageViewer shows a file large.
var ShowImageViewer = tool.Define[ShowImageViewerIn, ViewOut](tool.Spec{
	Name: "show_image_viewer", Title: "Show a file large",
	Description: "Show one file large in Easel's window, for the user to look at.",
	Category:    tool.Execute, Toolset: tool.Gallery, Idempotent: true,
	Example: `{"path": "latest"}`,
}, files)

// CloseImageViewerIn has no parameters.
type CloseImageViewerIn struct{}

// CloseImageViewer goes back to the grid.
var CloseImageViewer = tool.Define[CloseImageViewerIn, ViewOut](tool.Spec{
	Name: "close_image_viewer", Title: "Back to the grid",
	Description: "Go back from the viewer to the grid.",
	Category:    tool.Execute, Toolset: tool.Gallery, Idempotent: true,
	Example: `{}`,
})

// NavigateImageIn says where to.
type NavigateImageIn struct {
	Direction string `json:"direction,omitempty" jsonschema:"where to go in the order of the gallery"`
	Index     *int   `json:"index,omitempty" jsonschema:"go to the file at this place, from 0; instead of direction"`
}

// NavigateImageOut is where the viewer is now.
type NavigateImageOut struct {
	Result
	View  View `json:"view"`
	File  File `json:"file"`
	Index int  `json:"index" jsonschema:"place in the order of the gallery, from 0"`
}

// Links implements tool.Linker.
func (o NavigateImageOut) Links() []tool.Link { return fileLinks([]File{o.File}) }

// NavigateImage goes to another file.
var NavigateImage = tool.Define[NavigateImageIn, NavigateImageOut](tool.Spec{
	Name: "navigate_image", Title: "Go to another file",
	Description: "In the viewer, go to the next, previous, first or last file, or to an index. The viewer must be open.",
	Category:    tool.Execute, Toolset: tool.Gallery,
	Example: `{"direction": "next"}`,
}, func(in *jsonschema.Schema) {
	oneOf(in, "direction", "next", "previous", "first", "last")
	in.Properties["index"].Minimum = new(0.0)
})

// ToggleFullscreenIn says whether to.
type ToggleFullscreenIn struct {
	On *bool `json:"on,omitempty" jsonschema:"absent: the other way round"`
}

// ToggleFullscreen fills the screen.
var ToggleFullscreen = tool.Define[ToggleFullscreenIn, ViewOut](tool.Spec{
	Name: "toggle_fullscreen", Title: "Fullscreen",
	Description: "Let Easel's window fill the screen, or not.",
	Category:    tool.Execute, Toolset: tool.Gallery,
	Example: `{"on": true}`,
})

// TogglePropertiesPanelIn says whether to.
type TogglePropertiesPanelIn struct {
	On *bool `json:"on,omitempty" jsonschema:"absent: the other way round"`
}

// TogglePropertiesPanel shows or hides the panel with the code.
var TogglePropertiesPanel = tool.Define[TogglePropertiesPanelIn, ViewOut](tool.Spec{
	Name: "toggle_properties_panel", Title: "Properties panel",
	Description: "Show or hide the panel with a file's code, origin and tags.",
	Category:    tool.Execute, Toolset: tool.Gallery,
	Example: `{"on": true}`,
})

// SetThemeIn is the theme.
type SetThemeIn struct {
	Theme string `json:"theme" jsonschema:"light, dark, or as the system has it"`
}

// SetTheme sets light or dark.
var SetTheme = tool.Define[SetThemeIn, ViewOut](tool.Spec{
	Name: "set_theme", Title: "Light or dark",
	Description: "Set the look of Easel's window.",
	Category:    tool.Execute, Toolset: tool.Gallery, Idempotent: true,
	Example: `{"theme": "dark"}`,
}, func(in *jsonschema.Schema) { oneOf(in, "theme", "light", "dark", "system") })

package catalog

import (
	"path/filepath"

	"github.com/google/jsonschema-go/jsonschema"

	"easel/internal/system"
	"easel/mcphost/tool"
)

// RenderImageIn says how to draw a plot again.
type RenderImageIn struct {
	ResourceURI string  `json:"resource_uri" jsonschema:"URI or image_id, latest or selected"`
	Format      string  `json:"format,omitempty" jsonschema:"of the file"`
	Width       float64 `json:"width,omitempty" jsonschema:"inches"`
	Height      float64 `json:"height,omitempty" jsonschema:"inches"`
	DPI         float64 `json:"dpi,omitempty" jsonschema:"pixels per inch"`
	Theme       string  `json:"theme,omitempty" jsonschema:"suits such a background"`
	Path        string  `json:"path,omitempty" jsonschema:"new file"`
}

// RenderImageOut is a plot that was drawn again, as a file. It is not in the gallery.
type RenderImageOut struct {
	Result
	Path         string   `json:"path" jsonschema:"the file that was written"`
	MIMEType     string   `json:"mime_type" jsonschema:"image/png, image/jpeg, image/svg+xml or application/pdf"`
	Width        int      `json:"width,omitempty" jsonschema:"pixels; absent for SVG and PDF"`
	Height       int      `json:"height,omitempty" jsonschema:"pixels; absent for SVG and PDF"`
	WidthInches  float64  `json:"width_inches,omitempty" jsonschema:"absent if unknown"`
	HeightInches float64  `json:"height_inches,omitempty" jsonschema:"absent if unknown"`
	Bytes        int64    `json:"bytes" jsonschema:"size of the file"`
	Placed       []string `json:"placed,omitempty" jsonschema:"what is wrong with the places of texts and legends at this size"`
	Note         string   `json:"note,omitempty" jsonschema:"what is different from the request"`

	// Preview is the picture for the MCP result, and PreviewType its type. It is empty for
	// vector files that an engine drew, and for clients that cannot show pictures.
	Preview     []byte `json:"-"`
	PreviewType string `json:"-"`
	// Of is the id of the image.
	Of string `json:"-"`
}

// Inline implements tool.Inliner.
func (o RenderImageOut) Inline() (data []byte, mimeType string) { return o.Preview, o.PreviewType }

// Links implements tool.Linker. A file that is not in the result as a picture has a link; a preview is not the file.
func (o RenderImageOut) Links() []tool.Link {
	if len(o.Preview) > 0 && o.Width > 0 {
		return nil
	}
	return []tool.Link{{URI: system.FileURL(o.Path).String(), Name: filepath.Base(o.Path), MIMEType: o.MIMEType, Bytes: o.Bytes}}
}

// RenderImage draws a plot again.
var RenderImage = tool.Define[RenderImageIn, RenderImageOut](tool.Spec{
	Name: "render_image", Title: "Redraw a plot",
	Description: "Draw a plot again at another size or density, or as SVG or PDF, without running its code. Writes a file.",
	Category:    tool.Execute, Toolset: tool.Jupyter,
	Aliases: map[string]string{"image": "resource_uri", "image_id": "resource_uri"},
	Example: `{"resource_uri": "latest", "format": "pdf", "width": 3.5}`,
}, func(in *jsonschema.Schema) {
	text(in, "resource_uri", 1, maxURI)
	preset(oneOf(in, "format", "png", "jpeg", "svg", "pdf"), "png")
	for name, least := range map[string]float64{"width": 0.2, "height": 0.2, "dpi": 20} {
		in.Properties[name].Minimum = new(least) // the largest picture depends on all three
	}
	oneOf(in, "theme", "light", "dark")
	text(in, "path", 0, maxPath)
})

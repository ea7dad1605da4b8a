// Package apps has Easel's viewer for MCP Apps: one page that shows the plots of a tool's result in the
// conversation, in clients that render such pages (SEP-1865). The page reads the result's text and pictures, as
// a model does, and calls Easel's tools through its client. It loads nothing.
//
// # Goroutines
//
// The package has no state. Its functions are safe for concurrent use.
package apps

import (
	_ "embed" // the page
	"maps"
	"slices"

	"github.com/mark3labs/mcp-go/mcp"
)

// The names that the extension defines.
const (
	extension = "io.modelcontextprotocol/ui"
	mimeType  = "text/html;profile=mcp-app"
	metaUI    = "ui"
	metaFlat  = "ui/resourceUri" // what older clients read; the extension's own library sends it, too
)

// ViewerURI is the address of the viewer.
const ViewerURI = "ui://easel/plots"

//go:embed viewer.html
var viewer string

// Rendered reports whether a client declares that it renders such pages.
func Rendered(c mcp.ClientCapabilities) bool {
	settings, _ := c.Extensions[extension].(map[string]any)
	types, _ := settings["mimeTypes"].([]any)
	return slices.Contains(types, any(mimeType))
}

// Linked returns the tool with a link to the viewer, which shows its results.
func Linked(t mcp.Tool) mcp.Tool {
	fields := map[string]any{metaUI: map[string]any{"resourceUri": ViewerURI}, metaFlat: ViewerURI}
	if t.Meta != nil {
		maps.Copy(fields, t.Meta.AdditionalFields)
	}
	t.Meta = mcp.NewMetaFromMap(fields) // the tool is shared by all clients
	return t
}

// Viewer returns the viewer as a resource.
func Viewer() mcp.Resource {
	return mcp.NewResource(ViewerURI, "plots", mcp.WithResourceTitle("Plots in the conversation"), mcp.WithMIMEType(mimeType))
}

// Contents returns what reading the viewer returns. Without origins, a client lets the page load nothing.
func Contents() []mcp.ResourceContents {
	return []mcp.ResourceContents{mcp.TextResourceContents{
		URI: ViewerURI, MIMEType: mimeType, Text: viewer,
		Meta: map[string]any{metaUI: map[string]any{"csp": map[string]any{}, "prefersBorder": false}},
	}}
}

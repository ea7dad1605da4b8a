package catalog

import (
	"github.com/google/jsonschema-go/jsonschema"

	"easel/mcphost/tool"
)

// ListSessionImagesIn names a session, which may have ended.
type ListSessionImagesIn struct {
	SessionID string `json:"session_id" jsonschema:"running or ended session"`
	Cursor    string `json:"cursor,omitempty" jsonschema:"next_cursor from an earlier result"`
}

// ListSessionImagesOut is a page of a session's images, newest first.
type ListSessionImagesOut struct {
	Result
	SessionNews
	Images     []Image `json:"images" jsonschema:"newest first"`
	NextCursor string  `json:"next_cursor,omitempty" jsonschema:"pass it as cursor to get the next page; absent on the last page"`
}

// Links implements tool.Linker.
func (o ListSessionImagesOut) Links() []tool.Link { return links(o.Images) }

// ListSessionImages lists a session's images.
var ListSessionImages = tool.Define[ListSessionImagesIn, ListSessionImagesOut](tool.Spec{
	Name: "list_session_images", Title: "List plots",
	Description: "List the plots of a session, newest first, with the user's ratings and tags. Look at one with get_image_resource.",
	Category:    tool.Info, Toolset: tool.Jupyter, Core: true,
	Example: `{"session_id": "5ab0…"}`,
}, func(in *jsonschema.Schema) {
	text(in, "session_id", 1, maxID)
	text(in, "cursor", 0, maxURI)
})

// imageAliases are the names of resource_uri in other results and older versions.
var imageAliases = map[string]string{"image": "resource_uri", "image_id": "resource_uri", "path": "resource_uri"}

// GetImageResourceIn names an image.
type GetImageResourceIn struct {
	ResourceURI string `json:"resource_uri" jsonschema:"URI or image_id, latest or selected"`
	MaxEdge     int    `json:"max_edge,omitempty" jsonschema:"longest edge in pixels"`
	Region      string `json:"region,omitempty" jsonschema:"part, as x=3..4.5, y=0..1; axes 2; or pixels x,y,width,height"`
}

// GetImageResourceOut is an image with its picture: as image content over MCP, as Data
// over REST.
type GetImageResourceOut struct {
	Result
	Image
	Data         string `json:"data,omitempty" jsonschema:"base64 of the picture, over REST only"`
	DataMIMEType string `json:"data_mime_type,omitempty" jsonschema:"type of the picture in data"`

	Region *Region `json:"region,omitempty" jsonschema:"the part that the picture shows, if one was requested"`
	Made   string  `json:"made,omitempty" jsonschema:"how the picture of the part was made"`

	// Edge is the requested long edge. Asked is how the call named the image. Both are
	// for the MCP result.
	Edge  int    `json:"-"`
	Asked string `json:"-"`
	// Blind means that the client cannot show its model a picture from a result.
	Blind bool `json:"-"`

	// Saved means that the picture is saved in a notebook and not in the library. Preview is the
	// picture of it, or of a part, for the MCP result, and PreviewType its type.
	Saved       bool   `json:"-"`
	Preview     []byte `json:"-"`
	PreviewType string `json:"-"`
}

// Links implements tool.Linker. A picture in a notebook has no address that clients could read.
func (o GetImageResourceOut) Links() []tool.Link {
	if o.Saved || len(o.Preview) > 0 {
		return nil
	}
	return fileLinks([]File{{Image: o.Image}})
}

// Inline implements tool.Inliner.
func (o GetImageResourceOut) Inline() (data []byte, mimeType string) { return o.Preview, o.PreviewType }

// Pictures implements tool.Picturer.
func (o GetImageResourceOut) Pictures() (uris []string, maxEdge int) {
	if !o.Raster() || o.Blind || o.Saved || o.Region != nil { // the text says why there is none, or it is in Preview
		return nil, o.Edge
	}
	return []string{o.Handle()}, o.Edge
}

// MostEdge is the longest edge, in pixels, that a client may request. Larger pictures end the conversations of some models.
const MostEdge = 2000

// maxRegion is the maximum length of a region, in characters.
const maxRegion = 500

// GetImageResource fetches an image.
var GetImageResource = tool.Define[GetImageResourceIn, GetImageResourceOut](tool.Spec{
	Name: "get_image_resource", Title: "Get a picture",
	Description: "Look at a plot that a result only named, at the latest or selected one, or closer at a region.",
	Category:    tool.Info, Toolset: tool.Jupyter, Core: true,
	Aliases: imageAliases,
	Example: `{"resource_uri": "jupyter://sessions/5ab0…/images/0f3c….png"}`,
}, func(in *jsonschema.Schema) {
	text(in, "resource_uri", 1, maxURI)
	preset(number(in, "max_edge", 16, MostEdge), InlineEdge)
	text(in, "region", 1, maxRegion)
})

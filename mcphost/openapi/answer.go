package openapi

import (
	"encoding/json"

	"github.com/google/jsonschema-go/jsonschema"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
)

// Health is the answer of GET /api/health: the state of Easel and of what it depends on.
type Health struct {
	Status  string                 `json:"status" enum:"ok"`
	Name    string                 `json:"name" enum:"easel"`
	Version string                 `json:"version" jsonschema:"version of Easel"`
	Ready   bool                   `json:"ready" jsonschema:"a Jupyter server is ready, so session_create works"`
	Window  string                 `json:"window" enum:"shown,hidden,starting,none"`
	Servers []catalog.ServerHealth `json:"servers,omitzero" jsonschema:"the Jupyter servers; only with the token"`
}

// An ImagePage is the answer of GET /api/resources: one page of the list of all images.
type ImagePage struct {
	Success    bool          `json:"success" jsonschema:"true"`
	Resources  []ListedImage `json:"resources" jsonschema:"newest first"`
	NextCursor string        `json:"next_cursor,omitempty" jsonschema:"pass it as cursor to get the next page; absent on the last page"`
}

// A ListedImage is an image in an ImagePage. It has the fields of a tool's image and of
// an MCP resource.
type ListedImage struct {
	URI      string `json:"uri" jsonschema:"the same as resource_uri"`
	Name     string `json:"name" jsonschema:"for example matplotlib output [3]: the number counts within the session"`
	MIMEType string `json:"mimeType" jsonschema:"the same as mime_type"`
	Size     int64  `json:"size" jsonschema:"bytes, the same as bytes"`
	Href     string `json:"href" jsonschema:"path of the image's bytes"`
	catalog.Image
}

// A ToolPage is the answer of GET /tools: the list of tools.
type ToolPage struct {
	Success bool         `json:"success" jsonschema:"true"`
	Tools   []ListedTool `json:"tools" jsonschema:"in the order of the documentation"`
}

// A ListedTool is a tool in a ToolPage.
type ListedTool struct {
	Name         string          `json:"name" jsonschema:"the name to call it by"`
	Title        string          `json:"title" jsonschema:"for people"`
	Description  string          `json:"description" jsonschema:"when to use it and what it returns"`
	Category     tool.Category   `json:"category" enum:"execute,info" jsonschema:"info: it only reads"`
	Toolset      tool.Toolset    `json:"toolset" enum:"jupyter,notebook,gallery"`
	ReadOnly     bool            `json:"read_only" jsonschema:"it changes nothing"`
	Destructive  bool            `json:"destructive" jsonschema:"it may remove something for good"`
	Idempotent   bool            `json:"idempotent" jsonschema:"calling it twice is the same as calling it once"`
	Method       string          `json:"method" enum:"GET,POST"`
	Path         string          `json:"path" jsonschema:"its own address"`
	InputSchema  any             `json:"input_schema" jsonschema:"JSON Schema of the parameters"`
	OutputSchema any             `json:"output_schema" jsonschema:"JSON Schema of the result"`
	Example      json.RawMessage `json:"example,omitempty" jsonschema:"parameters of a valid call"`
}

func problemSchema() *jsonschema.Schema {
	s := tool.SchemaOf[Problem]()
	s.Description = "An error (RFC 9457)."
	for _, c := range tool.Codes {
		s.Properties["code"].Enum = append(s.Properties["code"].Enum, string(c.Code))
	}
	return s
}

// imagePageSchema returns the schema of ImagePage. Two members have names that differ
// only in spelling, and most generators would give them the same name.
func imagePageSchema() *jsonschema.Schema {
	s := tool.SchemaOf[ImagePage]()
	s.Properties["resources"].Items.Properties["mimeType"].Extra = map[string]any{"x-go-name": "ResourceMimeType"}
	return s
}

// toolPageSchema returns the schema of ToolPage, in which schemas are plain objects.
func toolPageSchema() *jsonschema.Schema {
	s := tool.SchemaOf[ToolPage]()
	listed := s.Properties["tools"].Items.Properties
	for _, name := range []string{"input_schema", "output_schema", "example"} {
		listed[name] = &jsonschema.Schema{Type: "object", Description: listed[name].Description}
	}
	return s
}

package openapi

import (
	"net/http"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
)

// Limits of GET /api/resources.
const (
	MaxPage   = 500  // images
	MaxPrefix = 2000 // characters of uri_prefix and of cursor
)

// An address is a path that belongs to no tool.
type address struct {
	id, method, path     string
	summary, description string
	answer               *jsonschema.Schema // nil if it is not JSON
	failures             []int
	change               func(w *writer, op object) // adds what is special about it
}

// others returns the paths that belong to no tool.
func (w *writer) others() (object, error) {
	paths := make(object)
	for _, a := range addresses() {
		answer := object{}
		if a.answer != nil {
			schema, err := Schema(a.answer)
			if err != nil {
				return nil, err
			}
			answer = w.refer("", schema)
		}
		op := object{
			"operationId": a.id, "summary": a.summary, "description": a.description,
			"tags": []string{"resources"}, "responses": w.responses("Success", answer, a.failures...),
		}
		if a.change != nil {
			a.change(w, op)
		}
		paths[a.path] = object{a.method: op}
	}
	op, err := w.events()
	if err != nil {
		return nil, err
	}
	paths["/api/events"] = object{"get": op}
	return paths, nil
}

func addresses() []address {
	list := []address{
		{
			"list_images", "get", "/api/resources", "List all images",
			"List every image in the library, newest first, page by page. Also available at /resources.",
			imagePageSchema(), slices.Concat(asking, []int{http.StatusInsufficientStorage}), parameters(
				query("uri_prefix", "only images whose URI begins with this, for example jupyter://sessions/5ab0…/", object{"type": "string", "maxLength": MaxPrefix}),
				query("cursor", "next_cursor of an earlier page", object{"type": "string", "maxLength": MaxPrefix}),
				query("limit", "images on a page", object{"type": "integer", "minimum": 1, "maximum": MaxPage}),
			),
		},
		{
			"image_bytes", "get", "/api/resources/sessions/{session_id}/images/{image}", "Get an image's bytes",
			"Get an image as the kernel sent it, or as Easel drew it. A figure without a picture returns its data. The path after /api/resources/ is the image's resource_uri after jupyter://; lists return it as href.",
			nil, slices.Concat(asking, finding), imageBytes,
		},
		{
			"plot_data", "get", "/api/resources/sessions/{session_id}/images/{image}/data.csv", "Get a plot's values",
			"Get the values that a plot shows as CSV (RFC 4180), one row for each point, with the names that axes and legend give them. Numbers are exact, dates are in ISO 8601. If only a sample is stored, the column sample_of has the number of all points, and the header Easel-Sample is true.",
			nil, slices.Concat(asking, finding, []int{http.StatusConflict}), plotData,
		},
		{
			"health", "get", "/api/health", "Check readiness",
			"Get the version and whether the window and Jupyter are ready. Answers as soon as Easel listens; needs no token. With the token, it also lists the Jupyter servers.",
			tool.SchemaOf[Health](),
			[]int{http.StatusInternalServerError, http.StatusServiceUnavailable},
			public,
		},
		{
			"list_tools", "get", "/tools", "List the tools",
			"List every tool with its address, its schemas and an example.",
			toolPageSchema(),
			[]int{http.StatusBadRequest, http.StatusInternalServerError, http.StatusServiceUnavailable},
			parameters(
				query("toolsets", "only these toolsets, for example jupyter,gallery", object{"type": "string", "pattern": toolsetPattern()}),
			),
		},
	}
	for _, d := range catalog.Documents {
		list = append(list, address{
			"read_" + string(d.Name), "get", "/api/resources/" + string(d.Name), d.Title, d.What,
			d.Schema,
			[]int{clientClosed, http.StatusInternalServerError, http.StatusServiceUnavailable, http.StatusGatewayTimeout},
			nil,
		})
	}
	return list
}

// toolsetPattern returns the pattern of a list of toolsets.
func toolsetPattern() string {
	names := make([]string, len(tool.Toolsets))
	for i, t := range tool.Toolsets {
		names[i] = string(t)
	}
	one := "(" + strings.Join(names, "|") + ")"
	return "^(" + one + "(," + one + ")*)?$"
}

func parameters(ps ...object) func(*writer, object) {
	return func(_ *writer, op object) { op["parameters"] = ps }
}

// public marks an operation that needs no token.
func public(_ *writer, op object) {
	op["security"] = []object{}
	if rs, ok := op["responses"].(object); ok {
		delete(rs, "401")
	}
}

// inPath returns a parameter that is a part of the path.
func inPath(name, description, example string) object {
	return object{
		"name": name, "in": "path", "required": true, "schema": object{"type": "string"}, "description": description, "example": example,
	}
}

func plotData(_ *writer, op object) {
	op["parameters"] = []object{
		inPath("session_id", "session of the plot", exampleSession),
		inPath("image", "id of the plot", "01m7z0"),
	}
	if rs, ok := op["responses"].(object); ok {
		rs["200"] = object{
			"description": "The values",
			"content": object{"text/csv": object{
				"schema": object{"type": "string"}, "example": "series,month,EUR\r\nNorth,Jan,9.95\r\n",
			}},
			"headers": object{"Easel-Sample": object{"schema": object{"type": "boolean"}, "description": "true if these are not all values"}},
		}
	}
}

func imageBytes(_ *writer, op object) {
	op["parameters"] = []object{
		inPath("session_id", "session of the image", exampleSession),
		inPath("image", "id of the image and its extension", "01m7z0.png"),
	}
	bytes := object{"schema": object{"type": "string", "format": "binary"}}
	content := object{
		"image/png": bytes, "image/jpeg": bytes, "image/svg+xml": bytes, "image/gif": bytes, "image/webp": bytes,
		"application/*": bytes, "text/*": bytes,
	}
	headers := object{"ETag": object{"schema": object{"type": "string"}, "description": "for If-None-Match"}}
	if rs, ok := op["responses"].(object); ok {
		rs["200"] = object{"description": "The bytes", "headers": headers, "content": content}
		rs["206"] = object{"description": "A part of them, by Range", "headers": headers, "content": content}
		rs["304"] = object{"description": "Not changed (If-None-Match)"}
		rs["416"] = object{"description": "No such range"}
	}
}

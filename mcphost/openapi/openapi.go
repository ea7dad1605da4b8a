// Package openapi writes the OpenAPI 3.0 document of Easel's tools and of the few
// addresses beside them, from their declarations: nothing in it is said a second
// time by hand.
//
// # Goroutines
//
// None. Document may be called from any goroutine.
package openapi

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"easel/mcphost/tool"
)

// Limits of GET /api/resources.
const (
	MaxPage   = 500  // images
	MaxPrefix = 2000 // characters of uri_prefix and of cursor
)

// Info is what the document needs beside the tools.
type Info struct {
	Version string
	// Image is the schema of an image as the tools give it.
	Image *jsonschema.Schema
	// Events are the names of the events of /api/events.
	Events []string
}

type object = map[string]any

// Document writes the document, in the order of the keys.
func Document(specs []tool.Spec, info Info) ([]byte, error) {
	paths := make(object)
	shared := newShared()
	for _, s := range specs {
		op, err := shared.operation(s)
		if err != nil {
			return nil, err
		}
		if s.Category == tool.Info {
			for i, name := range s.Names() {
				o := maps.Clone(op)
				if i > 0 {
					o["operationId"] = s.Name + "_by_full_name"
					o["summary"] = s.Title + " (by the tool's full name)"
				}
				paths["/api/info/"+name] = object{"get": o}
			}
		} else {
			paths["/api/execute/"+s.Name] = object{"post": op}
		}
		generic, err := shared.withBody(s)
		if err != nil {
			return nil, err
		}
		generic["description"] = "The tool " + s.Name + ", at the form of address that all tools share."
		generic["operationId"] = s.Name + "_generic"
		generic["tags"] = []string{"generic"}
		paths["/tools/"+s.Name+"/execute"] = object{"post": generic}
	}
	maps.Copy(paths, others(info, shared))
	written, err := json.Marshal(paths)
	if err != nil {
		return nil, fmt.Errorf("openapi: %w", err)
	}
	return json.Marshal(object{
		"openapi": "3.0.3",
		"info": object{
			"title": "Easel", "version": info.Version,
			"description": about,
			"license":     object{"name": "MIT"},
		},
		"servers":    []object{{"url": "/", "description": "this Easel"}},
		"security":   []object{{"bearer": []string{}}, {"apiKey": []string{}}},
		"tags":       tags,
		"paths":      paths,
		"components": components(shared, string(written)),
	})
}

const about = `Easel runs code in Jupyter kernels and shows what it plots in a window on the user's desk.

Start with POST /api/execute/session_create, then POST /api/execute/execute_code with its session_id. Tools that only read are GET under /api/info; those that change something are POST under /api/execute. The same tools are served over MCP at /mcp.

Every call needs the token, as "Authorization: Bearer …" or "X-API-Key: …". Errors are application/problem+json with a stable member code; code that fails is no error: its execution has success false and comes with status 200.`

var tags = []object{
	{"name": "jupyter", "description": "sessions, executions, variables, images"},
	{"name": "notebook", "description": "notebooks and files"},
	{"name": "gallery", "description": "what the window shows, and working it"},
	{"name": "resources", "description": "images, documents, events, health"},
	{"name": "generic", "description": "every tool again, at one form of address and always POST"},
}

// operation is the tool's own address.
func (c *shared) operation(s tool.Spec) (object, error) {
	if s.Category != tool.Info {
		return c.withBody(s)
	}
	op, err := c.common(s)
	if err != nil {
		return nil, err
	}
	var example map[string]any
	if s.Example != "" {
		if err := json.Unmarshal([]byte(s.Example), &example); err != nil {
			return nil, fmt.Errorf("openapi: example of %s: %w", s.Name, err)
		}
	}
	params := []object{}
	for _, name := range slices.Sorted(maps.Keys(s.In.Properties)) {
		p := s.In.Properties[name]
		schema, err := Schema(p)
		if err != nil {
			return nil, err
		}
		delete(schema, "description")
		param := object{
			"name": name, "in": "query", "description": p.Description,
			"required": slices.Contains(s.In.Required, name), "schema": schema,
		}
		if v, ok := example[name]; ok {
			param["example"] = v
		}
		params = append(params, param)
	}
	op["parameters"] = params
	return op, nil
}

// withBody takes the parameters as JSON.
func (c *shared) withBody(s tool.Spec) (object, error) {
	op, err := c.common(s)
	if err != nil {
		return nil, err
	}
	in, err := Schema(s.In)
	if err != nil {
		return nil, err
	}
	optionalMayBeNull(in, s.In.Required)
	content := object{"schema": c.refer(s.Name+"_parameters", in)}
	if s.Example != "" {
		content["example"] = json.RawMessage(s.Example)
	}
	op["requestBody"] = object{"required": len(s.In.Required) > 0, "content": object{"application/json": content}}
	return op, nil
}

// optionalMayBeNull says of the properties that are not required what holds for
// them: null is as if they were absent. Models often send it.
func optionalMayBeNull(schema object, required []string) {
	props, _ := schema["properties"].(object)
	for name, v := range props {
		p, ok := v.(object)
		if !ok || slices.Contains(required, name) {
			continue
		}
		p["nullable"] = true
		if values, ok := p["enum"].([]any); ok {
			p["enum"] = append(slices.Clone(values), nil)
		}
	}
}

// common is what both forms of a tool's operation share.
func (c *shared) common(s tool.Spec) (object, error) {
	out, err := Schema(s.Out)
	if err != nil {
		return nil, err
	}
	responses := failures()
	responses["200"] = object{
		"description": "What the tool did. success is false if it ran and what it did failed.",
		"content":     object{"application/json": object{"schema": c.refer(s.Name+"_result", out)}},
	}
	return object{
		"operationId": s.Name, "summary": s.Title, "description": s.Description,
		"tags": []string{string(s.Toolset)}, "responses": responses,
	}, nil
}

// usual are the errors that every tool may come to; default stands for the rest.
var usual = []int{
	http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden,
	http.StatusNotFound, http.StatusConflict, http.StatusInternalServerError,
}

// failures refers to the responses that are errors.
func failures() object {
	rs := object{"default": object{"$ref": "#/components/responses/Problem"}}
	for _, status := range usual {
		rs[strconv.Itoa(status)] = object{"$ref": "#/components/responses/" + responseName(status)}
	}
	return rs
}

func responseName(status int) string { return "Problem" + strconv.Itoa(status) }

// components are the problem, a response for each status that paths refers to, and
// how to authorise.
func components(shared *shared, paths string) object {
	codes := make([]string, len(tool.Codes))
	when := make(map[int][]string)
	for i, c := range tool.Codes {
		codes[i] = string(c.Code)
		when[c.Status] = append(when[c.Status], fmt.Sprintf("`%s`: %s. %s", c.Code, c.Title, c.When))
	}
	responses := make(object, len(when))
	problem := object{"application/problem+json": object{"schema": object{"$ref": "#/components/schemas/Problem"}}}
	var rest []string
	for _, status := range slices.Sorted(maps.Keys(when)) {
		lines := when[status]
		if !slices.Contains(usual, status) {
			rest = append(rest, fmt.Sprintf("%d: %s", status, strings.Join(lines, " ")))
		}
		r := object{"description": strings.Join(lines, "\n\n"), "content": problem}
		if status == http.StatusUnauthorized {
			r["headers"] = object{"WWW-Authenticate": object{"schema": object{"type": "string"}, "description": "Bearer"}}
		}
		responses[responseName(status)] = r
	}
	responses["Problem"] = object{"description": "Another error.\n\n" + strings.Join(rest, "\n\n"), "content": problem}
	maps.DeleteFunc(responses, func(name string, _ any) bool {
		return !strings.Contains(paths, `"#/components/responses/`+name+`"`)
	})
	schemas := object{"Problem": problemSchema(codes)}
	maps.Copy(schemas, shared.schemas)
	return object{
		"securitySchemes": object{
			"bearer": object{"type": "http", "scheme": "bearer", "description": "the token of this Easel"},
			"apiKey": object{"type": "apiKey", "in": "header", "name": "X-API-Key", "description": "the same token"},
		},
		"responses": responses,
		"schemas":   schemas,
	}
}

func problemSchema(codes []string) object {
	return object{
		"type": "object", "description": "An error (RFC 9457).",
		"required": []string{"type", "title", "status", "detail", "code"},
		"properties": object{
			"type":   object{"type": "string", "description": "a page about this code"},
			"title":  object{"type": "string"},
			"status": object{"type": "integer"},
			"detail": object{"type": "string", "description": "what went wrong this time, and what to do"},
			"code":   object{"type": "string", "enum": codes},
			"errors": object{
				"type": "array", "description": "each fault of the parameters",
				"items": object{
					"type": "object", "required": []string{"pointer", "detail"},
					"properties": object{
						"pointer": object{"type": "string", "description": "JSON pointer to the parameter"},
						"detail":  object{"type": "string"},
					},
				},
			},
		},
	}
}

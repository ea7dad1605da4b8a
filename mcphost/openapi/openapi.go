// Package openapi generates the OpenAPI 3.0 document of Easel's tools and of the few
// other addresses from their declarations, so that nothing in it is maintained by hand.
// It also declares the answers of those other addresses.
//
// # Goroutines
//
// None. Document may be called from any goroutine.
package openapi

import (
	"encoding/json"
	"fmt"
	"maps"

	"easel/mcphost/tool"
)

type object = map[string]any

// Document returns the document of specs. Keys are sorted.
func Document(specs []tool.Spec, version string) ([]byte, error) {
	w := newWriter()
	paths := make(object)
	names := make([]string, len(specs))
	for i, s := range specs {
		names[i] = s.Name
		method, op, err := w.toolOperation(s)
		if err != nil {
			return nil, err
		}
		_, path := s.Address()
		paths[path] = object{method: op}
	}
	if len(specs) > 0 {
		paths["/tools/{tool}/execute"] = object{"post": w.anyTool(names)}
	}
	rest, err := w.others()
	if err != nil {
		return nil, err
	}
	maps.Copy(paths, rest)
	components, err := w.components()
	if err != nil {
		return nil, err
	}
	b, err := json.Marshal(object{
		"openapi": "3.0.3",
		"info": object{
			"title": "Easel", "version": version,
			"description": about,
			"license":     object{"name": "MIT"},
		},
		"servers":    []object{{"url": "/", "description": "this Easel"}},
		"security":   []object{{"bearer": []string{}}, {"apiKey": []string{}}},
		"tags":       tags,
		"paths":      paths,
		"components": components,
	})
	if err != nil {
		return nil, fmt.Errorf("openapi: %w", err)
	}
	return b, nil
}

const about = `Easel runs code in Jupyter kernels and shows the plots in a window on the user's desktop.

Start with POST /api/execute/session_create. Then call POST /api/execute/execute_code with the session_id. Tools that only read are GET under /api/info; all others are POST under /api/execute. A tool get_x is available at /api/info/x and at /api/info/get_x. POST /tools/{tool}/execute runs any tool. The same tools are served over MCP at /mcp.

Every call needs the token, as "Authorization: Bearer …" or as "X-API-Key: …".

An error is application/problem+json with a stable code. Code that fails is not an error: its execution has success false, and the status is 200.

A parameter that is null counts as absent. An unknown parameter is ignored and named in the result's "ignored", unless it looks misspelt: then the call is refused, and the error gives the correct name.`

var tags = []object{
	{"name": "jupyter", "description": "Sessions, executions, variables and images"},
	{"name": "notebook", "description": "Notebooks and files"},
	{"name": "gallery", "description": "What the window shows, and how to change it"},
	{"name": "resources", "description": "Images, documents, events, health"},
	{"name": "generic", "description": "Any tool at one address"},
}

package main

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"easel/mcphost/catalog"
	"easel/mcphost/openapi"
)

// An operation is an address that belongs to no tool.
type operation struct{ Method, Path, Needs, Description string }

// addresses returns the operations of the OpenAPI document that belong to no tool.
func addresses() (all []operation, err error) {
	raw, err := openapi.Document(specs(), "")
	if err != nil {
		return nil, err
	}
	var doc struct {
		Paths map[string]map[string]struct {
			Description string
			Tags        []string
			Security    []any
		}
	}
	if err := json.Unmarshal(raw, &doc); err != nil {
		return nil, err
	}
	for _, path := range slices.Sorted(maps.Keys(doc.Paths)) {
		for _, method := range slices.Sorted(maps.Keys(doc.Paths[path])) {
			op := doc.Paths[path][method]
			if !slices.Contains(op.Tags, "resources") { // a tool
				continue
			}
			needs := "token"
			if op.Security != nil && len(op.Security) == 0 {
				needs = ""
			}
			all = append(all, operation{strings.ToUpper(method), path, needs, op.Description})
		}
	}
	return all, nil
}

// objects maps the first word of an event's name to an example of the object that the event
// contains.
var objects = map[string]any{
	"image": openapi.ExampleImage,
	"execution": catalog.Execution{
		Result: catalog.OK, ExecutionID: "x-17", SessionID: openapi.ExampleImage.SessionID, Status: catalog.StatusOK, Code: "plot()", ExecutionCount: 3,
		Images: []catalog.Image{}, CreatedAt: openapi.ExampleImage.CreatedAt, StartedAt: &openapi.ExampleImage.CreatedAt, ExecutionTimeMS: 412,
	},
	"session":   openapi.ExampleSession,
	"selection": []catalog.File{openapi.ExampleFile},
	"view":      openapi.ExampleView,
	"approval":  openapi.ExampleApproval,
}

// A sample is an example of an event.
type sample struct{ Name, Data string }

// samples returns an event for each object.
func samples() (all []sample, err error) {
	last := ""
	for _, c := range catalog.ChangeKinds {
		object, _, _ := strings.Cut(string(c.Name), ".")
		value, ok := objects[object]
		if !ok || object == last {
			continue
		}
		last = object
		data, err := json.Marshal(value)
		if err != nil {
			return nil, err
		}
		all = append(all, sample{string(c.Name), string(data)})
	}
	return all, nil
}

package openapi

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"easel/mcphost/tool"
)

// toolOperation returns the operation at the tool's own address.
func (w *writer) toolOperation(s tool.Spec) (method string, op object, err error) {
	out, err := Schema(s.Out)
	if err != nil {
		return "", nil, err
	}
	method, _ = s.Address()
	op = object{
		"operationId": s.Name, "summary": s.Title, "description": s.Description,
		"tags":      []string{string(s.Toolset)},
		"responses": w.responses("The result. success is false if the tool ran, but what it did failed.", w.refer(typeName(s.Name)+"Result", out), toolFailures(s)...),
	}
	if method == http.MethodGet {
		op["parameters"], err = queryParameters(s)
	} else {
		op["requestBody"], err = w.body(s)
	}
	return strings.ToLower(method), op, err
}

func queryParameters(s tool.Spec) ([]object, error) {
	example := make(map[string]any)
	if s.Example != "" {
		if err := json.Unmarshal([]byte(s.Example), &example); err != nil {
			return nil, fmt.Errorf("openapi: example of %s: %w", s.Name, err)
		}
	}
	params := []object{}
	for _, name := range slices.Sorted(maps.Keys(s.In.Properties)) {
		schema, err := Schema(s.In.Properties[name])
		if err != nil {
			return nil, err
		}
		param := query(name, s.In.Properties[name].Description, schema)
		delete(schema, "description")
		if pattern := s.Patterns[name]; pattern != "" {
			schema["pattern"] = pattern
		}
		if slices.Contains(s.In.Required, name) {
			param["required"] = true
		}
		if v, ok := example[name]; ok {
			param["example"] = v
		}
		params = append(params, param)
	}
	return params, nil
}

func query(name, description string, schema object) object {
	return object{"name": name, "in": "query", "description": description, "schema": schema}
}

// body describes the tool's parameters as JSON. The body is optional if no parameter is
// required.
func (w *writer) body(s tool.Spec) (object, error) {
	in, err := Schema(s.In)
	if err != nil {
		return nil, err
	}
	optionalMayBeNull(in, s.In.Required)
	addPatterns(in, s.Patterns)
	either, err := eitherOf(s)
	if err != nil {
		return nil, err
	}
	if either != nil {
		in["allOf"] = []any{either}
	}
	content := object{"schema": w.refer(typeName(s.Name)+"Parameters", in)}
	if s.Example != "" {
		content["example"] = json.RawMessage(s.Example)
	}
	required := len(s.In.Required) > 0 || either != nil
	return object{"required": required, "content": object{"application/json": content}}, nil
}

func addPatterns(schema object, patterns map[string]string) {
	props, _ := schema["properties"].(object)
	for name, pattern := range patterns {
		if p, ok := props[name].(object); ok {
			p["pattern"] = pattern
		}
	}
}

// eitherOf states the tool's rule over several parameters. Its result goes into an
// allOf, so that generators keep one type with all parameters.
func eitherOf(s tool.Spec) (object, error) {
	var branches []any
	for _, b := range s.Either.Branches(s.In) {
		m, err := Schema(b)
		if err != nil {
			return nil, err
		}
		branches = append(branches, m)
	}
	switch {
	case len(branches) == 0:
		return nil, nil
	case s.Either.Only:
		return object{"oneOf": branches}, nil
	default:
		return object{"anyOf": branches}, nil
	}
}

// optionalMayBeNull allows null for properties that are not required. Null means not
// given; models often send it.
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

// anyTool describes the address that all tools share.
func (w *writer) anyTool(names []string) object {
	result := w.refer("AnyResult", object{
		"type": "object", "required": []string{"success"}, "additionalProperties": true,
		"description": "The result of the tool, as its own operation documents it.",
		"properties":  object{"success": object{"type": "boolean", "description": "true unless it failed"}},
	})
	return object{
		"operationId": "run_tool", "summary": "Run any tool",
		"description": "Run a tool by its name, with its parameters as JSON: tools that only read too. Parameters, result and errors are those of the operation that is named like the tool.",
		"tags":        []string{"generic"},
		"parameters": []object{{
			"name": "tool", "in": "path", "required": true, "description": "name of the tool",
			"schema": object{"type": "string", "enum": names}, "example": names[0],
		}},
		"requestBody": object{"required": false, "content": object{"application/json": object{
			"schema": w.refer("AnyParameters", object{
				"type": "object", "additionalProperties": true,
				"description": "The tool's parameters.",
			}),
			"example": object{},
		}}},
		"responses": w.responses("The result of the tool", result, anyToolFailures...),
	}
}

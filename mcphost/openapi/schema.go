package openapi

import (
	"encoding/json"
	"fmt"

	"github.com/google/jsonschema-go/jsonschema"
)

// Schema rewrites a JSON Schema of draft 2020-12 into the dialect of OpenAPI 3.0.
func Schema(s *jsonschema.Schema) (map[string]any, error) {
	b, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("openapi: %w", err)
	}
	var v any
	if err := json.Unmarshal(b, &v); err != nil {
		return nil, fmt.Errorf("openapi: %w", err)
	}
	m, ok := v.(map[string]any)
	if !ok { // true accepts any value
		return map[string]any{}, nil
	}
	rewrite(m)
	return m, nil
}

// rewrite changes m, and every schema below it, where OpenAPI 3.0 uses a different form.
func rewrite(m map[string]any) {
	for _, k := range []string{"$schema", "$id", "$comment", "$defs", "propertyNames", "unevaluatedProperties"} {
		delete(m, k)
	}
	if types, ok := m["type"].([]any); ok {
		rest := types[:0:0]
		for _, t := range types {
			if t == "null" {
				m["nullable"] = true
			} else {
				rest = append(rest, t)
			}
		}
		delete(m, "type") // several types: allow any
		if len(rest) == 1 {
			m["type"] = rest[0]
		}
	}
	if c, ok := m["const"]; ok {
		m["enum"] = []any{c}
		delete(m, "const")
	}
	if ex, ok := m["examples"].([]any); ok {
		if len(ex) > 0 {
			m["example"] = ex[0]
		}
		delete(m, "examples")
	}
	for exclusive, bound := range map[string]string{"exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum"} {
		if n, ok := m[exclusive].(float64); ok {
			m[bound], m[exclusive] = n, true
		}
	}
	for _, k := range []string{"items", "additionalProperties", "not"} {
		below(m, k)
	}
	for _, k := range []string{"anyOf", "oneOf", "allOf"} {
		list, _ := m[k].([]any)
		for i, v := range list {
			list[i] = plain(v)
		}
	}
	if props, ok := m["properties"].(map[string]any); ok {
		for name := range props {
			below(props, name)
		}
	}
}

// below rewrites the schema m[k], if it is one. additionalProperties may remain true or
// false; anywhere else, true means any value.
func below(m map[string]any, k string) {
	v, ok := m[k]
	if !ok {
		return
	}
	if _, is := v.(bool); is && k == "additionalProperties" {
		return
	}
	m[k] = plain(v)
}

func plain(v any) any {
	switch s := v.(type) {
	case map[string]any:
		rewrite(s)
		return s
	case bool:
		if !s {
			return map[string]any{"not": map[string]any{}}
		}
	}
	return map[string]any{}
}

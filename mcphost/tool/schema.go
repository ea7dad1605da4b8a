package tool

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
)

// schemaOf returns T's schema in a form that every model provider accepts: no unions
// with null, and times as date-time.
func schemaOf[T any]() *jsonschema.Schema {
	s, err := jsonschema.ForType(reflect.TypeFor[T](), &jsonschema.ForOptions{
		TypeSchemas: map[reflect.Type]*jsonschema.Schema{
			reflect.TypeFor[time.Time]():       {Type: "string", Format: "date-time"},
			reflect.TypeFor[json.RawMessage](): {},
		},
	})
	if err != nil {
		panic(fmt.Sprintf("tool: no schema for %v: %v", reflect.TypeFor[T](), err))
	}
	walk(s, func(s *jsonschema.Schema) {
		// jsonschema-go allows null for slices, maps and pointers.
		s.Types = slices.DeleteFunc(s.Types, func(t string) bool { return t == "null" })
		if len(s.Types) == 1 {
			s.Type, s.Types = s.Types[0], nil
		}
	})
	return s
}

// open removes additionalProperties. In an output, a later field must not break a client
// that validates. In an input, google-genai rejects additionalProperties, and the
// validator looks for unknown parameters itself. Property order and required fields are
// kept.
func open(s *jsonschema.Schema) {
	walk(s, func(s *jsonschema.Schema) {
		if isFalse(s.AdditionalProperties) {
			s.AdditionalProperties = nil
		}
		if s.Type == "object" && s.Properties == nil && s.AdditionalProperties == nil {
			s.Properties = make(map[string]*jsonschema.Schema) // LangChain rejects an object without properties
		}
	})
}

func isFalse(s *jsonschema.Schema) bool {
	b, err := json.Marshal(s)
	return s != nil && err == nil && string(b) == "false"
}

// walk calls f for s and every schema below it.
func walk(s *jsonschema.Schema, f func(*jsonschema.Schema)) {
	if s == nil {
		return
	}
	f(s)
	walk(s.Items, f)
	if !isFalse(s.AdditionalProperties) {
		walk(s.AdditionalProperties, f)
	}
	for _, p := range s.Properties {
		walk(p, f)
	}
	for _, p := range slices.Concat(s.AnyOf, s.OneOf, s.AllOf) {
		walk(p, f)
	}
}

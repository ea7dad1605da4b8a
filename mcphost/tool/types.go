package tool

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// SchemaOf is the schema of what T marshals to: of a result, an event, a document.
// It is open, as later fields must not break a client that validates.
func SchemaOf[T any]() *jsonschema.Schema {
	s := schemaOf[T]()
	open(s)
	annotate(reflect.TypeFor[T](), s, true)
	return s
}

// annotate adds to s, the schema of t, what only the Go type knows: the values of a
// field with the tag enum, separated by commas, and, if titled, the name of each
// struct as its title.
func annotate(t reflect.Type, s *jsonschema.Schema, titled bool) {
	switch t.Kind() {
	case reflect.Pointer:
		annotate(t.Elem(), s, titled)
	case reflect.Slice, reflect.Array:
		if s.Items != nil {
			annotate(t.Elem(), s.Items, titled)
		}
	case reflect.Map:
		if s.AdditionalProperties != nil {
			annotate(t.Elem(), s.AdditionalProperties, titled)
		}
	case reflect.Struct:
		if len(s.Properties) == 0 { // a time, for example
			return
		}
		if titled {
			s.Title = t.Name()
		}
		annotateFields(t, s, titled)
	default:
	}
}

func annotateFields(t reflect.Type, s *jsonschema.Schema, titled bool) {
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous && name == "" { // its fields are among ours
			annotateFields(f.Type, s, titled)
			continue
		}
		p := s.Properties[name]
		if p == nil {
			continue
		}
		if values, ok := f.Tag.Lookup("enum"); ok {
			setEnum(p, t.Name()+"."+f.Name, values)
		}
		annotate(f.Type, p, titled)
	}
}

// setEnum limits p, or what is in the list p, to values.
func setEnum(p *jsonschema.Schema, field, values string) {
	if p.Type == "array" {
		p = p.Items
	}
	if p.Type != "string" {
		panic(fmt.Sprintf("tool: %s is no string, so it cannot have the tag enum", field))
	}
	for v := range strings.SplitSeq(values, ",") {
		p.Enum = append(p.Enum, v)
	}
}

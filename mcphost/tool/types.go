package tool

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// SchemaOf returns the schema of what T marshals to, for results, events and documents.
// The schema is open, because later fields must not break a client that validates.
func SchemaOf[T any]() *jsonschema.Schema {
	s := schemaOf[T]()
	open(s)
	annotate(reflect.TypeFor[T](), s, true)
	return s
}

// annotate adds to s, the schema of t, what only the Go type knows. The tag enum of a
// field lists its values, separated by commas. If titled, the title of each struct is
// its name.
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
		if f.Anonymous && name == "" { // its fields are promoted
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

// setEnum limits p to values; if p is a list, it limits the items.
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

package openapi

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// A writer collects the components, which the document defines once and refers to
// elsewhere.
type writer struct {
	schemas  object
	names    map[string]string // wanted name and JSON of a schema → its name
	failures map[string]int    // name of a response → its status
}

func newWriter() *writer {
	return &writer{schemas: make(object), names: make(map[string]string), failures: make(map[string]int)}
}

// worthSharing is the number of properties from which a nested object without a title
// becomes a component.
const worthSharing = 4

// refer adds schema to the components, with its nested objects that are worth sharing,
// and returns a reference to it. A schema with a title, which is the name of a Go type,
// gets that name.
func (w *writer) refer(name string, schema object) object {
	if title, ok := schema["title"].(string); ok {
		if base, is := strings.CutSuffix(title, "Out"); is {
			title = base + "Result"
		}
		name = title
		delete(schema, "title")
		if example, ok := examples[name]; ok {
			schema["example"] = example
		}
	}
	noteIgnored(schema)
	w.hoist(schema)
	b, err := json.Marshal(schema)
	if err != nil { // cannot happen: it was made from JSON
		return schema
	}
	key := name + "\x00" + string(b)
	if known, ok := w.names[key]; ok {
		return object{"$ref": "#/components/schemas/" + known}
	}
	unique := name
	for n := 2; w.schemas[unique] != nil; n++ {
		unique = name + strconv.Itoa(n)
	}
	w.names[key], w.schemas[unique] = unique, schema
	return object{"$ref": "#/components/schemas/" + unique}
}

// noteIgnored adds to a tool's result the member that the host adds to every result.
func noteIgnored(result object) {
	props, _ := result["properties"].(object)
	if props["success"] == nil || result["additionalProperties"] != nil {
		return
	}
	props["ignored"] = object{
		"type": "array", "items": object{"type": "string"},
		"description": "parameters of the call that the tool does not have",
	}
}

// hoist replaces the large or titled objects in schema by references.
func (w *writer) hoist(schema object) {
	props, _ := schema["properties"].(object)
	for _, name := range slices.Sorted(maps.Keys(props)) { // sorted, so that names are deterministic
		if p, ok := props[name].(object); ok {
			props[name] = w.hoisted(typeName(name), p)
		}
	}
	for _, k := range []string{"items", "additionalProperties"} {
		if p, ok := schema[k].(object); ok {
			schema[k] = w.hoisted("", p)
		}
	}
}

// hoisted returns p, or a reference to it. It keeps p's description.
func (w *writer) hoisted(name string, p object) object {
	if items, ok := p["items"].(object); ok && items["title"] == nil && worthIt(items) {
		p["items"] = w.refer(strings.TrimSuffix(name, "s"), items)
		return p
	}
	if !worthIt(p) {
		w.hoist(p)
		return p
	}
	description := p["description"]
	delete(p, "description")
	ref := w.refer(name, p)
	if description == nil {
		return ref
	}
	return object{"allOf": []any{ref}, "description": description}
}

func worthIt(schema object) bool {
	props, _ := schema["properties"].(object)
	return schema["title"] != nil || len(props) >= worthSharing
}

// typeName converts a name from snake case to the form of a type name, for example
// last_error to LastError.
func typeName(name string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(name, "_") {
		if part != "" {
			b.WriteString(strings.ToUpper(part[:1]) + part[1:])
		}
	}
	return b.String()
}

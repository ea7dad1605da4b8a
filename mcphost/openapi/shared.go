package openapi

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// shared are the schemas that the document gives once and refers to elsewhere.
type shared struct {
	schemas object
	names   map[string]string // JSON of a schema → its name
}

func newShared() *shared {
	return &shared{schemas: make(object), names: map[string]string{}}
}

// worthSharing is how many properties make an object inside of a schema one of
// its own.
const worthSharing = 4

// refer puts schema among the shared ones, with the large objects inside of it,
// and gives a reference to it.
func (c *shared) refer(name string, schema object) object {
	c.hoist(schema)
	b, err := json.Marshal(schema)
	if err != nil { // it was made from JSON
		return schema
	}
	key := string(b)
	if known, ok := c.names[key]; ok {
		return object{"$ref": "#/components/schemas/" + known}
	}
	unique := name
	for n := 2; c.schemas[unique] != nil || unique == "Problem"; n++ {
		unique = name + strconv.Itoa(n)
	}
	c.names[key], c.schemas[unique] = unique, schema
	return object{"$ref": "#/components/schemas/" + unique}
}

// hoist replaces the large objects inside of schema by references. They are
// named after the property that holds them.
func (c *shared) hoist(schema object) {
	props, _ := schema["properties"].(object)
	for _, name := range slices.Sorted(maps.Keys(props)) { // so that names do not depend on luck
		p, _ := props[name].(object)
		if p == nil {
			continue
		}
		if items, ok := p["items"].(object); ok {
			if large(items) {
				p["items"] = c.refer(typeName(strings.TrimSuffix(name, "s")), items)
			} else {
				c.hoist(items)
			}
		}
		if large(p) {
			props[name] = c.refer(typeName(name), p)
		} else {
			c.hoist(p)
		}
	}
}

func large(schema object) bool {
	props, _ := schema["properties"].(object)
	return len(props) >= worthSharing
}

// typeName is a property's name as a type is called: last_error is LastError.
func typeName(property string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(property, "_") {
		if part != "" {
			b.WriteString(strings.ToUpper(part[:1]) + part[1:])
		}
	}
	return b.String()
}

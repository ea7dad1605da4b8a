package tool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// An Either is a rule over several parameters of a tool: at least one of them must be
// given. Null, an empty string and an empty list count as not given.
//
// The validator enforces the rule, and the OpenAPI document states it. The schema that
// MCP clients list does not, because some model providers reject anyOf. The tool's
// description states it instead.
type Either struct {
	Of   []string // names of parameters
	Only bool     // exactly one of them may be given
}

// Sentence states the rule in words.
func (e Either) Sentence() string {
	switch {
	case len(e.Of) == 0:
		return ""
	case e.Only:
		return "Give either " + strings.Join(e.Of, " or ") + "."
	default:
		return "Give " + strings.Join(e.Of, " or ") + "."
	}
}

// Branches returns schemas of which the parameters of in must match at least one, or
// exactly one with Only. Without a rule it returns none.
func (e Either) Branches(in *jsonschema.Schema) []*jsonschema.Schema {
	var branches []*jsonschema.Schema
	for _, name := range e.Of {
		p := &jsonschema.Schema{Type: in.Properties[name].Type}
		switch p.Type {
		case "string":
			p.MinLength = new(1)
		case "array":
			p.MinItems, p.Items = new(1), &jsonschema.Schema{}
		}
		branches = append(branches, &jsonschema.Schema{
			Type: "object", Required: []string{name}, Properties: map[string]*jsonschema.Schema{name: p},
		})
	}
	return branches
}

// faults returns what violates the rule in args: nothing or one fault. A misspelt
// parameter is not also reported as missing.
func (e Either) faults(args map[string]json.RawMessage, unknown []stranger) []Field {
	if len(e.Of) == 0 {
		return nil
	}
	for _, u := range unknown {
		if slices.Contains(e.Of, strings.TrimPrefix(u.meant, "#/")) {
			return nil
		}
	}
	var given []string
	for _, name := range e.Of {
		if isGiven(args[name]) {
			given = append(given, name)
		}
	}
	first := "#/" + e.Of[0]
	switch {
	case len(given) == 0:
		return []Field{{first, "or " + strings.Join(e.Of[1:], " or ") + " is required"}}
	case e.Only && len(given) > 1:
		return []Field{{"#/" + given[1], "must not be given together with " + given[0]}}
	default:
		return nil
	}
}

// isGiven reports whether a raw parameter has a value.
func isGiven(raw json.RawMessage) bool {
	switch string(bytes.TrimSpace(raw)) {
	case "", "null", `""`, "[]":
		return false
	default:
		return true
	}
}

// mustFit panics unless the rule covers only optional parameters of in.
func (e Either) mustFit(tool string, in *jsonschema.Schema) {
	for _, name := range e.Of {
		if len(e.Of) < 2 || in.Properties[name] == nil || slices.Contains(in.Required, name) {
			panic(fmt.Sprintf("tool %s: no rule over %v: %s is no optional parameter", tool, e.Of, name))
		}
	}
}

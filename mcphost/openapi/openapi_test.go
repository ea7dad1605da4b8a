package openapi_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"easel/internal/require"
	"easel/mcphost/openapi"
	"easel/mcphost/tool"
)

type part struct {
	Name string `json:"name" enum:"a,b" jsonschema:"of the part"`
}

type paintIn struct {
	Path  string   `json:"path,omitempty"`
	Paths []string `json:"paths,omitempty"`
	Mode  string   `json:"mode,omitempty" enum:"fat,thin"`
}

type paintOut struct {
	Success bool   `json:"success"`
	Parts   []part `json:"parts"`
	First   *part  `json:"first,omitempty" jsonschema:"the best"`
}

type none struct{}

var (
	paint = tool.Define[paintIn, paintOut](tool.Spec{
		Name: "paint_it", Title: "Paint", Description: "Paint it.", Category: tool.Execute, Toolset: tool.Gallery,
		Either: tool.Either{Of: []string{"path", "paths"}}, Patterns: map[string]string{"path": "^/"},
	})
	wipe = tool.Define[none, paintOut](tool.Spec{
		Name: "wipe_it", Title: "Wipe", Description: "Wipe it.", Category: tool.Execute, Toolset: tool.Gallery,
	})
	look = tool.Define[paintIn, paintOut](tool.Spec{
		Name: "get_look", Title: "Look", Description: "Look at it.", Category: tool.Info, Toolset: tool.Jupyter, Example: `{"path": "/a"}`,
	})
)

// document decodes the document of the test's tools.
func document(t *testing.T) map[string]any {
	t.Helper()
	raw, err := openapi.Document([]tool.Spec{paint.Spec(), wipe.Spec(), look.Spec()}, "1")
	require.NoError(t, err)
	var doc map[string]any
	require.NoError(t, json.Unmarshal(raw, &doc))
	return doc
}

// in returns the value at a path of keys below v.
func in(t *testing.T, v any, keys ...string) any {
	t.Helper()
	for _, k := range keys {
		m, ok := v.(map[string]any)
		if !ok || m[k] == nil {
			t.Fatalf("there is no %s of %v in %v", k, keys, v)
		}
		v = m[k]
	}
	return v
}

func same(t *testing.T, what string, got any, want string) {
	t.Helper()
	var w any
	require.NoError(t, json.Unmarshal([]byte(want), &w))
	if d := cmp.Diff(w, got); d != "" {
		t.Errorf("%s: %s", what, d)
	}
}

func TestParametersStateWhatIsChecked(t *testing.T) {
	doc := document(t)
	same(t, "parameters", in(t, doc, "components", "schemas", "PaintItParameters", "properties", "path"), `{"type": "string", "nullable": true, "pattern": "^/"}`)
	same(t, "the rule", in(t, doc, "components", "schemas", "PaintItParameters", "allOf"), `[{"anyOf": [
		{"type": "object", "required": ["path"], "properties": {"path": {"type": "string", "minLength": 1}}},
		{"type": "object", "required": ["paths"], "properties": {"paths": {"type": "array", "items": {}, "minItems": 1}}}
	]}]`)
	same(t, "words", in(t, doc, "components", "schemas", "PaintItParameters", "properties", "mode", "enum"), `["fat", "thin", null]`)
	for path, required := range map[string]bool{"/api/execute/paint_it": true, "/api/execute/wipe_it": false, "/tools/{tool}/execute": false} {
		if got := in(t, doc, "paths", path, "post", "requestBody", "required"); got != required {
			t.Errorf("the body of %s is required: %v", path, got)
		}
	}
}

func TestResultsAreNamedAfterTheirTypes(t *testing.T) {
	doc := document(t)
	same(t, "the result", in(t, doc, "components", "schemas", "paintResult"), `{
		"type": "object", "required": ["success", "parts"],
		"properties": {
			"success": {"type": "boolean"},
			"parts": {"type": "array", "items": {"$ref": "#/components/schemas/part"}},
			"first": {"allOf": [{"$ref": "#/components/schemas/part"}], "description": "the best"},
			"ignored": {"type": "array", "items": {"type": "string"}, "description": "parameters of the call that the tool does not have"}
		}
	}`)
	same(t, "what is in it", in(t, doc, "components", "schemas", "part", "properties", "name"), `{"type": "string", "enum": ["a", "b"], "description": "of the part"}`)
}

func TestEachToolHasOneAddressAndAllShareOne(t *testing.T) {
	doc := document(t)
	same(t, "names", in(t, doc, "paths", "/tools/{tool}/execute", "post", "parameters").([]any)[0].(map[string]any)["schema"], `{"type": "string", "enum": ["paint_it", "wipe_it", "get_look"]}`)
	paths := in(t, doc, "paths").(map[string]any)
	for _, alias := range []string{"/api/info/get_look", "/tools/paint_it/execute", "/resources"} {
		if paths[alias] != nil {
			t.Errorf("%s is an address of something that has another", alias)
		}
	}
	if in(t, paths, "/api/info/look", "get", "operationId") != "get_look" {
		t.Error("the operation is not named like the tool")
	}
}

func TestFailuresAreListed(t *testing.T) {
	doc := document(t)
	for path, want := range map[string][]string{
		"/api/execute/paint_it": {"200", "400", "401", "403", "404", "409", "413", "415", "499", "500", "503", "504", "507"},
		"/api/info/look":        {"200", "400", "401", "403", "404", "409", "499", "500", "501", "502", "503", "504", "507"},
		"/api/health":           {"200", "403", "500", "503"},
	} {
		var op map[string]any
		for _, o := range in(t, doc, "paths", path).(map[string]any) {
			op = o.(map[string]any)
		}
		if got := slices.Sorted(maps.Keys(op["responses"].(map[string]any))); !slices.Equal(got, want) {
			t.Errorf("%s answers %v, want %v", path, got, want)
		}
	}
	for _, c := range tool.Codes {
		if c.Status == 405 { // belongs to no operation
			continue
		}
		in(t, doc, "components", "responses", "Problem"+strconv.Itoa(c.Status), "content", "application/problem+json", "examples", string(c.Code), "value", "code")
	}
}

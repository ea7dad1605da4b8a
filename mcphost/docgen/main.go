// Command docgen writes docs/tools.md, docs/api.md and docs/errors.md from its templates, the
// catalog and the OpenAPI document:
//
//	go run easel/mcphost/docgen DIRECTORY
//
// CI fails if its output differs from the committed files.
package main

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	"github.com/google/jsonschema-go/jsonschema"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
)

//go:embed templates
var templates embed.FS

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: docgen DIRECTORY")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "docgen:", err)
		os.Exit(1)
	}
}

func write(dir string) error {
	all, err := template.New("").Funcs(template.FuncMap{
		"cell": func(s string) string { return strings.ReplaceAll(s, "|", "\\|") },
		"add":  func(a, b int) int { return a + b },

		"tools": specs, "address": address, "parameters": parameters, "result": result, "toolsets": toolsets,
		"prompts": catalog.Prompts, "addresses": addresses, "samples": samples,
		"changes":   func() any { return catalog.ChangeKinds },
		"documents": func() any { return catalog.Documents },
		"codes":     func() any { return tool.Codes },
	}).ParseFS(templates, "templates/*.md")
	if err != nil {
		return err
	}
	for _, name := range []string{"tools.md", "api.md", "errors.md"} {
		var b bytes.Buffer
		if err := all.ExecuteTemplate(&b, name, nil); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, name), b.Bytes(), 0o644); err != nil { //nolint:gosec // everybody may read documents
			return err
		}
	}
	return nil
}

func specs() (all []tool.Spec) {
	for _, t := range catalog.All() {
		all = append(all, t.Spec())
	}
	return all
}

func address(s tool.Spec) string {
	method, path := s.Address()
	return method + " " + path
}

// A parameter is a row of a tool's table.
type parameter struct {
	Name, Type, Meaning string
	Required            bool
}

func parameters(s tool.Spec) (rows []parameter) {
	for _, name := range order(s.In) {
		p := s.In.Properties[name]
		rows = append(rows, parameter{name, typeOf(p), p.Description, slices.Contains(s.In.Required, name)})
	}
	return rows
}

// result lists the properties of a tool's result.
func result(s tool.Spec) string { return "`" + strings.Join(order(s.Out), "`, `") + "`" }

// A toolset is a row of the table of toolsets.
type toolset struct{ Name, Tools string }

func toolsets() (rows []toolset) {
	for _, set := range tool.Toolsets {
		var names []string
		for _, s := range specs() {
			if (tool.Selection{set: true}).Has(s) {
				names = append(names, "`"+s.Name+"`")
			}
		}
		rows = append(rows, toolset{string(set), strings.Join(names, ", ")})
	}
	return rows
}

// order returns the properties in the order of their declaration, or by name if that is
// unknown.
func order(s *jsonschema.Schema) []string {
	if len(s.PropertyOrder) == len(s.Properties) {
		return s.PropertyOrder
	}
	names := make([]string, 0, len(s.Properties))
	for n := range s.Properties {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

// typeOf describes a schema's type, with the limits that the description does not state.
func typeOf(p *jsonschema.Schema) string {
	t := p.Type
	switch {
	case len(p.Enum) > 0:
		values := make([]string, len(p.Enum))
		for i, v := range p.Enum {
			values[i] = fmt.Sprintf("`%v`", v)
		}
		t = strings.Join(values, ", ")
	case p.Type == "array" && p.Items != nil:
		t = "list of " + p.Items.Type
	}
	if p.Minimum != nil && p.Maximum == nil { // otherwise the description states the range
		raw, _ := json.Marshal(*p.Minimum) // a number
		t += ", ≥ " + string(raw)
	}
	if p.MaxLength != nil {
		t += fmt.Sprintf(", at most %d characters", *p.MaxLength)
	}
	return t
}

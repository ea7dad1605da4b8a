// Command docgen writes docs/tools.md, docs/api.md and docs/errors.md from the catalog
// and from the OpenAPI document:
//
//	go run easel/mcphost/docgen DIRECTORY
//
// CI fails if its output differs from the committed files.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: docgen DIRECTORY")
		os.Exit(2)
	}
	reference, err := api()
	if err != nil {
		fmt.Fprintln(os.Stderr, "docgen:", err)
		os.Exit(1)
	}
	for name, text := range map[string]string{"tools.md": tools(), "api.md": reference, "errors.md": errorCodes()} {
		if err := os.WriteFile(filepath.Join(os.Args[1], name), []byte(text), 0o644); err != nil { //nolint:gosec // everybody may read documents
			fmt.Fprintln(os.Stderr, "docgen:", err)
			os.Exit(1)
		}
	}
}

const generated = "<!-- Made from the catalog by go generate; do not edit. -->\n\n"

func tools() string {
	var b strings.Builder
	b.WriteString(generated + "# Tools\n\nEach tool is available over MCP and, at its own address, over REST.\n" +
		"[errors.md](errors.md) lists the errors, [api.md](api.md) describes the other addresses, resources, events and prompts.\n" + parameterRules)
	toolsetTable(&b)
	b.WriteString("\n## List\n\n")
	for _, t := range catalog.All() {
		s := t.Spec()
		fmt.Fprintf(&b, "- [`%s`](#%s): %s\n", s.Name, s.Name, s.Title)
	}
	for _, t := range catalog.All() {
		describe(&b, t.Spec())
	}
	return b.String()
}

func describe(b *strings.Builder, s tool.Spec) {
	method, path := s.Address()
	sets := "`" + string(s.Toolset) + "`"
	if s.Core {
		sets += ", `" + string(tool.Core) + "`"
	}
	fmt.Fprintf(b, "\n## %s\n\n%s\n\n`%s` · toolset %s\n\n", s.Name, s.Description, method+" "+path, sets)
	if len(s.In.Properties) == 0 {
		b.WriteString("No parameters.\n\n")
	} else {
		b.WriteString("| parameter | type | | meaning |\n|---|---|---|---|\n")
		for _, name := range order(s.In) {
			p := s.In.Properties[name]
			need := ""
			if slices.Contains(s.In.Required, name) {
				need = "required"
			}
			fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", name, typeOf(p), need, cell(p.Description))
		}
		b.WriteString("\n")
	}
	b.WriteString("Result: ")
	for i, name := range order(s.Out) {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(b, "`%s`", name)
	}
	b.WriteString(".\n")
}

const parameterRules = `
## Parameters

A misspelt parameter is refused with VALIDATION_ERROR, and the message gives the right name. Any other unknown parameter is
ignored and named in the result's ` + "`ignored`" + `, since some clients add parameters of their own. Over MCP, a ` + "`wait` or `limit`" + `
above its maximum is treated as the maximum, and ` + "`adjusted`" + ` contains the value that was used; REST refuses it.

`

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
		t += ", ≥ " + number(*p.Minimum)
	}
	if p.MaxLength != nil {
		t += fmt.Sprintf(", at most %d characters", *p.MaxLength)
	}
	return t
}

func number(v float64) string {
	raw, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(raw)
}

func errorCodes() string {
	var b strings.Builder
	b.WriteString(generated + "# Errors\n\nOne error has one code, over MCP and REST alike. A Python exception is not an error: the tool ran, and its result\nsays that the code failed.\n\n")
	b.WriteString("| code | HTTP | title | when, and what to do |\n|---|---|---|---|\n")
	for _, c := range tool.Codes {
		fmt.Fprintf(&b, "| `%s` | %d | %s | %s |\n", c.Code, c.Status, cell(c.Title), cell(c.When))
	}
	return b.String()
}

// cell escapes a text for a table cell.
func cell(s string) string { return strings.ReplaceAll(s, "|", "\\|") }

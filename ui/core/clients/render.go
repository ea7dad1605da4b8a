package clients

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// A Field is a name and its value: a string, an int, a bool, a []string, an Entry, or a
// json.RawMessage from a file.
type Field struct {
	Name  string
	Value any
}

// An Entry is a list of fields, in the order in which they are written.
type Entry []Field

// value returns an entry as encoding/json would decode it.
func (e Entry) value() map[string]any {
	m := make(map[string]any, len(e))
	for _, f := range e {
		m[f.Name] = plain(f.Value)
	}
	return m
}

// plain returns a value as encoding/json would decode it.
func plain(v any) any {
	if e, ok := v.(Entry); ok {
		return e.value()
	}
	raw, err := json.Marshal(v)
	if err != nil { // cannot happen with these types
		return nil
	}
	var out any
	_ = json.Unmarshal(raw, &out) // cannot fail
	return out
}

// transport lists the fields that say where a server is. Those of different transports
// contradict each other.
var transport = []string{
	"type", "url", "httpUrl", "serverUrl", "uri", "headers", "http_headers", "env_http_headers", "requestOptions", "apiKey",
	"bearer_token_env_var", "command", "cmd", "args", "env", "envs", "env_keys", "env_vars", "environment", "cwd",
}

// isTransport reports whether a field says where a server is. All other fields of an existing
// entry, such as approvals, timeouts and disabled tools, are the user's choice and are
// preserved.
func isTransport(name string) bool { return slices.Contains(transport, name) }

// jsonOf returns a value as JSON on one line, with spaces.
func jsonOf(v any) string {
	switch v := v.(type) {
	case Entry:
		parts := make([]string, len(v))
		for i, f := range v {
			parts[i] = quote(f.Name) + ": " + jsonOf(f.Value)
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case []string:
		parts := make([]string, len(v))
		for i, s := range v {
			parts[i] = quote(s)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case string:
		return quote(v)
	case bool:
		return strconv.FormatBool(v)
	case int:
		return strconv.Itoa(v)
	case json.RawMessage:
		return string(v)
	default:
		panic("clients: a value that no file has")
	}
}

// quote returns s as a JSON string, which is also a basic string in TOML and a double-quoted
// string in YAML.
func quote(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // cannot fail
	return strings.TrimSpace(b.String())
}

// jsonBlock returns an entry as JSON with one field per line, for a line that is indented by
// lead.
func jsonBlock(e Entry, lead, indent, eol string) string {
	var b strings.Builder
	b.WriteString("{")
	for i, f := range e {
		if i > 0 {
			b.WriteString(",")
		}
		b.WriteString(eol + lead + indent + quote(f.Name) + ": " + jsonOf(f.Value))
	}
	b.WriteString(eol + lead + "}")
	return b.String()
}

// jsonSnippet returns a complete file with only Easel's entry.
func jsonSnippet(c Client, conn Connection) string {
	const indent = "  "
	var b strings.Builder
	b.WriteString("{")
	lead := indent
	for _, name := range c.Section {
		b.WriteString("\n" + lead + quote(name) + ": {")
		lead += indent
	}
	b.WriteString("\n" + lead + quote(serverName) + ": " + jsonBlock(c.Entry(conn), lead, indent, "\n"))
	for range c.Section {
		lead = lead[len(indent):]
		b.WriteString("\n" + lead + "}")
	}
	if c.Inputs != "" {
		b.WriteString(",\n" + indent + quote(c.Inputs) + ": [\n" + indent + indent + jsonBlock(c.Input, indent+indent, indent, "\n") + "\n" + indent + "]")
	}
	b.WriteString("\n}")
	return b.String()
}

// tomlTable returns an entry as a TOML table. Entries in it are inline tables.
func tomlTable(path []string, e Entry) string {
	return "[" + strings.Join(path, ".") + "]\n" + tomlFields(e)
}

func tomlFields(e Entry) string {
	var b strings.Builder
	for _, f := range e {
		b.WriteString(f.Name + " = " + tomlValue(f.Value) + "\n")
	}
	return b.String()
}

func tomlValue(v any) string {
	e, ok := v.(Entry)
	if !ok {
		return jsonOf(v)
	}
	parts := make([]string, len(e))
	for i, f := range e {
		parts[i] = f.Name + " = " + tomlValue(f.Value)
	}
	return "{ " + strings.Join(parts, ", ") + " }"
}

// yamlSnippet returns the section with only Easel's entry.
func yamlSnippet(section []string, named bool, e Entry) string {
	var b strings.Builder
	lead := ""
	for _, name := range section {
		b.WriteString(lead + name + ":\n")
		lead += "  "
	}
	b.WriteString(yamlEntry(named, e, lead))
	return b.String()
}

// yamlEntry returns Easel's entry for a list, if named, or a map, indented by lead.
func yamlEntry(named bool, e Entry, lead string) string {
	if !named {
		return lead + serverName + ":\n" + yamlFields(e, lead+"  ")
	}
	fields := yamlFields(append(Entry{{"name", serverName}}, e...), lead+"  ")
	return lead + "- " + strings.TrimPrefix(fields, lead+"  ")
}

func yamlFields(e Entry, lead string) string {
	var b strings.Builder
	for _, f := range e {
		if in, ok := f.Value.(Entry); ok {
			b.WriteString(lead + f.Name + ":\n" + yamlFields(in, lead+"  "))
			continue
		}
		b.WriteString(lead + f.Name + ": " + yamlScalar(f.Value) + "\n")
	}
	return b.String()
}

// yamlScalar returns a value as a YAML scalar. It quotes a string only if it could be read as
// something else.
func yamlScalar(v any) string {
	if s, ok := v.(string); ok && plainYAML(s) {
		return s
	}
	return jsonOf(v)
}

func plainYAML(s string) bool {
	if s == "" || s == "true" || s == "false" || s == "null" {
		return false
	}
	for i, r := range s {
		letter := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
		if !letter && (i == 0 || !strings.ContainsRune("0123456789_-", r)) {
			return false
		}
	}
	return true
}

package clients

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// errYAMLForm means that the servers are not in block style, which editYAML requires.
var errYAMLForm = errors.New("the servers are not in block style")

func decodeYAML(file []byte) (map[string]any, error) {
	d := yaml.NewDecoder(bytes.NewReader(file))
	var m map[string]any
	if err := d.Decode(&m); err != nil && !errors.Is(err, io.EOF) { // EOF: only comments
		return nil, err
	}
	if d.Decode(new(any)) == nil {
		return nil, errors.New("the file has several documents")
	}
	return asJSON(m)
}

// A yamlDoc is a file that is being edited.
type yamlDoc struct {
	lines []string // with their line endings
	eol   string
}

// editYAML adds or changes Easel's entry in a YAML file, line by line.
func editYAML(file []byte, c Client, want Entry, diff change) ([]byte, error) {
	if len(diff.drop) == 0 && len(diff.set) == 0 {
		return file, nil
	}
	var root yaml.Node
	if err := yaml.Unmarshal(file, &root); err != nil {
		return nil, err
	}
	d := &yamlDoc{eol: eolOf(file)}
	for l := range strings.Lines(string(file)) {
		d.lines = append(d.lines, l)
	}
	if n := len(d.lines); !strings.HasSuffix(d.lines[n-1], "\n") {
		d.lines[n-1] += d.eol
	}
	if err := d.put(&root, c, want, diff); err != nil {
		return nil, err
	}
	return []byte(strings.Join(d.lines, "")), nil
}

func (d *yamlDoc) put(root *yaml.Node, c Client, want Entry, diff change) error {
	if len(root.Content) == 0 { // only comments
		d.insert(len(d.lines), yamlSnippet(c.Section, c.Named, want))
		return nil
	}
	key, section := field(root.Content[0], c.Section[0]) // the path has one name for all clients with YAML
	switch {
	case key == nil:
		d.insert(len(d.lines), yamlSnippet(c.Section, c.Named, want))
		return nil
	case section.Kind == yaml.ScalarNode && section.Tag == "!!null" && section.Value == "":
		d.insert(key.Line, yamlEntry(c.Named, want, strings.Repeat(" ", key.Column+1)))
		return nil
	case section.Style&yaml.FlowStyle != 0 && len(section.Content) == 0:
		line := d.lines[section.Line-1]
		d.lines[section.Line-1] = strings.TrimRight(line[:section.Column-1], " ") + line[section.Column+1:] // without [] or {}
		d.insert(section.Line, yamlEntry(c.Named, want, strings.Repeat(" ", key.Column+1)))
		return nil
	case section.Style&yaml.FlowStyle != 0 || len(section.Content) == 0:
		return errYAMLForm
	}
	lead := strings.Repeat(" ", section.Content[0].Column-1)
	if c.Named {
		lead = strings.Repeat(" ", section.Column-1)
	}
	entry, err := entryNode(section, c.Named)
	if err != nil {
		return err
	}
	if entry == nil {
		d.insert(d.end(section, len(lead)), yamlEntry(c.Named, want, lead))
		return nil
	}
	return d.changeEntry(entry, diff)
}

// field returns a key of a mapping and its value, or nil.
func field(m *yaml.Node, name string) (key, value *yaml.Node) {
	if m.Kind != yaml.MappingNode {
		return nil, nil
	}
	for i := 0; i+1 < len(m.Content); i += 2 {
		if m.Content[i].Value == name {
			return m.Content[i], m.Content[i+1]
		}
	}
	return nil, nil
}

// entryNode returns Easel's entry, or nil if there is none.
func entryNode(section *yaml.Node, named bool) (*yaml.Node, error) {
	var entry *yaml.Node
	if named {
		if section.Kind != yaml.SequenceNode {
			return nil, errYAMLForm
		}
		for _, e := range section.Content {
			if _, name := field(e, "name"); name != nil && name.Value == serverName {
				entry = e
			}
		}
	} else {
		if section.Kind != yaml.MappingNode {
			return nil, errYAMLForm
		}
		_, entry = field(section, serverName)
	}
	if entry != nil && (entry.Kind != yaml.MappingNode || entry.Style&yaml.FlowStyle != 0) {
		return nil, errYAMLForm
	}
	return entry, nil
}

// changeEntry removes the fields to drop from an entry, and appends the new ones.
func (d *yamlDoc) changeEntry(entry *yaml.Node, diff change) error {
	indent := entry.Content[0].Column - 1
	end := d.end(entry, indent-1)
	d.insert(end, yamlFields(diff.set, strings.Repeat(" ", indent)))
	for i := len(entry.Content) - 2; i >= 0; i -= 2 { // backwards, so that line numbers stay valid
		key, value := entry.Content[i], entry.Content[i+1]
		if !diff.drop[key.Value] {
			continue
		}
		if strings.TrimSpace(d.lines[key.Line-1][:key.Column-1]) != "" {
			return errYAMLForm // it shares its line with the dash of a list
		}
		d.lines = slices.Delete(d.lines, key.Line-1, d.end(value, indent))
	}
	return nil
}

// end returns the number of the last line of a node, including lines after it that are
// indented by more than indent.
func (d *yamlDoc) end(n *yaml.Node, indent int) int {
	last := lastLine(n)
	for i := last; i < len(d.lines); i++ {
		text := strings.TrimRight(d.lines[i], " \t\r\n")
		if text == "" {
			continue
		}
		if len(text)-len(strings.TrimLeft(text, " ")) <= indent {
			break
		}
		last = i + 1
	}
	return last
}

func lastLine(n *yaml.Node) int {
	last := n.Line
	for _, c := range n.Content {
		last = max(last, lastLine(c))
	}
	return last
}

// insert inserts lines after the line with the number behind, counted from 1.
func (d *yamlDoc) insert(behind int, text string) {
	var add []string
	for l := range strings.Lines(text) {
		add = append(add, strings.TrimSuffix(l, "\n")+d.eol)
	}
	d.lines = slices.Insert(d.lines, behind, add...)
}

package clients

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/tailscale/hujson"
)

// utf8BOM is the byte order mark that some editors on Windows write before a text.
var utf8BOM = []byte("\xef\xbb\xbf")

func decodeJSON(file []byte) (map[string]any, error) {
	plain, err := hujson.Standardize(bytes.Clone(bytes.TrimPrefix(file, utf8BOM)))
	if err != nil {
		return nil, err
	}
	var m map[string]any
	if err := json.Unmarshal(plain, &m); err != nil {
		return nil, err
	}
	return m, nil
}

// editJSON adds or changes Easel's entry in a JSON file. It inserts and replaces only the
// text that must change.
func editJSON(file []byte, c Client, want Entry, diff change) ([]byte, error) {
	text, bom := bytes.CutPrefix(file, utf8BOM)
	d := &jsonDoc{text: text, indent: indentOf(text), eol: eolOf(text)}
	if err := d.putEntry(c.Section, want, diff); err != nil {
		return nil, err
	}
	if c.Inputs != "" {
		if err := d.putElement(c.Inputs, c.Input); err != nil {
			return nil, err
		}
	}
	if bom {
		return append(bytes.Clone(utf8BOM), d.text...), nil
	}
	return d.text, nil
}

// A jsonDoc is the text of a file that is being edited.
type jsonDoc struct {
	text        []byte
	indent, eol string
}

// object returns the object at a path, or the innermost one on the path that exists. known is
// the number of names that lead to it.
func (d *jsonDoc) object(path []string) (at hujson.Value, known int, err error) {
	if at, err = hujson.Parse(d.text); err != nil {
		return at, 0, err
	}
	for known, name := range path {
		obj, err := objectOf(at)
		if err != nil {
			return at, known, err
		}
		next, ok := member(obj, name)
		if !ok {
			return at, known, nil
		}
		at = next
	}
	_, err = objectOf(at)
	return at, len(path), err
}

// objectOf returns a value as an object, or an error if it is not one or has duplicate names.
func objectOf(v hujson.Value) (*hujson.Object, error) {
	obj, ok := v.Value.(*hujson.Object)
	if !ok {
		return nil, errors.New("a value is not an object")
	}
	if name := duplicate(obj); name != "" {
		return nil, fmt.Errorf("%q occurs twice", name)
	}
	return obj, nil
}

func member(obj *hujson.Object, name string) (hujson.Value, bool) {
	for _, m := range obj.Members {
		if nameOf(m) == name {
			return m.Value, true
		}
	}
	return hujson.Value{}, false
}

func nameOf(m hujson.ObjectMember) string {
	name, _ := m.Name.Value.(hujson.Literal)
	return name.String()
}

// duplicate returns a name that occurs twice in an object, or "". Parsers differ in which of
// the values they use.
func duplicate(obj *hujson.Object) string {
	seen := make(map[string]bool)
	for _, m := range obj.Members {
		if name := nameOf(m); seen[name] {
			return name
		} else {
			seen[name] = true
		}
	}
	return ""
}

// putEntry adds Easel's entry to a section, or changes it. It creates the section if
// necessary.
func (d *jsonDoc) putEntry(section []string, want Entry, diff change) error {
	path := append(append([]string{}, section...), serverName)
	at, known, err := d.object(path)
	if err != nil {
		return err
	}
	if known == len(path) {
		return d.changeEntry(path, diff)
	}
	missing := path[known:]
	d.insert(at, func(lead string) string {
		var b strings.Builder
		for i, name := range missing {
			if i > 0 {
				lead += d.indent
				b.WriteString("{" + d.eol + lead)
			}
			b.WriteString(quote(name) + ": ")
		}
		b.WriteString(jsonBlock(want, lead, d.indent, d.eol))
		for range len(missing) - 1 {
			lead = lead[:len(lead)-len(d.indent)]
			b.WriteString(d.eol + lead + "}")
		}
		return b.String()
	})
	return nil
}

// changeEntry changes the existing entry at path.
func (d *jsonDoc) changeEntry(path []string, diff change) error {
	at, _, err := d.object(path)
	if err != nil {
		return err
	}
	obj, _ := at.Value.(*hujson.Object) // object has checked this
	set := diff.set.value()
	for name := range diff.drop {
		if _, ok := set[name]; !ok {
			d.rewrite(at, obj, diff)
			return nil
		}
	}
	for _, f := range diff.set {
		at, _, err := d.object(path)
		if err != nil {
			return err
		}
		obj, _ := at.Value.(*hujson.Object)
		if old, ok := member(obj, f.Name); ok {
			d.splice(old.StartOffset, old.EndOffset, jsonOf(f.Value))
			continue
		}
		d.insert(at, func(string) string { return quote(f.Name) + ": " + jsonOf(f.Value) })
	}
	return nil
}

// rewrite replaces an entry by a new one, with the fields that belong to the user.
func (d *jsonDoc) rewrite(at hujson.Value, obj *hujson.Object, diff change) {
	next := append(Entry{}, diff.set...)
	set := diff.set.value()
	for _, m := range obj.Members {
		name := nameOf(m)
		if _, ok := set[name]; ok || diff.drop[name] {
			continue
		}
		next = append(next, Field{name, json.RawMessage(d.text[m.Value.StartOffset:m.Value.EndOffset])})
	}
	d.splice(at.StartOffset, at.EndOffset, jsonBlock(next, d.lead(at.StartOffset), d.indent, d.eol))
}

// putElement adds an element to the array with this name, unless it has one with the same
// id. It creates the array if necessary.
func (d *jsonDoc) putElement(name string, element Entry) error {
	at, known, err := d.object([]string{})
	if err != nil {
		return err
	}
	obj, _ := at.Value.(*hujson.Object)
	list, ok := member(obj, name)
	if !ok || known != 0 {
		d.insert(at, func(lead string) string {
			in := lead + d.indent
			return quote(name) + ": [" + d.eol + in + jsonBlock(element, in, d.indent, d.eol) + d.eol + lead + "]"
		})
		return nil
	}
	array, ok := list.Value.(*hujson.Array)
	if !ok {
		return errors.New(name + " is no list")
	}
	for _, e := range array.Elements {
		if o, ok := e.Value.(*hujson.Object); ok {
			id, _ := member(o, "id")
			if l, ok := id.Value.(hujson.Literal); ok && l.String() == element.value()["id"] {
				return nil
			}
		}
	}
	d.insert(list, func(lead string) string { return jsonBlock(element, lead, d.indent, d.eol) })
	return nil
}

// insert adds the result of item, which is called with the indentation, to an object or
// array, after the last item and comment. It adds a comma to the item before.
func (d *jsonDoc) insert(at hujson.Value, item func(lead string) string) {
	first, last := -1, hujson.Value{}
	switch v := at.Value.(type) {
	case *hujson.Object:
		if n := len(v.Members); n > 0 {
			first, last = v.Members[0].Name.StartOffset, v.Members[n-1].Value
		}
	case *hujson.Array:
		if n := len(v.Elements); n > 0 {
			first, last = v.Elements[0].StartOffset, v.Elements[n-1]
		}
	}
	end := at.EndOffset - 1
	from := end
	for isSpace(d.text[from-1]) {
		from--
	}
	lead := d.lead(at.StartOffset) + d.indent
	if first >= 0 && bytes.IndexByte(d.text[at.StartOffset:first], '\n') >= 0 {
		lead = d.lead(first)
	}
	text := d.eol + lead + item(lead)
	comma := last.AfterExtra != nil // after the last item
	if comma {
		text += ","
	}
	if bytes.IndexByte(d.text[from:end], '\n') < 0 {
		text += d.eol + d.lead(at.StartOffset)
	}
	d.splice(from, from, text)
	if first >= 0 && !comma {
		d.splice(last.EndOffset, last.EndOffset, ",")
	}
}

func isSpace(b byte) bool { return b == ' ' || b == '\t' || b == '\r' || b == '\n' }

// lead returns the indentation of the line that contains offset.
func (d *jsonDoc) lead(offset int) string {
	start := bytes.LastIndexByte(d.text[:offset], '\n') + 1
	end := start
	for end < offset && (d.text[end] == ' ' || d.text[end] == '\t') {
		end++
	}
	return string(d.text[start:end])
}

func (d *jsonDoc) splice(from, to int, text string) {
	d.text = append(append(bytes.Clone(d.text[:from]), text...), d.text[to:]...)
}

// indentOf returns the indentation that a file uses for one level.
func indentOf(file []byte) string {
	for line := range bytes.Lines(file) {
		rest := bytes.TrimLeft(line, " \t")
		if len(rest) < len(line) && len(bytes.TrimSpace(rest)) > 0 && rest[0] != '*' { // * continues a comment
			return string(line[:len(line)-len(rest)])
		}
	}
	return "  "
}

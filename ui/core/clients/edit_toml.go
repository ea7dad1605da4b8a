package clients

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

func decodeTOML(file []byte) (map[string]any, error) {
	var m map[string]any
	if err := toml.Unmarshal(file, &m); err != nil {
		return nil, err
	}
	return asJSON(m)
}

// asJSON converts decoded values to the types of encoding/json, so that they can be compared
// to those of an Entry.
func asJSON(m map[string]any) (map[string]any, error) {
	raw, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	var out map[string]any
	return out, json.Unmarshal(raw, &out)
}

// A tomlLine is a table header, or a key with its value, which may take several lines.
type tomlLine struct {
	header   bool
	path     []string // from the root
	from, to int      // offsets of its first line, and of the end of its last line
}

// tomlLines returns the headers and keys in a file.
func tomlLines(file []byte) ([]tomlLine, error) {
	p := unstable.Parser{}
	p.Reset(file)
	var lines []tomlLine
	var table []string
	for p.NextExpression() {
		e := p.Expression()
		var names []string
		at, end := -1, 0
		for it := e.Key(); it.Next(); {
			k := it.Node()
			names = append(names, string(k.Data))
			if at < 0 {
				at = int(k.Raw.Offset)
			}
			end = int(k.Raw.Offset + k.Raw.Length)
		}
		l := tomlLine{header: e.Kind != unstable.KeyValue, path: names}
		if l.header {
			table = names
		} else {
			l.path = slices.Concat(table, names)
			end = int(e.Raw.Offset + e.Raw.Length)
		}
		l.from = bytes.LastIndexByte(file[:at], '\n') + 1
		l.to = len(file)
		if i := bytes.IndexByte(file[end:], '\n'); i >= 0 {
			l.to = end + i + 1
		}
		lines = append(lines, l)
	}
	return lines, p.Error()
}

func under(path, of []string) bool { return len(path) >= len(of) && slices.Equal(path[:len(of)], of) }

// editTOML removes the lines of fields to drop from a file, and adds the new fields below
// the header of Easel's table. If there is no such table, it appends one.
func editTOML(file []byte, c Client, _ Entry, diff change) ([]byte, error) {
	if len(diff.drop) == 0 && len(diff.set) == 0 {
		return file, nil
	}
	lines, err := tomlLines(file)
	if err != nil {
		return nil, err
	}
	path := slices.Concat(c.Section, []string{serverName})
	eol := eolOf(file)
	added := strings.ReplaceAll(tomlFields(diff.set), "\n", eol)
	var out bytes.Buffer
	at, placed := 0, false
	for _, l := range lines {
		switch {
		case l.header && slices.Equal(l.path, path):
			out.Write(file[at:l.to])
			if file[l.to-1] != '\n' {
				out.WriteString(eol)
			}
			out.WriteString(added)
			at, placed = l.to, true
		case under(l.path, path) && (len(l.path) == len(path) || diff.drop[l.path[len(path)]]):
			// Replace an inline table as a whole. check makes sure that none of the
			// user's fields are lost.
			out.Write(file[at:l.from])
			at = l.to
		}
	}
	out.Write(file[at:])
	if !placed {
		if b := out.Bytes(); len(b) > 0 && b[len(b)-1] != '\n' {
			out.WriteString(eol)
		}
		out.WriteString(eol + strings.ReplaceAll(tomlTable(path, diff.set), "\n", eol))
	}
	return out.Bytes(), nil
}

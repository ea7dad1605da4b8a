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

// asJSON gives decoded values the types that encoding/json decodes to, so that they can
// be compared to an Entry's.
func asJSON(m map[string]any) (map[string]any, error) {
	raw, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	var out map[string]any
	return out, json.Unmarshal(raw, &out)
}

// A tomlLine is a header or a key with its value, and the lines that it takes.
type tomlLine struct {
	header   bool
	path     []string // whole, from the root
	from, to int      // offsets; to is behind the end of the last line
}

// tomlLines lists what a file consists of, but for comments and empty lines.
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

// editTOML takes the lines of the fields that are to go out of a file, and puts what is
// new under the header of Easel's table; one without that table gets it at its end.
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
			// An inline table goes as a whole: it is made anew. check sees to it that
			// nothing of the user's is lost.
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

// Package clients knows where programs that speak MCP keep their settings, and adds
// Easel to those that are plain JSON: without touching anything else in them, and
// keeping the file as it was.
//
// # Goroutines
//
// None of its own. Everything reads or writes files: not from the UI goroutine.
package clients

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// ErrNotPlain tells that a file is no plain JSON: with comments, or broken. It is
// left alone.
var ErrNotPlain = errors.New("the file has comments, or is no JSON")

// Files are the places of a client's settings, the likeliest first; none for one
// that is not known. Relative ones are of a project.
func Files(client string) []string {
	home, err := os.UserHomeDir()
	if err != nil {
		return nil
	}
	apps := filepath.Join(home, ".config")
	if dir := os.Getenv("XDG_CONFIG_HOME"); dir != "" {
		apps = dir
	}
	switch runtime.GOOS {
	case "darwin":
		apps = filepath.Join(home, "Library", "Application Support")
	case "windows":
		apps = os.Getenv("APPDATA")
	}
	codex := os.Getenv("CODEX_HOME")
	if codex == "" {
		codex = filepath.Join(home, ".codex")
	}
	cline := filepath.Join("User", "globalStorage", "saoudrizwan.claude-dev", "settings", "cline_mcp_settings.json")
	switch client {
	case "Claude Code":
		return []string{filepath.Join(home, ".claude.json"), ".mcp.json"}
	case "Claude Desktop":
		return []string{filepath.Join(apps, "Claude", "claude_desktop_config.json")}
	case "Cline":
		return []string{filepath.Join(apps, "Code", cline), filepath.Join(apps, "VSCodium", cline), filepath.Join(apps, "Cursor", cline)}
	case "Cursor":
		return []string{filepath.Join(home, ".cursor", "mcp.json")}
	case "VS Code":
		return []string{filepath.Join(apps, "Code", "User", "mcp.json"), filepath.Join(".vscode", "mcp.json")}
	case "Codex":
		return []string{filepath.Join(codex, "config.toml")}
	case "Gemini CLI":
		return []string{filepath.Join(home, ".gemini", "settings.json")}
	default:
		return nil
	}
}

// File is where a client's settings are: the first place that there is, else the
// first whose folder there is, else the likeliest. Empty: it is not known.
func File(client string) string {
	var all []string
	for _, f := range Files(client) {
		if filepath.IsAbs(f) {
			all = append(all, f)
		}
	}
	for _, f := range all {
		if _, err := os.Stat(f); err == nil {
			return f
		}
	}
	for _, f := range all {
		if _, err := os.Stat(filepath.Dir(f)); err == nil {
			return f
		}
	}
	if len(all) == 0 {
		return ""
	}
	return all[0]
}

// Tilde is a path with ~ for the home directory.
func Tilde(path string) string {
	home, err := os.UserHomeDir()
	if rest, ok := strings.CutPrefix(path, home+string(filepath.Separator)); err == nil && ok {
		return filepath.Join("~", rest)
	}
	return path
}

// A State is how a client's settings stand to what Easel would write into them.
type State int

// The states.
const (
	Absent   State = iota // there is no file, or nothing of Easel in it
	Same                  // it has just that
	Other                 // it has an Easel of another address or token
	NotPlain              // only a person can change it
)

// Look tells how the file at path stands to a snippet.
func Look(path, snippet string) State {
	raw, err := os.ReadFile(path)
	if err != nil || len(bytes.TrimSpace(raw)) == 0 {
		return Absent
	}
	merged, err := Merge(raw, snippet)
	if err != nil {
		return NotPlain
	}
	if equalJSON(raw, merged) {
		return Same
	}
	var file, part map[string]map[string]json.RawMessage
	_ = json.Unmarshal([]byte(snippet), &part) // arrays in it are left out
	_ = json.Unmarshal(raw, &file)
	for section, entries := range part {
		for name := range entries {
			if _, ok := file[section][name]; ok {
				return Other
			}
		}
	}
	return Absent
}

func equalJSON(a, b []byte) bool {
	var x, y bytes.Buffer
	return json.Compact(&x, a) == nil && json.Compact(&y, b) == nil && bytes.Equal(x.Bytes(), y.Bytes())
}

// Write adds a snippet to the file at path, and gives the path of the copy of the
// file as it was; empty if there was none. The file can then be read only by its
// owner: it may hold Easel's token.
func Write(path, snippet string) (backup string, err error) {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real // a file that is kept elsewhere stays there
	}
	raw, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	merged, mergeErr := Merge(raw, snippet)
	if mergeErr != nil {
		return "", mergeErr
	}
	if err == nil {
		backup = path + ".before-easel"
		if _, taken := os.Stat(backup); taken == nil {
			backup += "-" + time.Now().Format("20060102T150405.000")
		}
		if err := os.WriteFile(backup, raw, 0o600); err != nil {
			return "", err
		}
	} else if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", err
	}
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".tmp-*") // mode 0600
	if err != nil {
		return "", err
	}
	defer os.Remove(f.Name()) //nolint:errcheck // it is gone when all went well
	_, err = f.Write(merged)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return "", err
	}
	return backup, os.Rename(f.Name(), path)
}

// Merge adds the members of a snippet's objects, and those elements of its arrays
// whose id is new, to a file. The order of all else stays.
func Merge(file []byte, snippet string) ([]byte, error) {
	indent := indentOf(file)
	if len(bytes.TrimSpace(file)) == 0 {
		file = []byte("{}")
	}
	whole, err := parse(file)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotPlain, err)
	}
	part, err := parse([]byte(snippet))
	if err != nil {
		return nil, err
	}
	for _, m := range part {
		old, ok := whole.get(m.name)
		switch {
		case !ok:
			whole = append(whole, m)
		case m.value[0] == '[':
			old, err = addElements(old, m.value)
		default:
			old, err = setMembers(old, m.value)
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %q: %w", ErrNotPlain, m.name, err)
		}
		if ok {
			whole.set(m.name, old)
		}
	}
	var out bytes.Buffer
	if err := json.Indent(&out, whole.raw(), "", indent); err != nil {
		return nil, err
	}
	out.WriteByte('\n')
	return out.Bytes(), nil
}

func setMembers(old, add json.RawMessage) (json.RawMessage, error) {
	into, err := parse(old)
	if err != nil {
		return nil, err
	}
	from, err := parse(add)
	if err != nil {
		return nil, err
	}
	for _, m := range from {
		if _, ok := into.get(m.name); ok {
			into.set(m.name, m.value)
		} else {
			into = append(into, m)
		}
	}
	return into.raw(), nil
}

func addElements(old, add json.RawMessage) (json.RawMessage, error) {
	var into, from []json.RawMessage
	if err := errors.Join(json.Unmarshal(old, &into), json.Unmarshal(add, &from)); err != nil {
		return nil, err
	}
	id := func(raw json.RawMessage) string {
		var x struct {
			ID string `json:"id"`
		}
		_ = json.Unmarshal(raw, &x) // without one, it is like none
		return x.ID
	}
	for _, e := range from {
		if !slices.ContainsFunc(into, func(o json.RawMessage) bool { return id(o) == id(e) }) {
			into = append(into, e)
		}
	}
	return json.Marshal(into)
}

// An object is a JSON object in the order of its members.
type object []member

type member struct {
	name  string
	value json.RawMessage
}

func parse(raw []byte) (object, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, errors.Join(errors.New("no object"), err)
	}
	var o object
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, err
		}
		name, ok := t.(string)
		if !ok {
			return nil, errors.New("no name")
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, err
		}
		o = append(o, member{name, value})
	}
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	if d.More() {
		return nil, errors.New("more than one value")
	}
	return o, nil
}

func (o object) get(name string) (json.RawMessage, bool) {
	i := slices.IndexFunc(o, func(m member) bool { return m.name == name })
	if i < 0 {
		return nil, false
	}
	return o[i].value, true
}

func (o object) set(name string, value json.RawMessage) {
	for i := range o {
		if o[i].name == name {
			o[i].value = value
		}
	}
}

func (o object) raw() json.RawMessage {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		name, _ := json.Marshal(m.name) // a string always can be
		b.Write(name)
		b.WriteByte(':')
		b.Write(m.value)
	}
	b.WriteByte('}')
	return b.Bytes()
}

// indentOf is the space that a file indents by.
func indentOf(file []byte) string {
	for line := range bytes.Lines(file) {
		if rest := bytes.TrimLeft(line, " \t"); len(rest) < len(line) && len(bytes.TrimSpace(rest)) > 0 {
			return string(line[:len(line)-len(rest)])
		}
	}
	return "  "
}

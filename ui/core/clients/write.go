package clients

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"time"

	"easel/internal/atomicfile"
)

// ErrNotPlain means that Easel cannot change a file safely: the file is damaged, or the
// section for servers is in a form that Easel does not edit. The file is not changed.
var ErrNotPlain = errors.New("the file cannot be edited safely")

// A State is what a client's file says about this Easel.
type State int

// The states.
const (
	Absent   State = iota // there is no file, or it has no entry for Easel
	Same                  // its entry is up to date
	Working               // its entry works, but is the former one
	Other                 // its entry has another address, token or path
	NotPlain              // Easel cannot read or change it
)

// Check returns what the file at path says about this Easel.
func (c Client) Check(path string, conn Connection) State {
	raw, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Absent
	case err != nil:
		return NotPlain
	case len(bytes.TrimSpace(raw)) == 0:
		return Absent
	}
	merged, had, err := c.merge(raw, conn)
	switch {
	case err != nil:
		return NotPlain
	case bytes.Equal(raw, merged):
		return Same
	case had && c.hasFormer(raw, conn):
		return Working
	case had:
		return Other
	default:
		return Absent
	}
}

// hasFormer reports whether a file has an entry that Easel wrote before and that still works: the former one, or one with Easel's own
// token.
func (c Client) hasFormer(file []byte, conn Connection) bool {
	has := func(entry func(Connection) Entry, conn Connection) bool {
		c := c
		c.Entry = entry
		merged, _, err := c.merge(file, conn)
		return err == nil && bytes.Equal(file, merged)
	}
	if conn.own() && conn.Shared != "" && has(c.Entry, conn.shared()) {
		return true
	}
	return c.Former != nil && (has(c.Former, conn) || conn.own() && conn.Shared != "" && has(c.Former, conn.shared()))
}

// Write adds Easel to the file at path, or updates its entry, and returns the path of the
// backup, or "" if there was no file. The file becomes readable only by its owner, because
// it may contain the token.
func (c Client) Write(path string, conn Connection) (backup string, err error) {
	path = target(path)
	raw, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	exists := err == nil
	merged, _, err := c.merge(raw, conn)
	if err != nil {
		return "", err
	}
	if exists {
		if backup, err = keep(path, raw); err != nil {
			return "", err
		}
	} else if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", err
	}
	return backup, atomicfile.Write(path, merged, 0o600)
}

// target resolves symbolic links, so that Write does not replace them.
func target(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	to, err := os.Readlink(path) // a link to a file that does not exist yet
	if err != nil {
		return path
	}
	if filepath.IsAbs(to) {
		return to
	}
	return filepath.Join(filepath.Dir(path), to)
}

// keep writes a backup next to a file, and returns its path.
func keep(path string, raw []byte) (string, error) {
	backup := path + ".before-easel"
	if _, taken := os.Lstat(backup); taken == nil {
		backup += "-" + time.Now().Format("20060102T150405.000")
	}
	return backup, atomicfile.Write(backup, raw, 0o600)
}

// merge returns the file with Easel's entry added or updated. had reports whether it already
// had one. The error is ErrNotPlain.
func (c Client) merge(file []byte, conn Connection) (merged []byte, had bool, err error) {
	if len(bytes.TrimSpace(file)) == 0 {
		return []byte(c.head + c.Snippet(conn) + "\n"), false, nil
	}
	edit, decode := editJSON, decodeJSON
	switch c.Format {
	case TOML:
		edit, decode = editTOML, decodeTOML
	case YAML:
		edit, decode = editYAML, decodeYAML
	case JSON, Command, Dialog:
	}
	before, err := decode(file)
	if err != nil {
		return nil, false, fmt.Errorf("%w: %w", ErrNotPlain, err)
	}
	old, had := c.entryOf(before)
	if merged, err = edit(file, c, c.Entry(conn), changes(old, c.Entry(conn))); err != nil {
		return nil, had, fmt.Errorf("%w: %w", ErrNotPlain, err)
	}
	after, err := decode(merged)
	if err != nil {
		return nil, had, fmt.Errorf("%w: %w", ErrNotPlain, err)
	}
	if err := c.check(before, after, c.Entry(conn)); err != nil {
		return nil, had, fmt.Errorf("%w: %w", ErrNotPlain, err)
	}
	return merged, had, nil
}

// A change is the difference between an existing entry and the wanted one.
type change struct {
	drop map[string]bool // fields to remove
	set  Entry           // fields to add or to replace
}

// changes compares an existing entry with the wanted one. It keeps other fields than those
// of the transport.
func changes(old map[string]any, want Entry) change {
	c := change{drop: make(map[string]bool)}
	wanted := want.value()
	for name, value := range old {
		empty := wanted[name] == nil && isEmpty(value) // as "env": {}, which "claude mcp add" writes
		if isTransport(name) && !empty && !reflect.DeepEqual(value, wanted[name]) {
			c.drop[name] = true
		}
	}
	for _, f := range want {
		if _, ok := old[f.Name]; !ok || c.drop[f.Name] {
			c.set = append(c.set, f)
		}
	}
	return c
}

// entryOf returns Easel's entry in a decoded file, and whether there is one.
func (c Client) entryOf(file map[string]any) (map[string]any, bool) {
	at := any(file)
	for _, name := range c.Section {
		m, ok := at.(map[string]any)
		if !ok {
			return nil, false
		}
		at = m[name]
	}
	switch at := at.(type) {
	case map[string]any:
		raw, ok := at[serverName]
		entry, _ := raw.(map[string]any)
		return entry, ok
	case []any:
		if i := indexOf(at, "name", serverName); i >= 0 && c.Named {
			entry, _ := at[i].(map[string]any)
			return entry, true
		}
	}
	return nil, false
}

func indexOf(list []any, field, value string) int {
	for i, x := range list {
		if m, ok := x.(map[string]any); ok && m[field] == value {
			return i
		}
	}
	return -1
}

// check verifies an edit. It returns an error if the entry is incomplete, or if a field of
// the user's or another part of the file has changed.
func (c Client) check(before, after map[string]any, want Entry) error {
	old, _ := c.entryOf(before)
	now, _ := c.entryOf(after)
	for name, value := range want.value() {
		if got, ok := now[name]; !ok || isTransport(name) && !reflect.DeepEqual(got, value) {
			return fmt.Errorf("the entry would have no %s", name)
		}
	}
	for name, value := range old {
		if !isTransport(name) && !reflect.DeepEqual(now[name], value) {
			return fmt.Errorf("the entry would lose its %s", name)
		}
	}
	if !reflect.DeepEqual(c.without(before), c.without(after)) {
		return errors.New("another part of the file would change")
	}
	return nil
}

// without returns a decoded file without Easel's entry and input, and without the sections
// that are empty then.
func (c Client) without(file map[string]any) map[string]any {
	f := func(section any) any {
		switch section := section.(type) {
		case map[string]any:
			return cut(section, serverName, func(any) any { return nil })
		case []any:
			return withoutElement(section, "name")
		}
		return section
	}
	for _, name := range slices.Backward(c.Section) {
		in := f
		f = func(v any) any {
			m, ok := v.(map[string]any)
			if !ok {
				return v
			}
			return cut(m, name, in)
		}
	}
	file, _ = f(file).(map[string]any) // f keeps its type
	if c.Inputs == "" {
		return file
	}
	return cut(file, c.Inputs, func(list any) any {
		if all, ok := list.([]any); ok {
			return withoutElement(all, "id")
		}
		return list
	})
}

// withoutElement returns a list without the element whose field has Easel's name.
func withoutElement(list []any, field string) []any {
	i := indexOf(list, field, serverName)
	if i < 0 {
		return list
	}
	return slices.Concat(list[:i], list[i+1:])
}

// cut returns a copy of m with f applied to a value. If the result is empty, it is removed.
func cut(m map[string]any, name string, f func(any) any) map[string]any {
	value, ok := m[name]
	if !ok {
		return m
	}
	m = maps.Clone(m)
	if value = f(value); isEmpty(value) {
		delete(m, name)
	} else {
		m[name] = value
	}
	return m
}

func isEmpty(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case map[string]any:
		return len(v) == 0
	case []any:
		return len(v) == 0
	default:
		return false
	}
}

// eolOf returns the line ending of a file.
func eolOf(file []byte) string {
	if i := bytes.IndexByte(file, '\n'); i > 0 && file[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

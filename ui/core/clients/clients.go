// Package clients knows the programs that speak MCP: by which name they present
// themselves, where their configuration is, and what it must say of Easel. It adds
// Easel to such a file and keeps everything else in it, comments included, byte for
// byte. The Connect page, easel doctor and the README's table are made from [All].
//
// # Goroutines
//
// None of its own. Check, Write and File access files: do not call them from the UI
// goroutine.
package clients

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A Format is how a client is told about Easel.
type Format int

// The formats.
const (
	Command Format = iota // a command of the client writes its file
	JSON                  // a JSON file, with or without comments
	TOML                  // a TOML file
	YAML                  // a YAML file
	Dialog                // JSON that is pasted into the client's settings
)

// A Connection is what a client needs in order to reach this Easel.
type Connection struct {
	URL   string // of the MCP endpoint
	Token string
	Exe   string   // absolute path of the running program
	Args  []string // of its stdio bridge: mcp, and what leads to this Easel
}

// A Client is a program that can use Easel.
type Client struct {
	Name   string // empty: any other client
	Format Format
	// Section is the path of the object in the file that has an entry for each server.
	Section []string
	// Named: the section is a list, and an entry has its name in a field.
	Named bool
	// Entry is what the file says of Easel.
	Entry func(Connection) Entry
	// Inputs is an array beside the section that needs an element, if the client
	// asks the user for the token; Input is that element, known by its id.
	Inputs string
	Input  Entry
	// After and Note are keys of i18n: what to do once Easel is in the file, and
	// what else to know. Note may be empty.
	After, Note string
	Link        string // the client's own documentation
	// Checked is how the format was verified: the version that was run, or "docs".
	Checked string

	match []string                // parts of the names by which it presents itself, in lower case
	files func(p places) []string // the likeliest first; relative ones are of a project
	text  func(Connection) string // the snippet, where it is not made from Entry
	head  string                  // what a new file begins with
}

// Find is the client that presents itself by a name. Among several whose name is part
// of it, the longest decides: @cline/core is not the same program as Cline.
func Find(name string) (found Client, ok bool) {
	name = strings.ToLower(name)
	longest := 0
	for _, c := range All {
		for _, part := range c.match {
			if len(part) > longest && strings.Contains(name, part) {
				found, ok, longest = c, true, len(part)
			}
		}
	}
	return found, ok
}

// Writable reports whether Easel can add itself to the client's file.
func (c Client) Writable() bool { return c.Format == JSON || c.Format == TOML || c.Format == YAML }

// Language is the language of the snippet, for its colours.
func (c Client) Language() string {
	return [...]string{Command: "bash", JSON: "json", TOML: "toml", YAML: "yaml", Dialog: "json"}[c.Format]
}

// Snippet is what a user runs or pastes to connect the client.
func (c Client) Snippet(conn Connection) string {
	if c.text != nil {
		return c.text(conn)
	}
	switch c.Format {
	case TOML:
		return tomlTable(slices.Concat(c.Section, []string{serverName}), c.Entry(conn))
	case YAML:
		return yamlSnippet(c.Section, c.Named, c.Entry(conn))
	default:
		return jsonSnippet(c, conn)
	}
}

// serverName is what Easel is called in every client's file.
const serverName = "easel"

// Files lists the places of the client's configuration, the likeliest first.
// Relative ones are of a project.
func (c Client) Files() []string {
	if c.files == nil {
		return nil
	}
	p, err := here()
	if err != nil {
		return nil
	}
	return c.files(p)
}

// File is the client's configuration: the first place that exists, otherwise the
// first whose folder exists, otherwise the likeliest. It is empty if the client has
// no file that is known.
func (c Client) File() string {
	var all []string
	for _, f := range c.Files() {
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

// Installed reports whether there is a sign of the client on this computer: its
// configuration, or the folder of it.
func (c Client) Installed() bool {
	p, err := here()
	if err != nil {
		return false
	}
	return slices.ContainsFunc(c.Files(), func(f string) bool {
		if !filepath.IsAbs(f) {
			return false
		}
		if _, err := os.Stat(f); err == nil {
			return true
		}
		dir := filepath.Dir(f)
		if dir == p.home || dir == p.apps {
			return false
		}
		_, err := os.Stat(dir)
		return err == nil
	})
}

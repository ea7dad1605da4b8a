// Package clients describes programs that are MCP clients: the names that they send, where
// their configuration files are, and what those must say about Easel. It adds Easel to such
// a file and preserves everything else, including comments, byte for byte. The Connect page,
// easel doctor and the README's table are made from [All].
//
// # Goroutines
//
// The package starts none. Check, Write, File and Installed access files; do not call them
// on the UI goroutine.
package clients

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"easel/mcphost/tool"
)

// A Format is the way in which Easel is added to a client.
type Format int

// The formats.
const (
	Command Format = iota // a command of the client, which writes its file
	JSON                  // a JSON file, with or without comments
	TOML                  // a TOML file
	YAML                  // a YAML file
	Dialog                // JSON that the user pastes into the client's settings
)

// A Connection is what a client needs in order to connect to this Easel.
type Connection struct {
	URL    string   // of the MCP endpoint
	Token  string   // the client's own, or Shared if it has none
	Shared string   // Easel's own token, which earlier entries have
	Exe    string   // absolute path of the running program
	Args   []string // arguments that start the stdio bridge to this Easel
}

// own reports whether the client has a token of its own.
func (c Connection) own() bool { return strings.HasPrefix(c.Token, tool.AssistantToken) }

// shared returns the connection with Easel's own token.
func (c Connection) shared() Connection {
	c.Token = c.Shared
	return c
}

// A Client is a program that can use Easel.
type Client struct {
	Name   string // empty: any other client
	Format Format
	// Section is the path of the object in the file that contains an entry per server.
	Section []string
	// Named means that the section is a list, whose entries have a field name.
	Named bool
	// Entry returns Easel's entry. Former returns the one that Easel wrote before, which still
	// works but does not tell Easel the project's folder; it is nil if there is none.
	Entry, Former func(Connection) Entry
	// If the client asks the user for the token, Inputs is the name of an array next to the
	// section, and Input is an element that it needs, which is identified by its id.
	Inputs string
	Input  Entry
	// After and Note are i18n keys of what to do after Easel was added, and of what else to
	// know. Note may be empty.
	After, Note string
	Link        string // URL of the client's documentation
	// Checked says how the format was verified: the version that was run, or "docs".
	Checked string
	// NoViewer says why the client is not offered Easel's viewer (MCP Apps) although it declares that it renders
	// such pages; empty if it is.
	NoViewer string

	match []string                // parts of the names that the client sends, in lower case
	files func(p places) []string // most likely first; relative paths are in a project
	text  func(Connection) string // returns the snippet; nil: it is made from Entry
	head  string                  // beginning of a new file
}

// Find returns the client that sends a name. If several match, it returns the one with the
// longest match: @cline/core is not the same program as Cline.
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

// ShowsViewer reports whether the client that sends a name shows Easel's viewer, if it declares that it can.
func ShowsViewer(name string) bool {
	c, _ := Find(name)
	return c.NoViewer == ""
}

// Writable reports whether Easel can add itself to the client's file.
func (c Client) Writable() bool { return c.Format == JSON || c.Format == TOML || c.Format == YAML }

// Language returns the language of the snippet, for syntax highlighting.
func (c Client) Language() string {
	return [...]string{Command: "bash", JSON: "json", TOML: "toml", YAML: "yaml", Dialog: "json"}[c.Format]
}

// Snippet returns the text that a user runs or pastes to connect the client.
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

// serverName is the name of Easel in the clients' files.
const serverName = "easel"

// Files returns the possible paths of the client's configuration file, most likely first.
// Relative paths are in a project.
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

// File returns the path of the client's configuration file: the first of Files that exists,
// or else the first whose folder exists, or else the first. It ignores relative paths, and
// returns "" if there is none.
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

// Installed reports whether the client's configuration file or the folder of that exists.
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

package uninstall

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// A kind says what is lost with a file.
type kind int

const (
	again kind = iota // nothing: Easel creates it again
	yours             // the user's plots and settings
)

// An entry is a file or directory in the data directory.
type entry struct {
	pattern string // of its name, for filepath.Match
	kind    kind
	what    string
}

// entries lists everything that Easel writes to the data directory. docs/files.md has the
// same list, with details.
var entries = []entry{
	{"library", yours, "plots with code, output, ratings, tags and notes"},
	{"settings.json", yours, "settings"},
	{"settings.json.broken-*", yours, "settings that could not be read"},
	{"keys.json", yours, "the keys that you have chosen"},
	{"keys.json.broken-*", yours, "keys of which some had no effect"},
	{"assistants.json", yours, "what each assistant may do"},
	{"assistants.json.broken-*", yours, "a list of assistants that could not be read"},
	{"servers.json", yours, "your Jupyter servers and their tokens"},
	{"servers.json.broken-*", yours, "a list of Jupyter servers that could not be read"},
	{"figures.key", yours, "the key of stored figures"},
	{"token", yours, "the token of your clients"},
	{"resends.json", again, "plots that wait to be sent to clients once more"},
	{"mcp-sessions.json", again, "names and subscriptions of MCP clients"},
	{"jupyter", again, "Python environment, Jupyter, and the history of its kernels"},
	{"logs", again, "logs"},
	{"ssh", again, "sockets of connections to other machines"},
	{"remote", again, "what Easel on your other computers keeps here for projects on this one"},
	{"owner", again, "name of this Easel on other machines"},
	{"elsewhere.json", again, "open projects on other machines"},
	{"fonts", again, "fonts for plots"},
	{"opened", again, "copies of plots that other programs have opened"},
	{"open-*.html", again, "pages for the browser"},
	{"easel.json", again, "address of the running Easel"},
	{"easel.sock", again, "socket for a second start of Easel"},
	{"easel.lock", again, "lock"},
}

// used reports whether Easel has run with a data directory.
func used(dataDir string) bool {
	for _, name := range []string{"easel.lock", "library/library.jsonl"} {
		if _, err := os.Stat(filepath.Join(dataDir, name)); err == nil {
			return true
		}
	}
	return false
}

// A file is something of Easel's on this machine.
type file struct {
	path  string
	kind  kind
	what  string
	bytes int64
	// remove deletes something that is no file; path is empty.
	remove func() error
}

// find returns the files of a data directory, and those outside it that exist.
func find(dataDir string, outside []Outside) []file {
	var all []file
	add := func(path string, k kind, what string) {
		if _, err := os.Lstat(path); err == nil {
			all = append(all, file{path: path, kind: k, what: what, bytes: size(path)})
		}
	}
	names, _ := os.ReadDir(dataDir) // none if it does not exist
	for _, e := range entries {
		for _, n := range names {
			if ok, err := filepath.Match(e.pattern, n.Name()); err == nil && ok {
				add(filepath.Join(dataDir, n.Name()), e.kind, e.what)
			}
		}
	}
	for _, o := range outside {
		if o.Remove != nil {
			all = append(all, file{what: o.What, remove: o.Remove})
			continue
		}
		add(o.Path, again, o.What)
	}
	return all
}

// of returns the files of a kind, and their size.
func of(all []file, k kind) (some []file, bytes int64) {
	for _, f := range all {
		if f.kind == k {
			some = append(some, f)
			bytes += f.bytes
		}
	}
	return some, bytes
}

// size returns the size of a file, or of all files in a directory. It counts what it can
// read, and follows no links.
func size(path string) (bytes int64) {
	_ = filepath.WalkDir(path, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // what cannot be read is not counted
		}
		if info, err := d.Info(); err == nil && info.Mode().IsRegular() {
			bytes += info.Size()
		}
		return nil
	})
	return bytes
}

// remove deletes files and directories. It goes on after an error.
func remove(files []file) error {
	var errs []error
	for _, f := range files {
		if f.remove != nil {
			errs = append(errs, f.remove())
			continue
		}
		writable(f.path)
		errs = append(errs, os.RemoveAll(f.path))
		removeEmpty(filepath.Dir(f.path)) // like ~/.cache/fyne
	}
	return errors.Join(errs...)
}

// removeEmpty deletes a directory if it is empty. It does not delete a link to one: what is
// still in it would be lost from sight.
func removeEmpty(dir string) {
	if st, err := os.Lstat(dir); err == nil && st.IsDir() {
		_ = os.Remove(dir) // fails if it contains something
	}
}

// writable makes the directories at path writable: those of opened/ are not.
func writable(path string) {
	_ = filepath.WalkDir(path, func(p string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			_ = os.Chmod(p, 0o700) //nolint:gosec // a directory; RemoveAll reports errors
		}
		return nil
	})
}

// strangers returns the names in the data directory that Easel did not write.
func strangers(dataDir string) (names []string) {
	all, _ := os.ReadDir(dataDir) // none if it does not exist
	for _, n := range all {
		if !slices.ContainsFunc(entries, func(e entry) bool {
			ok, err := filepath.Match(e.pattern, n.Name())
			return err == nil && ok
		}) {
			names = append(names, n.Name())
		}
	}
	return names
}

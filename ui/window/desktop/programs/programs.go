// Package programs lists the programs that can open a type of file, by the
// specifications of freedesktop.org: the order of mimeapps.list (MIME Applications 1.0.1)
// and desktop entries (Desktop Entry 1.5). It reads files, and starts nothing.
//
// # Goroutines
//
// The package has no state. Its functions are safe for concurrent use.
package programs

import (
	"bufio"
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A Program is a program that can open files.
type Program struct {
	ID      string // of its desktop entry
	Name    string // in the requested language
	Default bool   // for the requested type

	entry entry
}

// Command returns the command that opens a file.
func (p Program) Command(file string) (name string, args []string, dir string) {
	words := p.entry.expand(p.Name, file)
	return words[0], words[1:], p.entry.dir
}

// For returns the programs that can open files of a type, in the user's order, the
// default first. Their names are in the language lang if they have one.
func For(mime, lang string) []Program {
	lists, entries := associations(), newIndex()
	var all []Program
	taken := make(map[string]bool)
	add := func(id string, byDefault bool) bool {
		if id == "" || taken[id] {
			return false
		}
		e, ok := entries.find(id)
		if !ok || !e.opens() || !byDefault && !e.listed() {
			return false
		}
		taken[id] = true
		all = append(all, Program{ID: id, Name: e.name(lang), Default: byDefault, entry: e})
		return true
	}
	for _, l := range lists {
		if slices.ContainsFunc(l.defaults[mime], func(id string) bool { return add(id, true) }) {
			break
		}
	}
	removed := make(map[string]bool) // by lists that come before
	for _, l := range lists {
		for _, id := range l.added[mime] {
			if !removed[id] {
				add(id, false)
			}
		}
		for _, id := range l.removed[mime] {
			removed[id] = true
		}
	}
	for _, id := range entries.handlers(mime) {
		if !removed[id] {
			add(id, false)
		}
	}
	return all
}

// All returns all programs that can open files and that menus show, by name.
func All(lang string) []Program {
	entries := newIndex()
	var all []Program
	for _, id := range entries.ids() {
		if e, ok := entries.find(id); ok && e.opens() && e.listed() && e.takesFiles() {
			all = append(all, Program{ID: id, Name: e.name(lang), entry: e})
		}
	}
	slices.SortFunc(all, func(a, b Program) int {
		return cmp.Or(strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)), strings.Compare(a.ID, b.ID))
	})
	return all
}

// A list is a file mimeapps.list: ids of desktop entries by MIME type.
type list struct{ defaults, added, removed map[string][]string }

// associations reads the lists, those that take precedence first.
func associations() []list {
	dirs := append(configDirs(), applications()...)
	var all []list
	for _, dir := range dirs {
		for _, desktop := range desktops() {
			all = append(all, readList(filepath.Join(dir, strings.ToLower(desktop)+"-mimeapps.list")))
		}
		all = append(all, readList(filepath.Join(dir, "mimeapps.list")))
	}
	return all
}

func readList(path string) list {
	groups := readGroups(path)
	byType := func(group string) map[string][]string {
		m := make(map[string][]string)
		for key, value := range groups[group] {
			m[key] = split(value)
		}
		return m
	}
	return list{byType("Default Applications"), byType("Added Associations"), byType("Removed Associations")}
}

// maxFile is the maximum size of a file that is read, in bytes.
const maxFile = 4 << 20

// readGroups reads a file of keys and values in groups. A file that cannot be read has
// none.
func readGroups(path string) map[string]map[string]string {
	groups := make(map[string]map[string]string)
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxFile {
		return groups
	}
	f, err := os.Open(path)
	if err != nil {
		return groups
	}
	defer f.Close() //nolint:errcheck // it was only read
	var group map[string]string
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, maxFile)
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if name, ok := strings.CutPrefix(line, "["); ok && strings.HasSuffix(name, "]") {
			name = strings.TrimSuffix(name, "]")
			if groups[name] == nil {
				groups[name] = make(map[string]string)
			}
			group = groups[name]
			continue
		}
		key, value, ok := strings.Cut(line, "=")
		if key = strings.TrimSpace(key); ok && group != nil && !strings.HasPrefix(line, "#") {
			if _, twice := group[key]; !twice {
				group[key] = strings.TrimSpace(value)
			}
		}
	}
	return groups
}

// split splits a list of ids.
func split(value string) []string {
	return slices.DeleteFunc(strings.Split(value, ";"), func(s string) bool { return s == "" })
}

// An index finds desktop entries.
type index struct{ dirs []string }

func newIndex() *index { return &index{applications()} }

// find returns the entry of an id. An entry hides those of the same id in later folders.
func (x *index) find(id string) (entry, bool) {
	if !strings.HasSuffix(id, suffix) || strings.ContainsRune(id, '/') {
		return entry{}, false
	}
	for _, dir := range x.dirs {
		for _, path := range paths(dir, id) {
			if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
				return readEntry(path), true
			}
		}
	}
	return entry{}, false
}

const suffix = ".desktop"

// paths returns where a folder may have the entry of an id: a - may be a subfolder.
func paths(dir, id string) []string {
	all := []string{filepath.Join(dir, id)}
	for i := range len(id) {
		if id[i] == '-' && i > 0 {
			if sub := filepath.Join(dir, id[:i]); isDir(sub) {
				all = append(all, paths(sub, id[i+1:])...)
			}
		}
	}
	return all
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// handlers returns the ids of the entries that open a type, as their folders' caches say.
// In a folder without a cache, the entries themselves are read.
func (x *index) handlers(mime string) []string {
	var all []string
	for _, dir := range x.dirs {
		cache := filepath.Join(dir, "mimeinfo.cache")
		if _, err := os.Stat(cache); err == nil {
			all = append(all, split(readGroups(cache)["MIME Cache"][mime])...)
			continue
		}
		for _, id := range idsIn(dir) {
			if e, ok := x.find(id); ok && slices.Contains(e.mimes, mime) {
				all = append(all, id)
			}
		}
	}
	return all
}

// ids returns the ids of all entries.
func (x *index) ids() []string {
	var all []string
	for _, dir := range x.dirs {
		all = append(all, idsIn(dir)...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func idsIn(dir string) []string {
	var all []string
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // that folder has no entries
		}
		if rel, err := filepath.Rel(dir, path); err == nil && !d.IsDir() && strings.HasSuffix(path, suffix) {
			all = append(all, strings.ReplaceAll(filepath.ToSlash(rel), "/", "-"))
		}
		return nil
	})
	return all
}

// configDirs returns the folders of the user's and the system's settings.
func configDirs() []string {
	home := os.Getenv("HOME")
	return append([]string{absolute("XDG_CONFIG_HOME", filepath.Join(home, ".config"))},
		absolutes("XDG_CONFIG_DIRS", "/etc/xdg")...)
}

// applications returns the folders of desktop entries.
func applications() []string {
	home := os.Getenv("HOME")
	dirs := append([]string{absolute("XDG_DATA_HOME", filepath.Join(home, ".local/share"))},
		absolutes("XDG_DATA_DIRS", "/usr/local/share:/usr/share")...)
	for i, dir := range dirs {
		dirs[i] = filepath.Join(dir, "applications")
	}
	return dirs
}

func absolute(name, otherwise string) string {
	if v := os.Getenv(name); filepath.IsAbs(v) {
		return v
	}
	return otherwise
}

func absolutes(name, otherwise string) []string {
	return slices.DeleteFunc(filepath.SplitList(cmp.Or(os.Getenv(name), otherwise)), func(d string) bool { return !filepath.IsAbs(d) })
}

// desktops returns the names of the current desktop, the most specific first.
func desktops() []string {
	return slices.DeleteFunc(strings.Split(os.Getenv("XDG_CURRENT_DESKTOP"), ":"), func(d string) bool {
		return d == "" || strings.ContainsRune(d, '/')
	})
}

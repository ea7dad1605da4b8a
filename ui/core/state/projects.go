package state

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
)

// maxProjects is the largest number of projects that are remembered.
const maxProjects = 500

// EaselPython as the Python of a project is Easel's own.
const EaselPython = "easel"

// A Project is a directory that assistants may work in.
type Project struct {
	Root   string // absolute, or the address of one on another machine: ssh://HOST/PATH
	Python string // the interpreter that the user chose for it; "" lets Easel choose
}

// Projects are the projects that the user has allowed. A Projects is immutable and
// comparable; the zero value is empty.
type Projects struct{ lines string } // "root\tpython\n", sorted

// All returns the projects, sorted by their roots.
func (p Projects) All() []Project {
	all := p.all()
	list := make([]Project, 0, len(all))
	for _, root := range slices.Sorted(maps.Keys(all)) {
		list = append(list, Project{root, all[root]})
	}
	return list
}

// Find returns the project with that root.
func (p Projects) Find(root string) (Project, bool) {
	if strings.ContainsAny(root, "\t\n") { // it could be a part of the lines, and no project is called so
		return Project{Root: root}, false
	}
	// The sidebar asks for each of its projects, so this makes no map of all.
	after, ok := strings.CutPrefix(p.lines, root+"\t")
	if !ok {
		_, after, ok = strings.Cut(p.lines, "\n"+root+"\t")
	}
	if !ok {
		return Project{Root: root}, false
	}
	python, _, _ := strings.Cut(after, "\n")
	return Project{root, python}, true
}

// With returns p with a project, in the place of one with the same root. If it is not valid,
// With returns p.
func (p Projects) With(x Project) Projects {
	if !validProject(x.Root, x.Python) {
		return p
	}
	all := p.all()
	all[x.Root] = x.Python
	return projectsOf(all)
}

// Without returns p without the project with that root.
func (p Projects) Without(root string) Projects {
	all := p.all()
	delete(all, root)
	return projectsOf(all)
}

func validProject(root, python string) bool {
	if strings.ContainsFunc(root+python, unicode.IsControl) {
		return false
	}
	away := strings.HasPrefix(root, "ssh://")
	known := python == "" || python == EaselPython || filepath.IsAbs(python) || away && strings.HasPrefix(python, "/")
	return known && (away || filepath.IsAbs(root))
}

func (p Projects) all() map[string]string {
	all := make(map[string]string)
	for line := range strings.Lines(p.lines) {
		root, python, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		all[root] = python
	}
	return all
}

func projectsOf(all map[string]string) Projects {
	var b strings.Builder
	for i, root := range slices.Sorted(maps.Keys(all)) {
		if i == maxProjects {
			break
		}
		b.WriteString(root + "\t" + all[root] + "\n")
	}
	return Projects{b.String()}
}

// MarshalJSON encodes the projects as an object of interpreters by root.
func (p Projects) MarshalJSON() ([]byte, error) { return json.Marshal(p.all()) }

// UnmarshalJSON decodes what MarshalJSON writes. It skips invalid entries, so that one wrong
// line in a settings file does not lose the others.
func (p *Projects) UnmarshalJSON(raw []byte) error {
	var read map[string]any
	if err := json.Unmarshal(raw, &read); err != nil {
		return err
	}
	all := make(map[string]string)
	for root, value := range read {
		if python, ok := value.(string); ok && validProject(root, python) {
			all[root] = python
		}
	}
	*p = projectsOf(all)
	return nil
}

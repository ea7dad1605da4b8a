package project

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"easel/internal/system"
)

// Surroundings are what a client's process knows of where it runs. Each field may be empty.
type Surroundings struct {
	Directory   string `json:"directory,omitempty"`    // its working directory, or the project's that it names
	VirtualEnv  string `json:"virtual_env,omitempty"`  // $VIRTUAL_ENV
	CondaPrefix string `json:"conda_prefix,omitempty"` // $CONDA_PREFIX
	Python      string `json:"python,omitempty"`       // the first python on its PATH
}

// The kinds of environments.
const (
	Venv   = "venv"
	UV     = "uv"
	Conda  = "conda"
	Pixi   = "pixi"
	Poetry = "poetry"
	Hatch  = "hatch"
	Pipenv = "pipenv"
	Pyenv  = "pyenv"
)

// An Environment is a Python with its packages.
type Environment struct {
	Python  string `json:"python"`          // the interpreter; it may be missing if Broken
	Prefix  string `json:"prefix"`          // the environment's directory
	Kind    string `json:"kind"`            // one of the kinds above
	Version string `json:"version"`         // of Python: 3.12.1, or 3.12; "" if unknown
	Label   string `json:"label"`           // short, for people: proj/.venv
	Why     Reason `json:"why"`             // how it was found
	Broken  Reason `json:"broken,omitzero"` // why it cannot be used; the zero Reason if it can
}

// Works reports whether the environment can be used.
func (e Environment) Works() bool { return e.Broken == Reason{} }

// Environments returns the environments that a client in these surroundings may mean when it
// works in a directory of the project, best first. Broken ones are marked, and keep their places.
// If dir is empty, it is the project's root.
func Environments(ctx context.Context, p Project, s Surroundings, dir string) []Environment {
	f := newFinder(p, dir)
	at, err := Resolve(s.Directory)
	here := s.Directory == "" || err == nil && within(at, f.folders[len(f.folders)-1])
	if here { // otherwise its environment belongs to another project
		f.active(s, chosen)
	}
	named := len(f.found) > 0
	f.own(ctx, s)
	if here && !named {
		f.prefer(prefixOf(s.Python))
	}
	if !here {
		f.active(s, chosen)
	}
	f.active(s, incidental)
	f.active(s, base)
	return f.found
}

// A rank says how much an active environment tells about the user's choice for a project.
type rank int

const (
	chosen     rank = iota // a variable names it, or it is in the project's folders
	incidental             // it is another project's, or only the first on PATH: the project's own counts more
	base                   // of conda: it belongs to no project; most people have it active without a choice
)

// rank returns the rank of an active environment. Many people have a python on their PATH that is
// for their tools; a client that hides the variables has the project's own there, if it is active.
func (f *finder) rank(prefix string, onPath bool) rank {
	switch {
	case isCondaBase(prefix):
		return base
	case f.foreign(prefix), onPath && !within(prefix, f.folders[len(f.folders)-1]):
		return incidental
	}
	return chosen
}

// foreign reports whether an environment is in the folder of another project.
func (f *finder) foreign(prefix string) bool {
	above, err := filepath.EvalSymlinks(filepath.Dir(prefix))
	b := bordersHere(nil)
	if _, program := b.program(prefix); err != nil || program {
		return false
	}
	for _, folder := range b.climb(above) {
		if isMarked(folder) {
			return !within(folder, f.project.Root) && !slices.Contains(f.folders, folder)
		}
	}
	return false
}

// prefer moves an environment that was found to the front.
func (f *finder) prefer(prefix string) {
	i := slices.IndexFunc(f.found, func(e Environment) bool { return prefix != "" && sameFile(e.Prefix, prefix) })
	if i > 0 {
		e := f.found[i]
		f.found = slices.Insert(slices.Delete(f.found, i, i+1), 0, e)
	}
}

// Best returns the first environment that can be used.
func Best(environments []Environment) (Environment, bool) {
	i := slices.IndexFunc(environments, Environment.Works)
	if i < 0 {
		return Environment{}, false
	}
	return environments[i], true
}

// A finder collects environments.
type finder struct {
	project Project
	folders []string // where to look, from the directory up to the repository's root
	found   []Environment
}

func newFinder(p Project, dir string) *finder {
	f := &finder{project: p}
	start, err := Resolve(dir)
	if err != nil || !within(start, p.Root) {
		start = p.Root
	}
	folders := bordersHere(nil).climb(start)
	// Without a repository, the last folder that belongs to a project ends the search.
	last := slices.Index(folders, p.Root)
	for i := last + 1; i < len(folders); i++ {
		if isMarked(folders[i]) {
			last = i
		}
	}
	if f.folders = folders[:last+1]; len(f.folders) == 0 {
		f.folders = []string{p.Root}
	}
	return f
}

// add adds the environment with this prefix, if there is one. A kind of its own overrides what
// the prefix looks like. It reports whether there is one.
func (f *finder) add(prefix, kind string, why Reason) bool {
	if !filepath.IsAbs(prefix) || !isEnvironment(prefix) {
		return false
	}
	f.put(prefix, kind, why)
	return true
}

// put adds the Python with this prefix, or gives the one that was found before its kind.
func (f *finder) put(prefix, kind string, why Reason) {
	same := func(e Environment) bool { return sameFile(e.Prefix, prefix) }
	i := slices.IndexFunc(f.found, same)
	if i < 0 {
		e := f.examine(filepath.Clean(prefix))
		e.Label, e.Why = f.label(e.Prefix), why
		i, f.found = len(f.found), append(f.found, e)
	}
	if kind != "" {
		f.found[i].Kind = kind
	}
}

// label returns the short name of an environment: its path from the folder above the
// project, or its name if it is elsewhere.
func (f *finder) label(prefix string) string {
	for _, folder := range []string{f.project.Root, f.folders[len(f.folders)-1]} {
		if rel, err := filepath.Rel(filepath.Dir(folder), prefix); err == nil && within(prefix, folder) {
			return filepath.ToSlash(rel)
		}
	}
	if name := filepath.Base(prefix); !slices.Contains(usualNames, name) && name != "default" {
		return name
	}
	return filepath.Base(filepath.Dir(prefix)) + "/" + filepath.Base(prefix)
}

// active adds the client's active environments of a rank.
func (f *finder) active(s Surroundings, r rank) {
	for _, a := range []struct {
		prefix string
		why    Reason
	}{
		{s.VirtualEnv, Reason{"active", "$VIRTUAL_ENV"}},
		{s.CondaPrefix, Reason{"active", "$CONDA_PREFIX"}},
		{prefixOf(s.Python), Reason{Kind: "on_path"}},
	} {
		if filepath.IsAbs(a.prefix) && !isToolsOwn(a.prefix) && f.rank(a.prefix, a.why.Kind == "on_path") == r {
			f.add(a.prefix, "", a.why)
		}
	}
}

// prefixOf returns the environment's directory of an interpreter, or "" if it is of none.
func prefixOf(python string) string {
	if !filepath.IsAbs(python) {
		return ""
	}
	dir := filepath.Dir(python)
	if name := filepath.Base(dir); name == "bin" || strings.EqualFold(name, "Scripts") {
		dir = filepath.Dir(dir)
	}
	return dir
}

// isToolsOwn reports whether an environment is that of a program, such as the assistant, which
// uv or pipx has installed for it.
func isToolsOwn(prefix string) bool {
	path := filepath.ToSlash(prefix)
	for _, part := range []string{"/uv/tools/", "/uv/archive-v", "/uv/environments-v", "/uv/builds-v", "/pipx/venvs/"} {
		if strings.Contains(path, part) {
			return true
		}
	}
	return false
}

// usualNames are the folders that people and tools make environments in, within a project.
var usualNames = []string{".venv", "venv", "env", ".env", ".conda"}

// own adds the environments of the project: in its folders, and those that its tools keep
// elsewhere or its files name.
func (f *finder) own(ctx context.Context, s Surroundings) {
	f.usual()
	for _, folder := range f.folders {
		f.pixi(folder)
	}
	for _, folder := range f.folders {
		f.poetry(ctx, folder)
		f.hatch(folder)
		f.pipenv(ctx, folder)
	}
	for _, folder := range f.folders {
		f.conda(folder, s)
	}
	f.pyenv()
}

// pixi adds the environments of pixi in a folder, the default one first.
func (f *finder) pixi(folder string) {
	dir := filepath.Join(folder, ".pixi", "envs")
	f.add(filepath.Join(dir, "default"), "", Reason{Kind: "pixi_usual"})
	for _, path := range system.Glob(dir, "*") {
		f.add(path, "", Reason{Kind: "pixi"})
	}
}

// usual adds the environments in the project's folders.
func (f *finder) usual() {
	for _, folder := range f.folders {
		for _, name := range usualNames {
			f.named(folder, name)
		}
	}
	children, _ := os.ReadDir(f.project.Root) // people have other names, too
	for _, c := range children {
		if c.Type().IsRegular() { // there may be very many
			continue
		}
		f.add(filepath.Join(f.project.Root, c.Name()), "", Reason{Kind: "inside"})
	}
}

// named adds the environment with a usual name in one of the folders, or the one that a file of
// this name leads to.
func (f *finder) named(folder, name string) {
	why := Reason{Kind: "inside"}
	switch {
	case folder == f.project.Root:
	case within(folder, f.project.Root):
		why = Reason{"in_part", filepath.Base(folder)}
	default:
		why = Reason{"above", filepath.Base(folder)}
	}
	path := filepath.Join(folder, name)
	if f.add(path, "", why) || name != ".venv" {
		return
	}
	if text := firstLine(path); text != "" {
		if !filepath.IsAbs(text) {
			text = filepath.Join(folder, text)
		}
		f.add(text, "", Reason{"named", name})
	}
}

// firstLine returns the first line of a small file, without spaces around it.
func firstLine(path string) string {
	line, _, _ := strings.Cut(readSmall(path), "\n")
	return strings.TrimSpace(line)
}

package project

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"easel/internal/system"
)

// A LocalModule is a Python module in the folder of a project.
type LocalModule struct {
	Name   string
	Folder string // that has it
}

// What is looked at for modules. Projects may have very many files of data.
const (
	modulesDepth = 4
	mostModules  = 2000
	mostEntries  = 20_000
)

// Modules returns the modules in the project of a directory, those that can be imported from the
// directory, a folder above it or their src first.
func Modules(dir string) []LocalModule {
	m := moduleSearch{left: mostEntries}
	for _, above := range bordersHere(nil).climb(dir) {
		m.read(above, 1)
		m.read(filepath.Join(above, "src"), 1)
	}
	if p, err := Of(dir); err == nil {
		m.read(p.Root, modulesDepth)
	}
	return m.found
}

// A moduleSearch collects modules.
type moduleSearch struct {
	found []LocalModule
	left  int // entries of folders that may still be looked at
}

// read adds the modules in a folder, and those in the folders in it up to a depth.
func (m *moduleSearch) read(folder string, depth int) {
	entries, err := os.ReadDir(folder)
	if m.left -= len(entries); err != nil || m.left < 0 || depth == 0 {
		return
	}
	var folders []string
	for _, e := range entries {
		name, isFile := strings.CutSuffix(e.Name(), ".py")
		path := filepath.Join(folder, e.Name())
		switch {
		case strings.HasPrefix(name, ".") || strings.HasPrefix(name, "__") || name == "node_modules":
		case isFile && e.Type().IsRegular():
			m.add(name, folder)
		case e.IsDir() && !isEnvironment(path):
			if len(system.Glob(path, "*.py")) > 0 {
				m.add(name, folder)
			}
			folders = append(folders, path)
		}
	}
	for _, f := range folders {
		m.read(f, depth-1)
	}
}

func (m *moduleSearch) add(name, folder string) {
	if l := (LocalModule{name, folder}); len(m.found) < mostModules && !slices.Contains(m.found, l) {
		m.found = append(m.found, l)
	}
}

// Installer returns the command that installs the project's own package, of which a folder has a module, into the
// environment with this label and kind, as an editable one; "" if the project is no package.
func Installer(dir, folder, label, kind string) string {
	for _, root := range []string{folder, filepath.Dir(folder)} {
		built := exists(filepath.Join(root, "setup.py")) || strings.Contains(readSmall(filepath.Join(root, "pyproject.toml")), "[build-system]")
		if !built || root != folder && filepath.Base(folder) != "src" {
			continue
		}
		if _, ok := Recorder(dir, label, kind); ok {
			if r, _, found := recipe(root); found && r != withPip {
				return r
			}
		}
		return "%pip install -e " + system.ShellQuote(root)
	}
	return ""
}

// lists are the files that name a project's packages, and how: %s is the name.
var lists = []struct{ file, names string }{
	{"uv.lock", lockEntry},
	{"poetry.lock", lockEntry},
	{"pdm.lock", lockEntry},
	{"pixi.lock", `(?m)^[-\s]+(?:name: |.*/)%s(?:-\d.*)?$`},
	{"Pipfile.lock", `(?m)^\s*"%s": \{`},
	{"pyproject.toml", `(?m)["']%[1]s\s*["'\[<>=!~;@]|^%[1]s\s*=`},
	{"pixi.toml", `(?m)^%s\s*=`},
	{"Pipfile", `(?m)^"?%s"?\s*=`},
	{"requirements.txt", requirement},
	{"environment.yml", `(?m)^\s*-\s*%s\s*(?:[<>=!~\[]|$)`},
}

const (
	lockEntry   = `(?m)^name = "%s"$`
	requirement = `(?m)^%s\s*(?:[<>=!~;@\[#]|$)`
)

// mostOfList is the size up to which such a file is read. Lock files may be large.
const mostOfList = 16 << 20

// Declared returns the file of a project that names a distribution, the folder that has the file, and the command with
// which the tool of that file brings the environment up to date; "" if it has none.
func Declared(dir, distribution string) (file, folder, command string) {
	name := strings.Join(strings.FieldsFunc(distribution, func(r rune) bool { return strings.ContainsRune("-_.", r) }), `[-_.]+`)
	for _, folder := range bordersHere(nil).climb(dir) {
		for _, l := range lists {
			text, err := system.ReadRegular(filepath.Join(folder, l.file), mostOfList)
			if err != nil {
				continue
			}
			pattern := "(?i)" + strings.NewReplacer("%[1]s", name, "%s", name).Replace(l.names)
			if named, err := regexp.Compile(pattern); err == nil && named.Match(text) {
				command, _, _ = recipe(folder)
				return l.file, folder, command
			}
		}
	}
	return "", "", ""
}

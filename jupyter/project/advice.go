package project

import (
	"context"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// Advice is a command that makes the environment which a file of the project describes. It is
// the user's to run: it may download and build packages.
type Advice struct {
	Command   string `json:"command"`   // for a shell, in Directory
	Directory string `json:"directory"` // the folder that has the file
	Why       Reason `json:"why"`       // what is missing
}

// recipes are the files that describe an environment, and the commands that make it, the most
// exact first. A recipe without a file applies to a pyproject.toml with its tool's table.
var recipes = []struct{ file, tool, command string }{
	{"uv.lock", "", "uv sync"},
	{"poetry.lock", "", "poetry install"},
	{"pdm.lock", "", "pdm install"},
	{"pixi.lock", "", "pixi install"},
	{"Pipfile.lock", "", "pipenv install"},
	{"environment.yml", "", "conda env create -f environment.yml"},
	{"environment.yaml", "", "conda env create -f environment.yaml"},
	{"pixi.toml", "", "pixi install"},
	{"Pipfile", "", "pipenv install"},
	{"hatch.toml", "", "hatch env create"},
	{"", "pixi", "pixi install"},
	{"", "poetry", "poetry install"},
	{"", "hatch.envs", "hatch env create"},
	{"", "uv", "uv sync"},
	{"requirements.txt", "", withPip},
}

// withPip makes an environment from requirements.txt.
var withPip = func() string {
	if runtime.GOOS == "windows" {
		return `py -m venv .venv && .venv\Scripts\pip install -r requirements.txt`
	}
	return "python3 -m venv .venv && .venv/bin/pip install -r requirements.txt"
}()

// Missing returns which command makes the project's environment, if a file describes one and
// there is none that can be used.
func Missing(ctx context.Context, p Project) (Advice, bool) {
	f := newFinder(p, "")
	f.own(ctx, Surroundings{})
	// An installation of pyenv's has none of the packages, only an environment has.
	f.found = slices.DeleteFunc(f.found, func(e Environment) bool { return !isEnvironment(e.Prefix) })
	if _, ok := Best(f.found); ok {
		return Advice{}, false
	}
	for _, folder := range f.folders {
		if command, file, ok := recipe(folder); ok {
			why := Reason{"not_made", file}
			if len(f.found) > 0 {
				why.Kind = "made_bad"
			}
			return Advice{Command: command, Directory: folder, Why: why}, true
		}
	}
	return Advice{}, false
}

// recipe returns the command that makes the environment which a file in a folder describes, or brings it up to date.
func recipe(folder string) (command, file string, ok bool) {
	tools := readTools(folder)
	for _, r := range recipes {
		file := r.file
		if file == "" && tools.has(r.tool) {
			file = "pyproject.toml"
		}
		if file != "" && exists(filepath.Join(folder, file)) {
			return r.command, file, true
		}
	}
	return "", "", false
}

// recorders are the commands that add a package to a project and record it, by the lock file and
// the kind of environments that the tool keeps outside of the project's folder; "" if it keeps none.
var recorders = []struct{ lock, kind, command string }{
	{"uv.lock", "", "uv add"},
	{"poetry.lock", Poetry, "poetry add"},
	{"pixi.lock", Pixi, "pixi add"},
	{"pdm.lock", "", "pdm add"},
	{"Pipfile.lock", Pipenv, "pipenv install"},
}

// Recorder returns the command that adds a package to the project of a directory and records it
// in its lock file, if the environment with this label and kind may be the one that the file
// describes. For another one, the command would install the package where the kernel has no use of it.
func Recorder(dir, label, kind string) (command string, ok bool) {
	for _, folder := range bordersHere(nil).climb(dir) {
		for _, r := range recorders {
			if exists(filepath.Join(folder, r.lock)) {
				inside := (kind == Venv || kind == UV || kind == r.kind) && strings.HasPrefix(label, filepath.Base(folder)+"/")
				return r.command, inside || kind == r.kind && kind != ""
			}
		}
	}
	return "", false
}

// EnvFileNames reports whether the .env file of the project that a directory belongs to sets a variable.
func EnvFileNames(dir, variable string) bool {
	p, err := Of(dir)
	if err != nil || variable == "" {
		return false
	}
	set := regexp.MustCompile(`(?m)^\s*(?:export\s+)?` + regexp.QuoteMeta(variable) + `\s*=`)
	return set.MatchString(readSmall(filepath.Join(p.Root, ".env")))
}

// tools are the tables of a pyproject.toml that tools read.
type tools map[string]any

// readTools returns the tables of the pyproject.toml in a folder; none if it has none, or one
// that cannot be read.
func readTools(folder string) tools {
	var file struct{ Tool tools }
	if toml.Unmarshal([]byte(readSmall(filepath.Join(folder, "pyproject.toml"))), &file) != nil {
		return nil
	}
	return file.Tool
}

// has reports whether there is a table; "hatch.envs" is one within another.
func (t tools) has(name string) bool {
	outer, inner, nested := strings.Cut(name, ".")
	table, ok := t[outer].(map[string]any)
	if !ok || !nested {
		return ok
	}
	_, ok = table[inner]
	return ok
}

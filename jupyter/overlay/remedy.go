package overlay

import (
	"os"
	"path/filepath"

	"easel/internal/system"
)

// remedies add ipykernel to the environment of a project, by the file that the project's tool
// writes.
var remedies = []struct{ file, command string }{
	{"uv.lock", "uv add --dev ipykernel"},
	{"poetry.lock", "poetry add --group dev ipykernel"},
	{"pdm.lock", "pdm add --dev ipykernel"},
	{"pixi.lock", "pixi add ipykernel"},
	{"pixi.toml", "pixi add ipykernel"},
	{"Pipfile", "pipenv install --dev ipykernel"},
}

// remedy returns the command that adds ipykernel to the environment.
func (p interpreter) remedy() string {
	if command := p.projectRemedy(); command != "" {
		return command
	}
	switch {
	case p.conda():
		return "conda install --prefix " + system.ShellQuote(p.Prefix) + " ipykernel"
	case p.Pip:
		return system.ShellQuote(p.path) + " -m pip install ipykernel"
	}
	return "uv pip install --python " + system.ShellQuote(p.path) + " ipykernel"
}

// projectRemedy returns the command of the tool that manages the environment for a project,
// whose directory is just above it.
func (p interpreter) projectRemedy() string {
	if !p.Venv && !p.conda() {
		return ""
	}
	home, _ := os.UserHomeDir()
	dir := p.Prefix
	for range 3 { // as .pixi/envs/default
		if dir = filepath.Dir(dir); dir == home {
			return ""
		}
		for _, r := range remedies {
			if exists(filepath.Join(dir, r.file)) {
				return r.command
			}
		}
	}
	return ""
}

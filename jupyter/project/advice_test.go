package project

import (
	"path/filepath"
	"testing"
)

func TestMissing(t *testing.T) {
	h := home(t)
	for name, x := range map[string]struct {
		files map[string]string
		want  string
	}{
		"uv":               {map[string]string{"uv.lock": "", "pyproject.toml": "", "requirements.txt": ""}, "uv sync"},
		"poetry":           {map[string]string{"poetry.lock": ""}, "poetry install"},
		"poetry, unlocked": {map[string]string{"pyproject.toml": "[tool.poetry]\nname = \"x\""}, "poetry install"},
		"pixi":             {map[string]string{"pixi.lock": ""}, "pixi install"},
		"pipenv":           {map[string]string{"Pipfile.lock": ""}, "pipenv install"},
		"conda":            {map[string]string{"environment.yml": "name: x"}, "conda env create -f environment.yml"},
		"hatch":            {map[string]string{"pyproject.toml": "[tool.hatch.envs.default]\ndependencies = []"}, "hatch env create"},
		"hatchling":        {map[string]string{"pyproject.toml": "[tool.hatch.build]\n"}, ""},
		"pip":              {map[string]string{"requirements.txt": ""}, withPip},
		"broken TOML":      {map[string]string{"pyproject.toml": "[tool"}, ""},
		"nothing":          {map[string]string{"data.csv": ""}, ""},
	} {
		root := filepath.Join(h, name)
		for file, text := range x.files {
			write(t, filepath.Join(root, file), text)
		}
		p := Project{Root: root, Name: name}
		a, ok := Missing(t.Context(), p)
		if a.Command != x.want || ok != (x.want != "") || ok && (a.Directory != root || a.Why.String() == "") {
			t.Errorf("%s: %+v, %v", name, a, ok)
		}
		venv(t, filepath.Join(root, ".venv"), "3.12.1")
		if a, ok := Missing(t.Context(), p); ok {
			t.Errorf("%s, with an environment: %+v", name, a)
		}
		write(t, filepath.Join(root, ".venv", "pyvenv.cfg"), "version = 3.6.1")
		if a, ok := Missing(t.Context(), p); a.Command != x.want || ok != (x.want != "") {
			t.Errorf("%s, with a broken environment: %+v, %v", name, a, ok)
		}
	}
}

// The lock of a workspace is in a folder above its members.
func TestMissingOfAWorkspace(t *testing.T) {
	h := home(t)
	root := filepath.Join(h, "mono")
	write(t, filepath.Join(root, "uv.lock"), "")
	member := filepath.Join(root, "packages", "core")
	write(t, filepath.Join(member, "pyproject.toml"), "")
	if a, ok := Missing(t.Context(), Project{Root: member, Name: "core"}); !ok || a.Command != "uv sync" || a.Directory != root {
		t.Errorf("%+v, %v", a, ok)
	}
}

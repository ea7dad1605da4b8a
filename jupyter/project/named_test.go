package project

import (
	"os"
	"path/filepath"
	"testing"

	"easel/internal/require"
)

func TestPixi(t *testing.T) {
	h := home(t)
	root := filepath.Join(h, "proj")
	write(t, filepath.Join(root, "pixi.toml"), "")
	for _, name := range []string{"cuda", "default"} {
		conda(t, filepath.Join(root, ".pixi", "envs", name), "3.12.4")
	}
	_, told := look(t, root, Surroundings{})
	check(t, told, "proj/.pixi/envs/default pixi 3.12.4", "proj/.pixi/envs/cuda pixi 3.12.4")
}

func TestConda(t *testing.T) {
	h := home(t)
	root := filepath.Join(h, "proj")
	write(t, filepath.Join(root, "environment.yml"), "# name: wrong\nname: work   # ours\ndependencies:\n  - python\n  - name: also-wrong\n")
	if _, told := look(t, root, Surroundings{}); len(told) > 0 {
		t.Errorf("there is none yet: %q", told)
	}
	conda(t, filepath.Join(h, "miniforge3", "envs", "work"), "3.12.4")
	conda(t, filepath.Join(h, "miniforge3", "envs", "other"), "3.12.4")
	conda(t, filepath.Join(h, "disk", "work"), "3.11.9")
	_, told := look(t, root, Surroundings{})
	check(t, told, "work conda 3.12.4")
	write(t, filepath.Join(h, ".conda", "environments.txt"), filepath.Join(h, "disk", "work")+"\n"+filepath.Join(h, "gone", "work")+"\n")
	_, told = look(t, root, Surroundings{})
	check(t, told, "work conda 3.11.9", "work conda 3.12.4")
	write(t, filepath.Join(root, "environment.yml"), "name: base\nprefix: ~/disk/work\n")
	_, told = look(t, root, Surroundings{})
	check(t, told, "work conda 3.11.9")
}

// An installation of conda that only the client knows.
func TestCondaOfTheClient(t *testing.T) {
	h := home(t)
	root, base := filepath.Join(h, "proj"), filepath.Join(h, "disk", "conda 3")
	write(t, filepath.Join(root, "environment.yml"), "name: 'work'")
	conda(t, base, "3.13.1")
	write(t, filepath.Join(base, "condabin", "conda"), "")
	conda(t, filepath.Join(base, "envs", "work"), "3.12.4")
	_, told := look(t, root, Surroundings{CondaPrefix: base})
	check(t, told, "work conda 3.12.4", "conda 3 conda 3.13.1")
}

func TestYAMLValue(t *testing.T) {
	for text, want := range map[string]string{
		"name: a": "a", "name: \"a b\"": "a b", "name: 'a' # c": "a", "name:\ta\r\n": "a", "x: 1\nname: a #b\n": "a", "  name: a": "", "names: a": "", "name:": "", "name:\n  - a": "",
	} {
		if got := yamlValue(text, "name"); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestPyenv(t *testing.T) {
	h := home(t)
	root := filepath.Join(h, "proj")
	versions := filepath.Join(h, ".pyenv", "versions")
	for _, v := range []string{"3.12.1", "3.12.10", "3.12.9", "3.9.18", "3.7.16"} {
		python(t, filepath.Join(versions, v))
	}
	write(t, filepath.Join(versions, "3.12-dev", "x"), "")
	venv(t, filepath.Join(versions, "work"), "3.9.18")
	for text, want := range map[string][]string{
		"3.12":                  {"3.12.10 pyenv 3.12.10"},
		"3.12.1\n":              {"3.12.1 pyenv 3.12.1"},
		"# ours\n3.9.18 3.12.9": {"3.9.18 pyenv 3.9.18", "3.12.9 pyenv 3.12.9"},
		"work":                  {"work pyenv 3.9.18"},
		"3":                     {"3.12.10 pyenv 3.12.10"},
		"3.1":                   nil, // none is 3.1.x
		"system":                nil,
		"../../proj":            nil,
	} {
		write(t, filepath.Join(root, ".python-version"), text)
		_, told := look(t, root, Surroundings{})
		check(t, told, want...)
	}
	write(t, filepath.Join(root, ".python-version"), "3.7")
	if found, _ := look(t, root, Surroundings{}); len(found) != 1 || found[0].Works() {
		t.Errorf("too old: %+v", found)
	}
	write(t, filepath.Join(root, ".python-version"), "3.12")
	write(t, filepath.Join(root, "uv.lock"), "")
	if a, ok := Missing(t.Context(), Project{Root: root, Name: "proj"}); !ok || a.Command != "uv sync" {
		t.Errorf("pyenv's Python lacks the packages: %+v, %v", a, ok)
	}
}

// No interpreter is run to find its version, wherever it is: a file in the project may name any
// place, such as another part of what the user has downloaded.
func TestNoInterpreterRuns(t *testing.T) {
	linux(t)
	h := home(t)
	ran := filepath.Join(h, "ran")
	place := func(prefix string) {
		write(t, filepath.Join(prefix, "pyvenv.cfg"), "home = "+h)
		path := filepath.Join(prefix, "bin", "python")
		write(t, path, "#!/bin/sh\necho x >'"+ran+"'\nprintf 3.12.5")
		require.NoError(t, os.Chmod(path, 0o755))
	}
	download := filepath.Join(h, "download")
	root := filepath.Join(download, "pkg")
	place(filepath.Join(root, "venv"))
	place(filepath.Join(download, "tools"))
	place(filepath.Join(h, "active"))
	write(t, filepath.Join(root, ".hg"), "")
	write(t, filepath.Join(root, ".venv"), "../tools")
	write(t, filepath.Join(root, "poetry.lock"), "")
	write(t, filepath.Join(root, "pyproject.toml"), "[tool.poetry]\n")
	poetry := filepath.Join(h, ".local", "bin", "poetry") // some versions run the Python in .venv
	write(t, poetry, "#!/bin/sh\necho x >'"+ran+"'")
	require.NoError(t, os.Chmod(poetry, 0o755))
	_, told := look(t, root, Surroundings{VirtualEnv: filepath.Join(h, "active")})
	check(t, told, "active venv ", "tools venv ", "pkg/venv venv ")
	if exists(ran) {
		t.Error("something was run")
	}
}

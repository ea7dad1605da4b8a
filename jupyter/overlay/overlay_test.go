package overlay

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"easel/internal/require"
)

func TestNeeds(t *testing.T) {
	for _, tt := range []struct {
		name      string
		installed map[string]string
		own       bool
		needs     string
	}{
		{"nothing", nil, false, "ipykernel>=6.29"},
		{"a recent ipykernel", map[string]string{"ipykernel": "7.0.1"}, true, "ipykernel>=6.29"},
		{"an older one", map[string]string{"ipykernel": "6.4.2"}, true, "ipykernel>=6.29"},
		{"one that is too old", map[string]string{"ipykernel": "5.5.6"}, false, "ipykernel>=6.29"},
		{"an old matplotlib with matplotlib-inline", map[string]string{"matplotlib": "3.5.3", "matplotlib-inline": "0.2.1"}, false, "ipykernel>=6.29"},
		{"an old matplotlib", map[string]string{"matplotlib": "3.5.3"}, false, "ipykernel>=6.29 matplotlib-inline<0.2"},
		{"a recent matplotlib", map[string]string{"matplotlib": "3.10.0"}, false, "ipykernel>=6.29"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			py := interpreter{Installed: tt.installed}
			if got := py.hasKernel(); got != tt.own {
				t.Errorf("own ipykernel %v, want %v", got, tt.own)
			}
			if got := strings.Join(py.needs(wanted), " "); got != tt.needs {
				t.Errorf("needs %q, want %q", got, tt.needs)
			}
		})
	}
}

// TestExamineOfATalkativePython checks that what an environment prints at its start and its end,
// as a sitecustomize may, changes nothing, and that a Python that is none is refused soon.
func TestExamineOfATalkativePython(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no Python")
	}
	dir := t.TempDir()
	script := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o700))
		return path
	}
	m := &Maker{Dir: t.TempDir()}
	py, err := m.examine(t.Context(), script("talkative", "printf '{}\nhello'; "+python+" \"$@\"; echo '{\"bye\": 1}'; echo warning >&2\n"), "")
	if err != nil || py.Version[0] != 3 || py.Prefix == "" {
		t.Errorf("got %+v, %v", py, err)
	}
	for name, text := range map[string]string{"silent": "", "other": "echo usage: other", "endless": "exec yes"} {
		if py, err := m.examine(t.Context(), script(name, text), ""); err == nil || !strings.Contains(err.Error(), "it does not run (it printed ") {
			t.Errorf("%s: %+v, %v", name, py, err)
		}
	}
}

func TestKeyDependsOnWhatMatters(t *testing.T) {
	base := interpreter{Version: [3]int{3, 12, 1}, Platform: []string{"cpython", ".so"}, Installed: map[string]string{"numpy": "1.26.4"}}
	same, traitlets, newer := base, base, base
	same.path, same.Installed = "/elsewhere/python", map[string]string{"pandas": "2.2.0"}
	traitlets.Installed = map[string]string{"traitlets": "4.3.3"}
	newer.Version = [3]int{3, 13, 0}
	if same.key() != base.key() {
		t.Error("another environment of the same Python has another overlay")
	}
	if traitlets.key() == base.key() || newer.key() == base.key() {
		t.Error("what ipykernel needs, or the version of Python, does not matter")
	}
}

func TestConstraintsOmitVersionsOfNoIndex(t *testing.T) {
	py := interpreter{Installed: map[string]string{"torch": "2.1.0_cu118", "local": "1.0+g12", "typing-extensions": "4.0.0"}}
	if got, want := string(py.constraints()), "typing-extensions==4.0.0\n"; got != want {
		t.Errorf("constraints %q, want %q", got, want)
	}
}

func TestRemedyFitsTheEnvironment(t *testing.T) {
	for _, tt := range []struct {
		files, prefix string
		py            interpreter
		want          string
	}{
		{"uv.lock", ".venv", interpreter{Venv: true}, `uv add --dev ipykernel`},
		{"poetry.lock", ".venv", interpreter{Venv: true, Pip: true}, `poetry add --group dev ipykernel`},
		{"pixi.lock .pixi/envs/default/conda-meta/history", ".pixi/envs/default", interpreter{}, `pixi add ipykernel`},
		{"env/conda-meta/history", "env", interpreter{Pip: true}, `conda install --prefix ROOT/env ipykernel`},
		{"pyproject.toml", ".venv", interpreter{Venv: true, Pip: true}, `ROOT/.venv/bin/python -m pip install ipykernel`},
		{"pyproject.toml", "my env", interpreter{Venv: true}, `uv pip install --python 'ROOT/my env/bin/python' ipykernel`},
	} {
		t.Run(tt.want, func(t *testing.T) {
			root := t.TempDir()
			for name := range strings.FieldsSeq(tt.files) {
				write(t, filepath.Join(root, name), "")
			}
			tt.py.Prefix = filepath.Join(root, tt.prefix)
			tt.py.path = filepath.Join(tt.py.Prefix, "bin", "python")
			want := tt.want
			if runtime.GOOS == "windows" {
				want = strings.ReplaceAll(want, "'", `"`) // as its shells quote
			}
			if got := filepath.ToSlash(strings.ReplaceAll(tt.py.remedy(), root, "ROOT")); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

func TestRemoveUnused(t *testing.T) {
	m := &Maker{Dir: t.TempDir()}
	old, recent := filepath.Join(m.Dir, "3.8.18-old"), filepath.Join(m.Dir, "3.12.1-new")
	write(t, filepath.Join(old, "x"), "")
	write(t, filepath.Join(recent, "x"), "")
	now := time.Now()
	require.NoError(t, os.Chtimes(old, now.Add(-time.Hour), now.Add(-time.Hour)))
	require.NoError(t, m.removeUnused(now.Add(-time.Minute)))
	if exists(old) || !exists(recent) {
		t.Errorf("old is there: %v, recent is there: %v", exists(old), exists(recent))
	}
	if err := (&Maker{Dir: filepath.Join(m.Dir, "none")}).removeUnused(now); err != nil {
		t.Errorf("before the first overlay: %v", err)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
}

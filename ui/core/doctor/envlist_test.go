package doctor

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"easel/internal/require"
	"easel/jupyter/project"
	"easel/ui/core/settings"
	"easel/ui/core/state"
)

// aProject makes a project with a usable and a broken environment, and makes it the working directory.
func aProject(t *testing.T) string {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for _, name := range []string{"HOME", "USERPROFILE"} {
		t.Setenv(name, filepath.Join(home, "home"))
	}
	for _, name := range []string{"PATH", "VIRTUAL_ENV", "CONDA_PREFIX"} {
		t.Setenv(name, "")
	}
	root := filepath.Join(home, "home", "プロジェクト")
	for file, text := range map[string]string{
		"uv.lock": "", "data/x.csv": "",
		".venv/pyvenv.cfg": "version = 3.7.16", ".venv/bin/python": "", ".venv/Scripts/python.exe": "",
		"env/pyvenv.cfg": "version_info = 3.12.1\nuv = 0.9.0", "env/bin/python": "", "env/Scripts/python.exe": "",
	} {
		path := filepath.Join(root, filepath.FromSlash(file))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o755))
	}
	t.Chdir(filepath.Join(root, "data"))
	return root
}

func TestListEnvironments(t *testing.T) {
	root := aProject(t)
	var b strings.Builder
	require.NoError(t, ListEnvironments(t.Context(), &b, settings.Options{DataDir: t.TempDir()}))
	for _, want := range []string{
		"プロジェクト (" + root + ")\n",
		"✗  プロジェクト/.venv  3.7.16  venv  Python 3.7.16 is too old: Easel needs 3.8 or newer\n",
		"→  プロジェクト/env    3.12.1  uv    It is in the project's folder\n",
		"\nEasel uses プロジェクト/env: " + filepath.Join(root, "env"),
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%s\nwant %q", &b, want)
		}
	}
	require.NoError(t, os.RemoveAll(filepath.Join(root, "env")))
	b.Reset()
	require.NoError(t, ListEnvironments(t.Context(), &b, settings.Options{DataDir: t.TempDir(), Directory: ".."}))
	if want := "Easel uses its own Python.\nThe environment of uv.lock cannot be used. To make it, run in " + root + ":\n  uv sync\n"; !strings.HasSuffix(b.String(), want) {
		t.Errorf("%s\nwant %q", &b, want)
	}
}

// TestListEnvironmentsKnowsTheChoice checks that the list says what sessions get, not what they
// would get without the user's choice in the window.
func TestListEnvironmentsKnowsTheChoice(t *testing.T) {
	root := aProject(t)
	other := filepath.Join(root, "other", "bin", "python")
	for file, text := range map[string]string{"other/pyvenv.cfg": "version = 3.11.2", "other/bin/python": "", "other/Scripts/python.exe": ""} {
		path := filepath.Join(root, filepath.FromSlash(file))
		require.NoError(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o755)))
	}
	if runtime.GOOS == "windows" {
		other = filepath.Join(root, "other", "Scripts", "python.exe")
	}
	for python, want := range map[string]string{
		other:             "Easel uses プロジェクト/other, as you have chosen in the window: " + other + "\n",
		state.EaselPython: "Easel uses its own Python, as you have chosen in the window.\n",
		"/gone/python":    "Easel uses プロジェクト/env: ",
	} {
		data := t.TempDir()
		chosen := state.DefaultSettings()
		chosen.Projects = chosen.Projects.With(state.Project{Root: root, Python: python})
		require.NoError(t, settings.Save(data, chosen))
		var b strings.Builder
		require.NoError(t, ListEnvironments(t.Context(), &b, settings.Options{DataDir: data}))
		if !strings.Contains(b.String(), want) {
			t.Errorf("%s\nwant %q", &b, want)
		}
	}
}

func TestListEnvironmentsAsJSON(t *testing.T) {
	root := aProject(t)
	var b strings.Builder
	require.NoError(t, ListEnvironments(t.Context(), &b, settings.Options{DataDir: t.TempDir(), Directory: root, JSON: true}))
	var l struct {
		Project      project.Project
		Environments []struct{ Python, Why, Broken string }
		Python       string
		Advice       *struct{}
	}
	if err := json.Unmarshal([]byte(b.String()), &l); err != nil || l.Project.Root != root || len(l.Environments) != 2 || l.Python != l.Environments[1].Python || l.Advice != nil || l.Environments[1].Why == "" || l.Environments[0].Broken == "" {
		t.Errorf("%s\n%v", &b, err)
	}
}

func TestListEnvironmentsOfNoProject(t *testing.T) {
	root := aProject(t)
	for dir, want := range map[string]string{
		filepath.Dir(root): "is your home directory", "gone": "does not exist", "x.csv": "is a file", root: "belongs to Easel",
	} {
		var b strings.Builder
		err := ListEnvironments(t.Context(), &b, settings.Options{DataDir: root, Directory: dir})
		if err == nil || !strings.Contains(err.Error(), want) || b.Len() > 0 {
			t.Errorf("%s: %v; want %q", dir, err, want)
		}
	}
}

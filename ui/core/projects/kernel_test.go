package projects_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"easel/internal/require"
	"easel/jupyter/managed"
	"easel/mcphost/tool"
	"easel/ui/core/library"
)

// TestProjectsOfR checks that they have an R kernel in their folder, unless they are Python's, too.
func TestProjectsOfR(t *testing.T) {
	t.Parallel()
	w := newWorld(t, time.Hour)
	root := filepath.Join(filepath.Dir(makeProject(t)), "trees")
	for _, dir := range []string{"data", "python"} {
		require.NoError(t, os.MkdirAll(filepath.Join(root, dir), 0o700))
	}
	require.NoError(t, os.WriteFile(filepath.Join(root, "renv.lock"), nil, 0o600))
	data := in(t.Context(), filepath.Join(root, "data"))
	place, _, err := w.ForSession(data, "", "python3")
	if err != nil || place.Kernel != managed.EaselKernel || !strings.Contains(place.Hint, "no R kernel") {
		t.Fatalf("without an R kernel: %+v, %v", place, err)
	}
	w.jup.AddKernelSpec("ir", "R")
	if place, _, err = w.ForSession(data, "", "python3"); err != nil || place.Kernel != "ir" || place.Directory != "" {
		t.Errorf("with an R kernel: %+v, %v", place, err)
	}
	if place, _, err = w.ForSession(data, "", "ir"); err != nil || place.Kernel != "" || place.Directory != "" || place.Hint != "" {
		t.Errorf("if R is asked for: %+v, %v", place, err)
	}
	if place, _, err = w.ForSession(data, "", managed.EaselKernel); err != nil || place.Kernel != "" || place.Directory != "data" {
		t.Errorf("if another kernel is asked for: %+v, %v", place, err)
	}
	addEnvironment(t, root, ".venv")
	if place, _, err = w.ForSession(data, "", "python3"); err != nil || place.Kernel != "python3" || place.Directory != "data" {
		t.Errorf("with a Python environment: %+v, %v", place, err)
	}
}

// TestAnActiveEnvironmentOutsideOfTheProjectIsExplained: the client's may be another project's.
func TestAnActiveEnvironmentOutsideOfTheProjectIsExplained(t *testing.T) {
	t.Parallel()
	w := newWorld(t, time.Hour)
	root, tools := makeProject(t), t.TempDir()
	addEnvironment(t, tools, "work")
	active := filepath.Join(tools, "work")
	hint := func(virtualEnv string) string {
		t.Helper()
		ctx := tool.WithCaller(t.Context(), tool.Caller{Transport: tool.MCP, Name: "claude", Workspace: tool.Workspace{Directory: root, VirtualEnv: virtualEnv}})
		place, _, err := w.ForSession(ctx, "", "python3")
		require.NoError(t, err)
		return place.Hint
	}
	for _, want := range []string{"This is work, Python 3.12.1", "outside of " + filepath.Base(root) + ": VIRTUAL_ENV of the client", filepath.Base(root) + "/.venv, Python 3.12.1"} {
		if got := hint(active); !strings.Contains(got, want) {
			t.Errorf("%q has no %q", got, want)
		}
	}
	if got := hint(""); got != "" {
		t.Errorf("the project's own: %q", got)
	}
	require.NoError(t, os.RemoveAll(filepath.Join(root, ".venv")))
	require.NoError(t, os.WriteFile(filepath.Join(root, "uv.lock"), nil, 0o600))
	if got := hint(active); !strings.Contains(got, "VIRTUAL_ENV of the client") || !strings.Contains(got, `"uv sync"`) {
		t.Errorf("without one of its own: %q", got)
	}
}

// TestAnEnvironmentMadeSinceIsTold: a restart keeps Easel's own Python.
func TestAnEnvironmentMadeSinceIsTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t, time.Hour)
	root := makeProject(t)
	s := library.Session{KernelName: managed.EaselKernel, Project: root, Directory: root, CreatedAt: time.Now().Add(-time.Minute)}
	if got := w.MadeSince(t.Context(), s); !strings.Contains(got, filepath.Base(root)+"/.venv, Python 3.12.1") || !strings.Contains(got, "session_create with directory=") {
		t.Errorf("got %q", got)
	}
	later, python, without := s, s, s
	later.CreatedAt = time.Now().Add(time.Minute) // Easel's own was chosen
	python.KernelName = "python3"
	without.Project = ""
	for what, s := range map[string]library.Session{"it was there": later, "it uses it": python, "no project": without} {
		if got := w.MadeSince(t.Context(), s); got != "" {
			t.Errorf("%s: %q", what, got)
		}
	}
}

// ReadEnvFile is as that of a server on this machine.
func (h *host) ReadEnvFile(read bool) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.env = read
	return nil
}

// TestEnvFiles checks that a server reads its project's .env file only while the user wants that.
func TestEnvFiles(t *testing.T) {
	t.Parallel()
	w := newWorld(t, time.Hour)
	root := makeProject(t)
	for _, kind := range []string{"nothing", "an environment", "a file"} {
		switch file := filepath.Join(root, ".env"); kind {
		case "an environment":
			require.NoError(t, os.Mkdir(file, 0o700))
		case "a file":
			require.NoError(t, os.Remove(file))
			require.NoError(t, os.WriteFile(file, []byte("KEY=1\n"), 0o600))
		}
		if got := w.Pythons(t.Context(), root); got.EnvFile != (kind == "a file") || len(got.Found) != 1 {
			t.Errorf("with %s: %+v", kind, got)
		}
	}
	require.NoError(t, w.ReadEnvFile(root, true))
	if _, _, err := w.ForSession(in(t.Context(), root), "", "python3"); err != nil {
		t.Fatal(err)
	}
	reads := func() bool {
		h := w.hosts[root]
		h.mu.Lock()
		defer h.mu.Unlock()
		return h.env
	}
	if _, stored := w.store.Snapshot().Settings.EnvFiles.Find(root); !stored || !reads() {
		t.Errorf("turned on: stored %v, read %v", stored, reads())
	}
	if err := w.ReadEnvFile(root, false); err != nil || reads() {
		t.Errorf("turned off: read %v, %v", reads(), err)
	}
	if _, stored := w.store.Snapshot().Settings.EnvFiles.Find(root); stored {
		t.Error("turned off, it is stored")
	}
}

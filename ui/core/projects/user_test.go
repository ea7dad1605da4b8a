package projects_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"easel/internal/require"
	"easel/mcphost/catalog"
	"easel/ui/core/command"
	"easel/ui/core/state"
)

// shows waits until the state has open projects that pass a test.
func (w *world) shows(t *testing.T, test func([]command.Project) bool) {
	t.Helper()
	changes := make(chan struct{}, 1)
	defer w.store.OnChange(func() {
		select {
		case changes <- struct{}{}:
		default:
		}
	})()
	for !test(w.store.Snapshot().Projects) {
		select {
		case <-changes:
		case <-time.After(2 * time.Minute):
			t.Fatalf("the open projects are %+v", w.store.Snapshot().Projects)
		}
	}
}

// TestTheUserOpensAProject checks that the user's choice of a folder is the permission, and what
// the window shows of a project while its server runs.
func TestTheUserOpensAProject(t *testing.T) {
	t.Parallel()
	w := newWorld(t, time.Hour)
	root := makeProject(t)
	for i, file := range []string{"old.ipynb", "part/new.ipynb", ".venv/lib/x.ipynb", ".ipynb_checkpoints/old.ipynb"} {
		path := filepath.Join(root, filepath.FromSlash(file))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, nil, 0o600))
		if at := time.Unix(int64(1_700_000_000+i), 0); os.Chtimes(path, at, at) != nil {
			t.Fatal("its time was not set")
		}
	}
	out, err := w.Open(t.Context(), filepath.Join(root, "part"))
	if err != nil || out.Refused != (catalog.Reason{}) || out.Project.Root != root || out.Project.Server != "" || out.Project.Python.Label != "sales/.venv, Python 3.12.1" {
		t.Errorf("%+v, %v", out, err)
	}
	if !w.Allows(root) || len(w.store.Snapshot().Projects) != 0 {
		t.Errorf("allowed: %v, open: %v", w.Allows(root), w.store.Snapshot().Projects)
	}
	if place, _, err := w.ForSession(in(t.Context(), root), "", "python3"); err != nil || place.Server != "sales" {
		t.Fatalf("%+v, %v", place, err)
	}
	want := []string{"part/new.ipynb", "old.ipynb"}
	w.shows(t, func(ps []command.Project) bool {
		return len(ps) == 1 && ps[0].Root == root && ps[0].Server == "sales" && slices.Equal(ps[0].Notebooks, want) && ps[0].Python.Why.Kind == "inside"
	})
	if got := w.Root("sales"); got != root || w.Root("managed") != "" {
		t.Errorf("the server's root is %q", got)
	}
	other := addEnvironment(t, root, "other")
	w.Choose(t.Context(), root, other)
	w.shows(t, func(ps []command.Project) bool { return len(ps) == 1 && ps[0].Python.Python == other })
	if spec := w.hosts[root].specs["python3"]; len(spec.Argv) == 0 || spec.Argv[0] != other {
		t.Errorf("its notebooks start %+v", spec)
	}
	w.Choose(t.Context(), root, state.EaselPython)
	w.shows(t, func(ps []command.Project) bool { return len(ps) == 1 && ps[0].Python.Python == "" })
	if n := w.questions(); n != 0 {
		t.Errorf("asked %d times", n)
	}
}

// TestWhatTheUserCannotOpen checks what is no project, and what is said of an environment that
// cannot be used or does not exist.
func TestWhatTheUserCannotOpen(t *testing.T) {
	w := newWorld(t, time.Hour)
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	for dir, kind := range map[string]string{home: "home", filepath.Join(home, "gone"): "missing"} {
		out, err := w.Open(t.Context(), dir)
		if err != nil || out.Refused.Kind != kind || out.Refused.Text == "" || w.Allows(dir) {
			t.Errorf("%s: %+v, %v", dir, out, err)
		}
	}
	root := filepath.Join(home, "bare")
	require.NoError(t, os.MkdirAll(root, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(root, "uv.lock"), nil, 0o600))
	out, err := w.Open(t.Context(), root)
	if err != nil || out.Project.Missing.Kind != "not_made" || out.Project.Command != "uv sync" || out.Project.Python.Python != "" {
		t.Errorf("without an environment: %+v, %v", out, err)
	}
	require.NoError(t, os.Remove(addEnvironment(t, root, ".venv")))
	if out, err = w.Open(t.Context(), root); err != nil || out.Project.Missing.Kind != "made_bad" || out.Project.Unusable.Broken.Kind != "no_python" {
		t.Errorf("with a broken one: %+v, %v", out, err)
	}
	w.Choose(t.Context(), root, state.EaselPython)
	if out, err = w.Open(t.Context(), root); err != nil || out.Project.Missing.Kind != "" {
		t.Errorf("with Easel's own: %+v, %v", out, err)
	}
}

package projects_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"easel/internal/require"
	"easel/internal/system"
	"easel/ui/core/state"
)

// TestACallerWhoseFolderCannotBeUsed is told so, once.
func TestACallerWhoseFolderCannotBeUsed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, time.Hour)
	root := makeProject(t)
	gone := filepath.Join(t.TempDir(), "gone")
	require.NoError(t, os.Mkdir(gone, 0o700))
	require.NoError(t, os.Remove(gone))
	astray := func(dir, why, remedy string) {
		t.Helper()
		if got, what := w.Astray(in(t.Context(), dir)); !strings.Contains(got, why) || why == "" && got != "" || !strings.Contains(what, remedy) {
			t.Errorf("%q: %q, %q", dir, got, what)
		}
	}
	astray("", "", "")
	astray(string(filepath.Separator), "", "") // where programs are started, and nobody's project
	astray(gone, gone+" is not there any more", "session_create")
	astray(root, "has not allowed your project "+root, "session_create with directory=")
	w.store.Update(func(s *state.Snapshot) { s.Window = state.WindowNone })
	astray(root, "has not allowed your project "+root, "--project "+root)
	if any := w.HowToAllow(t.Context(), ""); !strings.Contains(any, "--project") || strings.Contains(any, "Easel asks") {
		t.Errorf("nobody can be asked: %q", any)
	}
	ctx := in(t.Context(), root)
	if told := w.TellAstray(ctx); !strings.Contains(told, "Easel's own folder") || !strings.Contains(told, root) {
		t.Errorf("told %q", told)
	}
	w.store.Update(func(s *state.Snapshot) { s.Settings.Projects = s.Settings.Projects.With(state.Project{Root: root}) })
	astray(root, "", "")
}

// TestFormsOfADirectory checks that a project may be given as a file URL and relative to where the client was started,
// and that the folder of Git's own files is none.
func TestFormsOfADirectory(t *testing.T) {
	t.Parallel()
	w := newWorld(t, time.Hour)
	root := makeProject(t)
	require.NoError(t, os.MkdirAll(filepath.Join(root, ".git", "hooks"), 0o700))
	require.NoError(t, os.Mkdir(filepath.Join(root, "data"), 0o700))
	for directory, at := range map[string]string{system.FileURL(root).String(): "", ".": "data", "..": "", "../data": "data"} {
		place, _, err := w.ForSession(in(t.Context(), filepath.Join(root, "data")), directory, "python3")
		if err != nil || place == nil || place.Root != root || place.Directory != at {
			t.Errorf("%s: %+v, %v", directory, place, err)
		}
	}
	for _, directory := range []string{filepath.Join(root, ".git"), filepath.Join(root, ".git", "hooks"), "../.git"} {
		_, _, err := w.ForSession(in(t.Context(), filepath.Join(root, "data")), directory, "python3")
		if err == nil || !strings.Contains(err.Error(), ".git") {
			t.Errorf("%s: %v", directory, err)
		}
	}
}

package projects_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"easel/internal/require"
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
	ctx := in(t.Context(), root)
	if told := w.TellAstray(ctx); !strings.Contains(told, "Easel's own folder") || !strings.Contains(told, root) {
		t.Errorf("told %q", told)
	}
	w.store.Update(func(s *state.Snapshot) { s.Settings.Projects = s.Settings.Projects.With(state.Project{Root: root}) })
	astray(root, "", "")
}

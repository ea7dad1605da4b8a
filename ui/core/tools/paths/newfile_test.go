package paths_test

import (
	"os"
	"path/filepath"
	"testing"

	"easel/internal/require"
	"easel/ui/core/tools/paths"
)

// A plot that is drawn again is written where the caller works.
func TestWhereANewFileIs(t *testing.T) {
	t.Parallel()
	root, work := t.TempDir(), t.TempDir()
	sub := filepath.Join(root, "sub")
	require.NoError(t, os.MkdirAll(filepath.Join(root, "plots"), 0o700))
	require.NoError(t, os.MkdirAll(filepath.Join(sub, "own"), 0o700))
	for _, c := range []struct {
		works    works
		path, in string
	}{
		{works{root: root, directory: sub}, "", sub},
		{works{root: root, directory: sub}, "a.png", filepath.Join(sub, "a.png")},
		{works{root: root, directory: sub}, "own/a.png", filepath.Join(sub, "own", "a.png")},
		{works{root: root, directory: sub}, "plots/a.png", filepath.Join(root, "plots", "a.png")},
		{works{root: root, directory: sub}, "../a.png", filepath.Join(root, "a.png")},
		{works{}, "", work},
		{works{}, "a.png", filepath.Join(work, "a.png")},
		{works{root: "ssh://gpu/sales", directory: "ssh://gpu/sales"}, "a.png", filepath.Join(work, "a.png")},
	} {
		f := &paths.Finder{RootDir: work, Projects: c.works}
		if got := f.NewFile(t.Context(), c.path); got != c.in {
			t.Errorf("%q in %q: %s, want %s", c.path, c.works.directory, got, c.in)
		}
	}
	if got := (&paths.Finder{RootDir: work}).NewFile(t.Context(), "a.png"); got != filepath.Join(work, "a.png") {
		t.Errorf("without projects: %s", got)
	}
}

package managed

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"easel/internal/require"
)

func TestInstallDirsFindsTheNewestPythonFirst(t *testing.T) {
	mine, all := t.TempDir(), t.TempDir()
	t.Setenv("LOCALAPPDATA", mine)
	t.Setenv("PROGRAMFILES", all)
	old, newest := filepath.Join(mine, "Programs", "Python", "Python39"), filepath.Join(mine, "Programs", "Python", "Python313")
	between := filepath.Join(all, "Python312")
	for _, dir := range []string{old, newest, between, filepath.Join(all, "Easel")} {
		require.NoError(t, os.MkdirAll(dir, 0o700))
	}
	if got, want := installDirs(), []string{newest, between, old}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

//go:build unix

package instance

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"easel/internal/require"
)

// TestADataDirectoryThatOthersCanOpen checks that Easel's own is closed to them, and that one
// which is shared on purpose is refused and left alone.
func TestADataDirectoryThatOthersCanOpen(t *testing.T) {
	for name, c := range map[string]struct {
		mode  os.FileMode
		files []string
		ours  bool
	}{
		"new":                        {0o755, nil, true},
		"used by Easel":              {0o777, []string{"easel.lock", "library"}, true},
		"with settings":              {0o750, []string{"settings.json"}, true},
		"with files of others":       {0o755, []string{"thesis.tex"}, false},
		"for temporary files":        {0o777 | os.ModeSticky, nil, false},
		"Easel's, but for everybody": {0o777 | os.ModeSticky, []string{"token"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "data")
			require.NoError(t, os.Mkdir(dir, 0o700))
			for _, f := range c.files {
				require.NoError(t, os.WriteFile(filepath.Join(dir, f), nil, 0o600))
			}
			require.NoError(t, os.Chmod(dir, c.mode))
			i, err := Lock(t.Context(), dir)
			info, statErr := os.Stat(dir)
			require.NoError(t, statErr)
			if !c.ours {
				if err == nil || !strings.Contains(err.Error(), "other users") || !strings.Contains(err.Error(), "--data-dir") {
					t.Errorf("got %v", err)
				}
				if info.Mode().Perm() != c.mode.Perm() {
					t.Errorf("its mode is now %v", info.Mode())
				}
				return
			}
			require.NoError(t, err)
			if i.Opened != c.mode.Perm() || info.Mode().Perm() != 0o700 {
				t.Errorf("it reports %v, and the mode is %v", i.Opened, info.Mode())
			}
			if err := i.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

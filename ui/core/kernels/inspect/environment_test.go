package inspect

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"easel/internal/require"
)

// TestHostileEnvironment lets environment.py describe processes and directories that are made to
// mislead it: it answers soon, calls none of their code, and says nothing that is not so.
func TestHostileEnvironment(t *testing.T) {
	python := os.Getenv("EASEL_TEST_PYTHON")
	if python == "" {
		t.Skip("EASEL_TEST_PYTHON is not set (make test sets it)")
	}
	attacks, err := filepath.Abs("testdata/attacks.py")
	require.NoError(t, err)
	for _, name := range []string{
		"spec", "deleted", "null", "surrogate", "many", "pipe", "pipe_as_head", "unreadable", "large_lock", "head", "ref", "packed", "executable", "key", "overlay",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := exec.CommandContext(t.Context(), python, "-I", attacks, name)
			c.Dir, c.Stdin = t.TempDir(), strings.NewReader(environmentSource)
			if out, err := c.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
}

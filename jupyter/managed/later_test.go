package managed

import (
	"bufio"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"easel/internal/require"
)

// importing is a Python that imports what is still being installed in d.
func importing(t *testing.T, d layout, code string) *exec.Cmd {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip(err)
	}
	text, err := pythonFiles.ReadFile("python/easel_later.py")
	require.NoError(t, errors.Join(err, os.MkdirAll(d.env, 0o700), d.writeLater(true)))
	write(t, filepath.Join(d.env, "easel_later.py"), string(text))
	write(t, filepath.Join(d.env, "pyvenv.cfg"), "")
	cmd := exec.CommandContext(t.Context(), python, "-c", "import easel_later as e\ne.install()\n"+code)
	cmd.Dir, cmd.Env = t.TempDir(), append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1", "PYTHONPATH="+d.env)
	return cmd
}

// TestAnImportDoesNotWaitForAFailedInstallation covers a disk that is full, or a network that
// is gone, after the first plot.
func TestAnImportDoesNotWaitForAFailedInstallation(t *testing.T) {
	d := newLayout(t.TempDir())
	cmd := importing(t, d, "import scipy\nprint('imported', scipy.__name__, flush=True)\nimport vl_convert")
	write(t, filepath.Join(d.env, "scipy.py"), "") // was installed before
	write(t, d.failureFile(), "the disk is full: 2 MB are free")
	said, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(said), "imported scipy") ||
		!strings.Contains(string(said), "vl_convert could not be installed yet: the disk is full: 2 MB are free. Easel's window") {
		t.Errorf("%v: %s", err, said)
	}
	require.NoError(t, d.writeLater(true))
	if _, err := os.Stat(d.failureFile()); err == nil {
		t.Error("the reason is still there when it is tried again")
	}
}

// TestAnImportWaitsForWhatIsHalfInstalled: the folder of a package is there before its files.
func TestAnImportWaitsForWhatIsHalfInstalled(t *testing.T) {
	d := newLayout(t.TempDir())
	cmd := importing(t, d, "import scipy, pandas\nprint(scipy.own, pandas.__version__)")
	write(t, filepath.Join(cmd.Dir, "scipy.py"), "own = 'mine'") // the user's module does not wait
	half := filepath.Join(d.env, "pandas", "core")
	require.NoError(t, os.MkdirAll(half, 0o700))
	stderr, err := cmd.StderrPipe()
	require.NoError(t, err)
	var out strings.Builder
	cmd.Stdout = &out
	require.NoError(t, cmd.Start())
	lines := bufio.NewReader(stderr)
	if line, _ := lines.ReadString('\n'); !strings.HasPrefix(line, "pandas is still being installed") {
		t.Errorf("got %q", line)
	}
	write(t, filepath.Join(half, "__init__.py"), "version = '2.9'")
	write(t, filepath.Join(d.env, "pandas", "__init__.py"), "from pandas.core import version as __version__")
	require.NoError(t, d.writeLater(false))
	said, _ := io.ReadAll(lines)
	if err := cmd.Wait(); err != nil || out.String() != "mine 2.9\n" {
		t.Errorf("%v: %s, %s", err, &out, said)
	}
}

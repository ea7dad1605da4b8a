package managed

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"easel/internal/require"
	"easel/internal/system"
)

// hanging is a uv that starts a child, waits for it, and reports the child's id.
const hanging = `case "$1" in --version) echo "uv 0.9.9";; venv) ;; *) sleep 600 & echo "Resolved 5 packages in 1ms"; echo $! > "$HOME/child"; wait;; esac`

func childOf(t *testing.T) int {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(os.Getenv("HOME"), "child"))
	require.NoError(t, err)
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	require.NoError(t, err)
	return pid
}

func TestCancelEndsTheInstaller(t *testing.T) {
	ends := map[string]func(j *Jupyter, cancel context.CancelFunc) error{
		"by the context": func(_ *Jupyter, cancel context.CancelFunc) error { cancel(); return nil },
		"by Stop":        func(j *Jupyter, _ context.CancelFunc) error { return j.Stop(context.Background()) },
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			j, rec := fakeJupyter(t, map[string]string{"python3": says("3,11,2", whole), "uv": hanging})
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			failed := make(chan error, 1)
			go func() { _, err := j.Start(ctx); failed <- err }()
			waitFor(t, "the installer", func() bool {
				text, err := os.ReadFile(filepath.Join(os.Getenv("HOME"), "child"))
				return err == nil && strings.HasSuffix(string(text), "\n") && j.Status().Step == Fetching
			})
			child := childOf(t)
			if err := end(j, cancel); err != nil {
				t.Error(err)
			}
			if err := <-failed; !errors.Is(err, context.Canceled) {
				t.Errorf("Start: %v, want context.Canceled", err)
			}
			waitFor(t, "the end of the installer's child", pidGone(child))
			if st := j.Status(); st.Phase != Stopped || rec.count(Failed) != 0 {
				t.Errorf("status %+v, want stopped and never failed", st)
			}
		})
	}
}

// TestLeftInstallerIsEnded covers an Easel that is killed while installing, which leaves
// pip or uv running.
func TestLeftInstallerIsEnded(t *testing.T) {
	file := filepath.Join(t.TempDir(), "install.json")
	left := idle(t)
	system.OwnSession(left)
	require.NoError(t, left.Start())
	reaped := make(chan struct{})
	go func() { _ = left.Wait(); close(reaped) }()
	writeInstaller(file, left.Process.Pid)
	endInstaller(t.Context(), file)
	select {
	case <-reaped:
	case <-time.After(patience):
		_ = left.Process.Kill()
		t.Error("it is still running")
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("its file is still there")
	}

	t.Run("but not another program with its id", func(t *testing.T) {
		text := `{"pid": ` + strconv.Itoa(os.Getpid()) + `, "started": "long ago"}`
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		endInstaller(t.Context(), file) // otherwise this test ends here
	})
}

// idle returns a process that does nothing until it is killed.
func idle(t *testing.T) *exec.Cmd {
	t.Helper()
	c := exec.CommandContext(context.Background(), self(t))
	c.Env = append(os.Environ(), "EASEL_TEST_IDLE=1")
	in, err := c.StdinPipe()
	require.NoError(t, err)
	t.Cleanup(func() { _ = in.Close() })
	return c
}

func self(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	require.NoError(t, err)
	return path
}

//go:build !windows

package projects_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"easel/internal/require"
	"easel/jupyter/sandbox"
	"easel/ui/core/command"
	"easel/ui/core/projects"
)

// policy returns what the server of a project was told.
func (w *world) policy(root string) *sandbox.Policy {
	w.mu.Lock()
	h := w.hosts[root]
	w.mu.Unlock()
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.policy
}

func available(sandbox.Policy) (sandbox.Backend, error) { return sandbox.Landlock, nil }

func TestTheSandboxOfAProject(t *testing.T) {
	w := newWorld(t, time.Hour, func(c *projects.Config) { c.Available = available })
	root := makeProject(t)
	below := filepath.Join(root, "sub") // a kernel could have made it
	addEnvironment(t, below, ".venv")
	require.NoError(t, os.WriteFile(filepath.Join(below, "pyproject.toml"), nil, 0o600))
	start := func(dir string) {
		t.Helper()
		_, _, err := w.ForSession(t.Context(), dir, "python3")
		require.NoError(t, err)
	}
	start(root)
	if w.policy(root) != nil || *w.confined.Load() != "" {
		t.Error("there is a sandbox without a setting")
	}
	out, err := w.SetSandbox(command.SandboxIn{Root: root, On: true, Network: true, Read: []string{"/data"}})
	require.NoError(t, err)
	want := &sandbox.Policy{Network: true, Read: []string{"/data"}}
	if diff := cmp.Diff(want, w.policy(root)); diff != "" || out.Unavailable != "" {
		t.Errorf("%+v; the open project (-want +got):\n%s", out, diff)
	}
	start(below)
	if diff := cmp.Diff(want, w.policy(below)); diff != "" || *w.confined.Load() != below {
		t.Errorf("confined %q; a project within it (-want +got):\n%s", *w.confined.Load(), diff)
	}
	_, err = w.SetSandbox(command.SandboxIn{Root: root})
	require.NoError(t, err)
	if w.policy(root) != nil || w.policy(below) != nil {
		t.Error("it stays on")
	}
}

func TestWithoutASandboxNothingStarts(t *testing.T) {
	w := newWorld(t, time.Hour, func(c *projects.Config) {
		c.Available = func(sandbox.Policy) (sandbox.Backend, error) {
			return "", &sandbox.UnavailableError{Why: "Landlock is missing", Remedy: "Install bubblewrap."}
		}
	})
	root := makeProject(t)
	out, err := w.SetSandbox(command.SandboxIn{Root: root, On: true})
	require.NoError(t, err)
	if out.Unavailable != "Landlock is missing" {
		t.Errorf("%+v", out)
	}
	_, _, err = w.ForSession(t.Context(), root, "python3")
	e, ok := errors.AsType[*projects.Error](err)
	if !ok || e.Problem != projects.NoSandbox || !strings.Contains(e.Detail, "none starts without one: Landlock is missing") || e.Remedy != "Install bubblewrap." {
		t.Errorf("%#v", err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.hosts) > 0 {
		t.Error("a server was made")
	}
}

func TestTheSandboxOfTheCommandLine(t *testing.T) {
	w := newWorld(t, time.Hour, func(c *projects.Config) { c.Available, c.Sandbox = available, true })
	require.NoError(t, os.WriteFile(filepath.Join(w.listed, "pyproject.toml"), nil, 0o600))
	place, _, err := w.ForSession(t.Context(), w.listed, "python3")
	require.NoError(t, err)
	if w.policy(place.Root) == nil {
		t.Error("there is none")
	}
}

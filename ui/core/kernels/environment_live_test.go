package kernels_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"easel/internal/require"
	"easel/mcphost/catalog"
	"easel/ui/core/kernels"
	"easel/ui/core/kernels/inspect"
	"easel/ui/core/kernels/servers"
)

// drawNothing displays a picture without matplotlib.
const drawNothing = `from IPython.display import Image, display; import base64
display(Image(data=base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")))`

// TestLiveAPlotsEnvironmentIsRecorded draws in a directory, then in a repository with a lock file
// and a changed file.
func TestLiveAPlotsEnvironmentIsRecorded(t *testing.T) {
	base := newFixture(t)
	d := openFixtureOf(t, base.client, 1, func(m *kernels.Manager) {
		m.Servers.Add("own", true)
		m.Servers.Set(base.client, catalog.ServerHealth{Name: "own", State: servers.StateReady})
		m.Servers.Prefer("own")
	})
	s := d.session()
	dir := t.TempDir()
	environment := func(code string) catalog.Environment {
		t.Helper()
		x := d.run(s, code)
		if len(x.Images) != 1 {
			t.Fatalf("%d pictures: %s %+v", len(x.Images), x.Stderr, x.Error)
		}
		d.AwaitEnvironment(d.context(), s.ID, x.ExecutionID)
		stored, err := d.lib.Executions.Get(d.context(), x.ExecutionID)
		require.NoError(t, err)
		env, err := d.lib.Executions.Environment(d.context(), stored)
		require.NoError(t, err)
		return env
	}
	names := d.run(s, "import os, traitlets; os.chdir("+inspect.Quote(dir)+"); had = None; had = (set(dir()), len(In))").Status
	if names != catalog.StatusOK {
		t.Fatal(names)
	}
	env := environment(drawNothing)
	find := func(name string) catalog.Package {
		i := slices.IndexFunc(env.Packages, func(p catalog.Package) bool { return p.Name == name })
		if i < 0 {
			t.Fatalf("%s is not in %+v", name, env.Packages)
		}
		return env.Packages[i]
	}
	if p := find("traitlets"); p.Version == "" || !p.Used {
		t.Errorf("got %+v", p)
	}
	find("pyzmq") // its module is zmq
	if p := find("ipykernel"); p.Version == "" || p.Used {
		t.Errorf("got %+v", p)
	}
	if env.Language != "Python" || env.Version == "" || env.Executable == "" || env.Directory != dir || env.Commit != "" || env.Dirty != nil || env.LockFile != "" {
		t.Errorf("got %+v", env)
	}
	if got := d.run(s, "sorted(set(dir()) - had[0] - {'Image', 'display', 'base64'}) and [n for n in sorted(set(dir()) - had[0]) if n not in ('Image', 'display', 'base64') and n[0] != '_'], len(In) - had[1]"); got.Text != "([], 2)" {
		t.Errorf("left behind: %s", got.Text)
	}

	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git")
	}
	lock := filepath.Join(dir, "uv.lock")
	require.NoError(t, os.WriteFile(lock, []byte("version = 1\n"), 0o600))
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-qm", "first"}} {
		if out, err := exec.CommandContext(t.Context(), "git", append([]string{"-C", dir}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	clean := environment(drawNothing)
	if len(clean.Commit) != 40 || clean.Dirty == nil || *clean.Dirty || clean.LockFile != lock || len(clean.LockHash) != 64 {
		t.Errorf("got %+v", clean)
	}
	require.NoError(t, os.WriteFile(lock, []byte("version = 2\n"), 0o600))
	changed := environment(drawNothing)
	for !*changed.Dirty { // on a slow disk, git is not asked for each plot
		changed = environment(drawNothing)
	}
	if changed.Commit != clean.Commit || changed.LockHash == clean.LockHash {
		t.Errorf("got %+v", changed)
	}
}

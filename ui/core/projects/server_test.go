package projects_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"easel/internal/require"
	"easel/jupyter"
	"easel/jupyter/managed"
	"easel/mcphost/catalog"
	"easel/ui/core/kernels/servers"
	"easel/ui/core/oversight"
	"easel/ui/core/projects"
	"easel/ui/core/state"
)

// TestAServerThatFailedIsStartedAnew checks that the next call starts another server for a project
// whose server has been given up.
func TestAServerThatFailedIsStartedAnew(t *testing.T) {
	t.Parallel()
	w := newWorld(t, time.Hour)
	root := makeProject(t)
	if _, _, err := w.ForSession(in(t.Context(), root), "", "python3"); err != nil {
		t.Fatal(err)
	}
	first := w.hosts[root]
	first.set(false)
	first.report(managed.Status{Phase: managed.Failed, Err: errors.New("it ended six times")})
	<-w.removed
	if place, _, err := w.ForSession(in(t.Context(), root), "", "python3"); err != nil || place.Server != "sales" || w.hosts[root] == first {
		t.Errorf("%+v, %v", place, err)
	}
}

// TestAFolderWithinTheWorkingFolder checks that a session starts in it only if the caller names it.
func TestAFolderWithinTheWorkingFolder(t *testing.T) {
	t.Parallel()
	w := newWorld(t, time.Hour)
	sub := filepath.Join(w.work, "2026", "sales")
	require.NoError(t, os.MkdirAll(sub, 0o700))
	place, _, err := w.ForSession(in(t.Context(), "/"), sub, "python3")
	if err != nil || place == nil || place.Server != catalog.ManagedServer || place.Directory != "2026/sales" || place.Kernel != "" {
		t.Errorf("%+v, %v", place, err)
	}
	for _, c := range []struct{ client, asked string }{{"/", w.work}, {sub, ""}} {
		if place, _, err := w.ForSession(in(t.Context(), c.client), c.asked, "python3"); err != nil || place != nil {
			t.Errorf("%+v: %+v, %v", c, place, err)
		}
	}
	_, _, err = w.ForSession(in(t.Context(), "/"), filepath.Join(w.work, "nowhere"), "python3")
	if e, ok := errors.AsType[*projects.Error](err); !ok || e.Problem != projects.Invalid {
		t.Errorf("got %v", err)
	}
}

// TestAKernelIsRenewed checks that a restart uses the environment as it is now: with another
// version, the one that the user has chosen since, or none, which is an error.
func TestAKernelIsRenewed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, time.Hour)
	root := makeProject(t)
	if _, _, err := w.ForSession(in(t.Context(), root), "", "python3"); err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(root, ".venv", "pyvenv.cfg")
	require.NoError(t, os.WriteFile(config, []byte("home = "+root+"\nversion = 3.13.0\n"), 0o600))
	if got, err := w.Renew(t.Context(), "sales", "python3"); err != nil || !strings.HasPrefix(got, "sales/.venv, Python 3.13.0") {
		t.Errorf("made again: %q, %v", got, err)
	}
	other := addEnvironment(t, root, "other")
	w.store.Update(func(s *state.Snapshot) {
		s.Settings.Projects = s.Settings.Projects.With(state.Project{Root: root, Python: other})
	})
	if got, err := w.Renew(t.Context(), "sales", "python3"); err != nil || !strings.HasPrefix(got, "sales/other, ") || w.hosts[root].specs["python3"].Argv[0] != other {
		t.Errorf("another one: %q, %v", got, err)
	}
	w.broken.Store(true)
	_, err := w.Renew(t.Context(), "sales", "python3")
	if e, ok := errors.AsType[*projects.Error](err); !ok || e.Problem != projects.NoKernel || e.Remedy == "" {
		t.Errorf("broken: %v", err)
	}
	if got, err := w.Renew(t.Context(), "managed", "python3"); got != "" || err != nil {
		t.Errorf("of no project: %q, %v", got, err)
	}
}

// TestAFolderThatBecomesALink checks that the permission for a folder does not move with what the
// folder becomes, whether it came from the command line or the user.
func TestAFolderThatBecomesALink(t *testing.T) {
	t.Parallel()
	w := newWorld(t, time.Hour)
	secret, byUser := makeProject(t), makeProject(t)
	if _, _, err := w.ForSession(in(t.Context(), byUser), "", "python3"); err != nil {
		t.Fatal(err)
	}
	if !w.Allows(w.listed) || !w.Allows(filepath.Join(w.listed, "in it")) || !w.Allows(byUser) || w.Allows(secret) {
		t.Fatal("the folders are not allowed")
	}
	w.answer = &oversight.DeniedError{}
	for _, folder := range []string{w.listed, byUser} {
		require.NoError(t, os.Rename(folder, folder+" moved"))
		require.Link(t, secret, folder)
		_, _, err := w.ForSession(in(t.Context(), "/"), folder, "python3")
		if e, ok := errors.AsType[*projects.Error](err); !ok || e.Problem != projects.NotAllowed {
			t.Errorf("%s: %v", folder, err)
		}
		if server, err := w.At(t.Context(), filepath.Join(folder, "pyproject.toml")); server != "" || err != nil {
			t.Errorf("a file is on %q, %v", server, err)
		}
	}
}

// TestAServerThatDoesNotStart checks that the caller is told why, and that the next call tries again.
func TestAServerThatDoesNotStart(t *testing.T) {
	t.Parallel()
	w := newWorld(t, time.Hour)
	root := makeProject(t)
	w.unable.Store(true)
	_, _, err := w.ForSession(in(t.Context(), root), "", "python3")
	if e, ok := errors.AsType[*servers.NotReadyError](err); !ok || e.Health.Name != "sales" {
		t.Errorf("got %v", err)
	}
	w.unable.Store(false)
	if place, _, err := w.ForSession(in(t.Context(), root), "", "python3"); err != nil || place.Server != "sales" {
		t.Errorf("%+v, %v", place, err)
	}
}

// TestAServerKeepsItsName checks that two projects of one name do not change theirs when their
// servers have rested: what was recorded on a server is known by its name.
func TestAServerKeepsItsName(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 50*time.Millisecond)
	one, two := makeProject(t), makeProject(t)
	open := func(root, want string) {
		t.Helper()
		if place, _, err := w.ForSession(in(t.Context(), root), "", "python3"); err != nil || place.Server != want {
			t.Fatalf("%+v, %v; want %s", place, err, want)
		}
	}
	open(one, "sales")
	open(two, "sales-2")
	for range 2 {
		<-w.removed
	}
	open(two, "sales-2")
	if err := w.Ensure(t.Context(), "sales"); err != nil || w.Root("sales") != one {
		t.Errorf("sales is %s, %v; want %s", w.Root("sales"), err, one)
	}
}

// TestAnUnusedServerEnds checks that the server of a project ends without kernels and terminals,
// not with one, and starts again when it is needed.
func TestAnUnusedServerEnds(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 50*time.Millisecond)
	kernel := w.jup.AddKernel("python3")
	w.terminal.Store(true)
	root := makeProject(t)
	open := func() {
		t.Helper()
		if place, _, err := w.ForSession(in(t.Context(), root), "", "python3"); err != nil || place.Server != "sales" {
			t.Fatalf("%+v, %v", place, err)
		}
	}
	open()
	first := w.hosts[root]
	for range 20 { // it has looked for kernels many times
		<-w.looked
	}
	if first.Server() == nil {
		t.Fatal("it ended with a kernel")
	}
	client, err := jupyter.New(w.jup.URL, w.jup.Token)
	if err == nil {
		err = client.DeleteKernel(t.Context(), kernel.ID)
	}
	require.NoError(t, err)
	for range 20 {
		<-w.looked
	}
	if first.Server() == nil {
		t.Fatal("it ended with a terminal")
	}
	w.terminal.Store(false)
	for name := range w.removed {
		if name == "sales" {
			break
		}
	}
	if first.Server() != nil {
		t.Fatal("it is not listed and runs")
	}
	require.NoError(t, errors.Join(w.Ensure(t.Context(), "nothing"), w.Ensure(t.Context(), "sales")))
	if w.hosts[root] == first || w.hosts[root].Server() == nil {
		t.Error("it was not started again")
	}
}

package kernels_test

import (
	"context"
	"path/filepath"
	"testing"

	"easel/internal/require"
	"easel/jupyter"
	"easel/jupyter/managed"
	"easel/mcphost/catalog"
	"easel/ui/core/kernels"
	"easel/ui/core/kernels/servers"
	"easel/ui/core/oversight"
)

// A session without a project says that it has Easel's own Python.
func TestEaselsOwnPythonIsNamed(t *testing.T) {
	t.Parallel()
	d, srv := newFake(t)
	root := t.TempDir()
	client, err := jupyter.New(srv.URL, srv.Token, jupyter.WithRoot(func() string { return root }))
	require.NoError(t, err)
	m := kernels.New(kernels.Config{Library: d.lib, Log: quietLog(t), Gate: oversight.NewGate(d.state)})
	defer m.Close(context.Background())
	m.Servers.Add("own", true)
	m.Servers.Set(client, catalog.ServerHealth{Name: "own", State: servers.StateReady})

	made, err := m.Open(d.context(), kernels.NewSession{KernelName: "python3", Client: "test"})
	require.NoError(t, err)
	version := "Easel's own, Python 3.14.0"
	if made.OwnPython != version || made.Environment != "" || made.Directory != root {
		t.Errorf("made %q, %q in %q; want %q in %q", made.OwnPython, made.Environment, made.Directory, version, root)
	}
	opened, other := srv.AddSession("sub/a.ipynb", srv.AddKernel("python3")), srv.AddKernel("julia")
	inProject := srv.AddKernel(managed.EaselKernel)
	list, err := m.List(d.context())
	require.NoError(t, err)
	got := make(map[string][2]string)
	for _, s := range list {
		got[s.SessionID] = [2]string{s.Environment, s.Directory}
	}
	for id, want := range map[string][2]string{
		made.ID: {version, root}, opened: {"Easel's own Python", filepath.Join(root, "sub")}, other.ID: {}, inProject.ID: {"Easel's own Python", ""},
	} {
		if got[id] != want {
			t.Errorf("%s is listed with %q, want %q", id, got[id], want)
		}
	}
}

// The Python of a project, and that of a server that Easel does not run, are not Easel's.
func TestOtherPythonsAreNotEasels(t *testing.T) {
	t.Parallel()
	d, _ := newFake(t)
	foreign, err := d.Open(d.context(), kernels.NewSession{KernelName: "python3", Client: "test"})
	require.NoError(t, err)
	d.environment, d.project = "proj/.venv, Python 3.12.1, uv", "/proj"
	d.Servers.Add("project", true)
	d.Servers.Set(d.otherClient(), catalog.ServerHealth{Name: "project", State: servers.StateReady})
	ofProject, err := d.Open(d.context(), kernels.NewSession{Server: "project", KernelName: "python3", Client: "test"})
	require.NoError(t, err)
	if foreign.OwnPython != "" || ofProject.OwnPython != "" || ofProject.Environment != d.environment {
		t.Errorf("got %q, %q and %q", foreign.OwnPython, ofProject.OwnPython, ofProject.Environment)
	}
}

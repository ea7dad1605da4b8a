package core

import (
	"path/filepath"
	"testing"

	"easel/internal/require"
	"easel/jupyter"
	"easel/mcphost/catalog"
	"easel/ui/core/kernels"
	"easel/ui/core/kernels/servers"
	"easel/ui/core/library"
	"easel/ui/core/settings"
	"easel/ui/core/state"
)

// TestTheDirectoryOfAKernel: a file of another machine cannot be found missing on this one.
func TestTheDirectoryOfAKernel(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	list := servers.NewList(servers.Events{Changed: func(catalog.ServerHealth) {}, Removed: func(string) {}})
	for name, url := range map[string]string{"hub": "https://hub.example/", "local-8888": "http://127.0.0.1:8888/"} {
		list.Add(name, false)
		client, err := jupyter.New(url, "token")
		require.NoError(t, err)
		list.Set(client, catalog.ServerHealth{Name: name, State: servers.StateReady})
	}
	c := &Core{
		cfg: Config{Options: settings.Options{RootDir: home}}, Store: state.NewStore(state.Snapshot{}), Kernels: &kernels.Manager{Servers: list},
	}
	for name, test := range map[string]struct {
		of   library.Session
		want string
		here bool
	}{
		"Easel's own":                      {library.Session{Server: ManagedServer, NotebookPath: "a/b.ipynb"}, filepath.Join(home, "a"), true},
		"a project that is closed":         {library.Session{Server: "sales", Project: "/home/ann/sales", Directory: "/home/ann/sales"}, "/home/ann/sales", true},
		"a project on another machine":     {library.Session{Server: "gpu:sales", Project: "ssh://gpu/home/ann/sales", Directory: "/home/ann/sales"}, "/home/ann/sales", false},
		"a server on another machine":      {library.Session{Server: "hub", NotebookPath: "a/b.ipynb"}, "", false},
		"the user's server on this":        {library.Session{Server: "local-8888", Directory: "/home/ann"}, "/home/ann", true},
		"a server of an unknown directory": {library.Session{Server: "local-8888"}, "", true},
	} {
		if got, here := c.directory(test.of); got != test.want || here != test.here {
			t.Errorf("%s: %q, here is %t", name, got, here)
		}
	}
}

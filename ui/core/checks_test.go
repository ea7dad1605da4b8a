package core

import (
	"path/filepath"
	"testing"

	"easel/ui/core/library"
	"easel/ui/core/settings"
	"easel/ui/core/state"
)

// TestTheDirectoryOfAKernel: a file of another machine cannot be found missing on this one.
func TestTheDirectoryOfAKernel(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	c := &Core{cfg: Config{Options: settings.Options{RootDir: home}}, Store: state.NewStore(state.Snapshot{})}
	for name, test := range map[string]struct {
		of   library.Session
		want string
	}{
		"Easel's own":              {library.Session{Server: ManagedServer, NotebookPath: "a/b.ipynb"}, filepath.Join(home, "a")},
		"a project":                {library.Session{Server: "sales", Project: "/home/ann/sales", Directory: "/home/ann/sales/data"}, "/home/ann/sales/data"},
		"a project on another":     {library.Session{Server: "gpu:sales", Project: "ssh://gpu/home/ann/sales", Directory: "/home/ann/sales"}, ""},
		"a server on another":      {library.Session{Server: "hub", NotebookPath: "a/b.ipynb"}, ""},
		"a server on this machine": {library.Session{Server: "local-8888", Directory: "/home/ann"}, "/home/ann"},
	} {
		if got := c.directoryHere(test.of); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}

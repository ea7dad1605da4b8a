package paths_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"easel/jupyter"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/kernels/servers"
	"easel/ui/core/tools/paths"
)

// TestAPathThatLeadsUpwards is relative to the caller's directory. It is allowed where the absolute path
// is; elsewhere, the error names what is allowed, and nothing takes it for a file in the root.
func TestAPathThatLeadsUpwards(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	root, work := filepath.Join(base, "売上 2026"), filepath.Join(base, "work")
	for _, dir := range []string{filepath.Join(root, "sub", "deep"), work} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	list := servers.NewList(servers.Events{Changed: func(catalog.ServerHealth) {}, Removed: func(string) {}})
	for name, at := range map[string]string{"managed": work, "sales": root} {
		list.Add(name, true)
		client, err := jupyter.New("http://127.0.0.1:1/", "token", jupyter.WithRoot(func() string { return at }))
		if err != nil {
			t.Fatal(err)
		}
		list.Set(client, catalog.ServerHealth{Name: name, State: servers.StateReady})
	}
	f := &paths.Finder{Servers: list, Renames: new(servers.Renames), RootDir: work, Projects: nowhere{works{root: root}}}
	for _, c := range []struct{ from, server, path, want, on string }{
		{"sub", "", "../data/x.csv", "data/x.csv", "sales"},
		{"sub/deep", "", "../../データ/x.ipynb", "データ/x.ipynb", "sales"},
		{"sub/deep", "", "./../x.ipynb", "sub/x.ipynb", "sales"},
		{"sub/deep", "sales", "../x.ipynb", "sub/x.ipynb", "sales"},
		{"sub", "", "..", "", "sales"},
		{"sub", "", "../../work/x.ipynb", "x.ipynb", "managed"},
		{"sub", "managed", "../x.ipynb", "", ""},
		{"sub", "", "../../x.csv", "", ""},
		{"sub", "", "../" + strings.Repeat("../", 30) + "etc", "", ""},
		{"sub", "", "../" + strings.Repeat("../", 30) + "etc/passwd", "", ""},
		{"", "", "../x.ipynb", "", ""},
	} {
		ctx := tool.WithCaller(t.Context(), tool.Caller{Transport: tool.MCP, Workspace: tool.Workspace{Directory: filepath.Join(root, c.from)}})
		clean, on, err := f.Resolve(ctx, c.server, "path", c.path, jupyter.CleanPath)
		if clean != c.want || on != c.on || err == nil != (c.on != "") {
			t.Errorf("%s from %q on %q: %q on %q, %v", c.path, c.from, c.server, clean, on, err)
		}
		if c.on == "" && (!strings.Contains(err.Error(), work) || !strings.Contains(err.Error(), c.path) || tool.AsError(err).Hint == "") {
			t.Errorf("%s from %q: %v", c.path, c.from, err)
		}
		full := filepath.Join(root, c.from, c.path)
		if c.on == "" || c.server != "" {
			full = c.path
		}
		if got := f.Existing(ctx, c.path); c.server == "" && got != full {
			t.Errorf("%s from %q exists at %s", c.path, c.from, got)
		}
	}
	_, _, err := f.Resolve(t.Context(), "", "path", "../x.csv", jupyter.CleanPath)
	if err == nil || !strings.Contains(err.Error(), work) {
		t.Errorf("nobody knows where the caller is: %v", err)
	}
}

// TestANotebookFromADirectory is relative to the directory that session_create names.
func TestANotebookFromADirectory(t *testing.T) {
	t.Parallel()
	for p, want := range map[string]string{
		"../a.ipynb": filepath.FromSlash("/sales/a.ipynb"), "a.ipynb": "a.ipynb", "../../a.ipynb": filepath.FromSlash("/a.ipynb"), "/x/a.ipynb": "/x/a.ipynb",
	} {
		if got := paths.From("/sales", "sub", p); got != want {
			t.Errorf("%s: %s, want %s", p, got, want)
		}
	}
}

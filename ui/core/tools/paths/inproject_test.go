package paths_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"easel/internal/require"
	"easel/jupyter"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/kernels/servers"
	"easel/ui/core/tools/paths"
)

// works are projects of which a caller works in one, in a directory. Its last session was in another one.
type works struct{ root, directory, last string }

func (w works) There(context.Context, string) (server, path string, err error) { return "", "", nil }

func (w works) Of(context.Context) (root, directory string) { return w.root, w.directory }
func (w works) Last(context.Context) string                 { return w.last }
func (w works) At(context.Context, string) (string, error)  { return "project", nil }

// Root names the roots of the servers of projects, which are called after them.
func (w works) Root(server string) string {
	if server == "sales" || server == "secret" {
		return "/projects/" + server
	}
	return ""
}

// Allows allows all projects but one.
func (w works) Allows(root string) bool { return root != "/projects/secret" }

func (w works) Withdrawn(context.Context) string {
	if w.Allows(w.root) {
		return ""
	}
	return w.root
}

func (w works) Astray(context.Context) (why, remedy string) {
	if w.root != "" {
		return "", ""
	}
	return "your folder is gone", "Pass directory."
}

func (w works) HowToAllow(_ context.Context, root string) string {
	return "To work in another folder, call session_create with directory=" + root
}

func (w works) TellAstray(ctx context.Context) string {
	why, _ := w.Astray(ctx)
	return why
}

// TestNoFileIsMadeElsewhereByMistake checks that a relative path makes no new file in Easel's own folder for a client
// that was started elsewhere and may not work there, and that one that names that folder does.
func TestNoFileIsMadeElsewhereByMistake(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(root, "old.ipynb"), nil, 0o600))
	for _, c := range []struct {
		works        works
		server, path string
		refused      bool
	}{
		{works{}, "", "new.ipynb", true},
		{works{}, "", "old.ipynb", false},
		{works{}, "", filepath.Join(root, "new.ipynb"), false},
		{works{}, "managed", "new.ipynb", false},
		{works{root: "/work"}, "", "new.ipynb", false},
	} {
		f := &paths.Finder{RootDir: root, Projects: c.works}
		err := f.Astray(t.Context(), c.server, "path", c.path)
		if (err != nil) != c.refused {
			t.Errorf("%+v: %v", c, err)
		}
		if e := tool.AsError(err); c.refused && (!strings.Contains(e.Hint, filepath.Join(root, c.path)) || !strings.Contains(e.Detail, "your folder is gone")) {
			t.Errorf("%+v: %s %s", c, e.Detail, e.Hint)
		}
	}
}

// TestAProjectThatIsNoLongerAllowed has a server as long as it has sessions. Its files are not reached.
func TestAProjectThatIsNoLongerAllowed(t *testing.T) {
	t.Parallel()
	list := servers.NewList(servers.Events{Changed: func(catalog.ServerHealth) {}, Removed: func(string) {}})
	for _, name := range []string{"managed", "sales", "secret"} {
		list.Add(name, true)
		client, err := jupyter.New("http://127.0.0.1:1/", "token", jupyter.WithRoot(func() string { return "/projects/" + name }))
		require.NoError(t, err)
		list.Set(client, catalog.ServerHealth{Name: name, State: servers.StateReady})
	}
	f := &paths.Finder{Servers: list, Renames: new(servers.Renames), Projects: nowhere{works{}}}
	assistant, user := tool.Caller{Transport: tool.MCP, Name: "claude-code"}, tool.Caller{Transport: tool.Window}
	for _, c := range []struct {
		by           tool.Caller
		server, path string
		denied       bool
	}{
		{assistant, "secret", "a.csv", true},
		{assistant, "secret", "/projects/secret/a.csv", true},
		{assistant, "", "/projects/secret/a.csv", true},
		{assistant, "sales", "a.csv", false},
		{assistant, "", "/projects/sales/a.csv", false},
		{user, "secret", "a.csv", false},
	} {
		_, _, err := f.Resolve(tool.WithCaller(t.Context(), c.by), c.server, "path", c.path, jupyter.CleanPath)
		if denied := err != nil && tool.AsError(err).Code == tool.Denied; denied != c.denied || !denied && err != nil {
			t.Errorf("%s on %q: %v", c.path, c.server, err)
		}
	}
	// A path that names no server is looked for on all but those of projects that the caller does not work in.
	sales := "/projects/sales"
	for _, c := range []struct {
		by         tool.Caller
		root, last string
		server     string
		want       int
	}{
		{assistant, "", "", "", 1},
		{assistant, sales, "", "", 2},
		{assistant, "", sales, "", 2},
		{assistant, "/projects/other", "", "", 1},
		{assistant, "", "", "sales", 1},
		{assistant, "", "", "secret", 0},
		{user, "", "", "", 3},
		{user, "", "", "secret", 1},
	} {
		f.Projects = nowhere{works{root: c.root, last: c.last}}
		hosts, err := f.Hosts(tool.WithCaller(t.Context(), c.by), c.server)
		if len(hosts) != c.want || (err != nil) != (c.want == 0) || err != nil && tool.AsError(err).Code != tool.Denied {
			t.Errorf("servers of %q: %v, %v", c.server, hosts, err)
		}
	}
	// A relative path of who works there must not mean a file elsewhere, unless they have chosen it.
	f.Projects = works{root: "/projects/secret"}
	ctx := tool.WithCaller(t.Context(), assistant)
	f.Chosen.Add(ctx, "chosen.ipynb", "sales")
	for path, denied := range map[string]bool{"a.csv": true, "/a.csv": true, "": true, "../a.csv": false, "chosen.ipynb": false} {
		_, on, err := f.Resolve(ctx, "", "path", path, jupyter.CleanPath)
		if got := err != nil && tool.AsError(err).Code == tool.Denied; got != denied || on != "" {
			t.Errorf("%q: on %q, %v", path, on, err)
		}
	}
}

// TestARefusedPathNamesOnlyTheCallersProject checks that the error does not tell a caller in which
// other projects the user works.
func TestARefusedPathNamesOnlyTheCallersProject(t *testing.T) {
	t.Parallel()
	list := servers.NewList(servers.Events{Changed: func(catalog.ServerHealth) {}, Removed: func(string) {}})
	for name, root := range map[string]string{"work": "/work", "sales": "/projects/sales", "secret": "/projects/secret"} {
		list.Add(name, true)
		client, err := jupyter.New("http://127.0.0.1:1/", "token", jupyter.WithRoot(func() string { return root }))
		require.NoError(t, err)
		list.Set(client, catalog.ServerHealth{Name: name, State: servers.StateReady})
	}
	for own, names := range map[string]bool{"/projects/sales": true, "": false} {
		f := &paths.Finder{Servers: list, Renames: new(servers.Renames), RootDir: "/work", Projects: works{root: own, directory: own}}
		_, _, err := f.Resolve(t.Context(), "work", "path", "/elsewhere/a.csv", jupyter.CleanPath)
		if err == nil || !strings.Contains(err.Error(), "/work") {
			t.Errorf("one server: %v", err)
		}
		f.Projects = nowhere{works{root: own, directory: own}}
		_, _, err = f.Resolve(t.Context(), "", "path", "/elsewhere/a.csv", jupyter.CleanPath)
		if err == nil || !strings.Contains(err.Error(), "/work") || strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "sales") != names {
			t.Errorf("in %q: %v", own, err)
		}
		want := `path must lead into Easel's folder /work; "/elsewhere/a.csv" leads elsewhere`
		if names {
			want = `path must lead into the project /projects/sales or Easel's folder /work; "/elsewhere/a.csv" leads elsewhere`
		}
		if e := tool.AsError(err); !strings.Contains(e.Detail, want) || strings.Contains(e.Detail, "lab") || strings.Contains(e.Hint, "A relative path starts in /projects/sales.") != names {
			t.Errorf("in %q: %+v", own, e)
		}
	}
}

// nowhere are projects in which no path is.
type nowhere struct{ works }

func (nowhere) At(context.Context, string) (string, error) { return "", nil }

// TestARelativePathOfAProject checks that all tools take a relative path for the same file, so
// that none makes a second one: what exists, as results name it or below the caller's directory.
func TestARelativePathOfAProject(t *testing.T) {
	t.Parallel()
	root, work, last := t.TempDir(), t.TempDir(), t.TempDir()
	for _, path := range []string{filepath.Join(last, "both"), filepath.Join(last, "theirs"), filepath.Join(root, "sub/deep/x"), filepath.Join(root, "sub/both"), filepath.Join(root, "sub/here"), filepath.Join(root, "both"), filepath.Join(root, "top"), filepath.Join(work, "mine"), filepath.Join(work, "top")} {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, nil, 0o600))
	}
	list := servers.NewList(servers.Events{Changed: func(catalog.ServerHealth) {}, Removed: func(string) {}})
	list.Add("work", true)
	client, err := jupyter.New("http://127.0.0.1:1/", "token", jupyter.WithRoot(func() string { return work }))
	require.NoError(t, err)
	list.Set(client, catalog.ServerHealth{Name: "work", State: servers.StateReady})
	f := &paths.Finder{Servers: list, Renames: new(servers.Renames), RootDir: work, Projects: works{root: root, directory: filepath.Join(root, "sub"), last: last}}
	ctx := tool.WithCaller(t.Context(), tool.Caller{Transport: tool.MCP, Name: "claude", Holder: "one"})
	for _, c := range []struct {
		given, path, server string
		exists              bool
	}{
		{"top", "top", "project", true},
		{"both", "both", "project", true},
		{"here", "sub/here", "project", true},
		{"sub/here", "sub/here", "project", true},
		{"new", "sub/new", "project", false},
		{"deep/new", "sub/deep/new", "project", false},
		{"sub/new", "sub/new", "project", false},
		{"nowhere/new", "nowhere/new", "project", false},
		{"mine", "mine", "work", true},
		{"theirs", "theirs", "project", true}, // in the other project
		{"", "", "project", true},
	} {
		path, server, exists, err := f.InProject(ctx, c.given)
		if path != c.path || server != c.server || exists != c.exists || err != nil {
			t.Errorf("%q means %q on %q, %v, %v; want %+v", c.given, path, server, exists, err, c)
		}
	}
	// The user's own JupyterLab has the project, and may have its files open.
	list.Add("lab", false)
	above, err := jupyter.New("http://127.0.0.1:2/", "token", jupyter.WithRoot(func() string { return filepath.Dir(root) }))
	require.NoError(t, err)
	list.Set(above, catalog.ServerHealth{Name: "lab", State: servers.StateReady})
	name := filepath.Base(root)
	for _, c := range []struct{ given, path, server string }{
		{"top", name + "/top", "lab"},
		{"here", name + "/sub/here", "lab"},
		{name + "/sub/here", name + "/sub/here", "lab"},
		{"sub", "sub", "project"},
		{"new", "sub/new", "project"},
		{"mine", "mine", "work"},
	} {
		if path, server, _, err := f.InProject(ctx, c.given); path != c.path || server != c.server || err != nil {
			t.Errorf("%q means %q on %q, %v; want %+v", c.given, path, server, err, c)
		}
	}
	if got := f.Theirs(filepath.Join(root, "top")); !got || f.Theirs(filepath.Join(work, "mine")) {
		t.Errorf("the project is below the root: %v", got)
	}
	list.Remove("lab")
	// A choice of another process of the same client changes nothing, also not for the root.
	f.Chosen.Add(tool.WithCaller(t.Context(), tool.Caller{Transport: tool.MCP, Name: "claude", Holder: "two"}), "top", "other")
	f.Chosen.Add(ctx, "both", "mine")
	for path, want := range map[string]string{"top": "project", "both": "", "": "project"} {
		if _, server, _, err := f.InProject(ctx, path); server != want || err != nil {
			t.Errorf("%q is on %q, %v; want %q", path, server, err, want)
		}
	}
}

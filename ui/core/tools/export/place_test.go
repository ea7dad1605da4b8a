package export_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"easel/internal/require"
	"easel/mcphost/catalog"
	"easel/ui/core/command"
	"easel/ui/core/library"
)

// A drawing is a plot of a session, and where it was drawn.
type drawing struct {
	root, name, python, version, pandas string
}

var (
	sales = drawing{"/home/ann/sales", "sales/.venv", "/home/ann/sales/.venv/bin/python", "3.12.1", "3.1.1"}
	old   = drawing{"/home/ann/old", "old/.venv", "/home/ann/old/.venv/bin/python", "3.11.2", "2.1.4"}
	layer = drawing{"", "", "/home/ann/.local/share/easel/layers/5b1f0b44-5f0a-4a8c-9f5e-0c1f2b3a4d5e/bin/python", "3.12.1", "3.1.1"}
)

// with returns a drawing with a change.
func (d drawing) with(change func(*drawing)) drawing {
	change(&d)
	return d
}

// TestANotebookIsOfOneEnvironment exports plots of two sessions, whose kernels are all called python3, as one notebook.
func TestANotebookIsOfOneEnvironment(t *testing.T) {
	for name, c := range map[string]struct {
		a, b drawing
		says string // "" if it is written
	}{
		"projects":                 {sales, old, `from "sales/.venv, Python 3.12.1" and "old/.venv, Python 3.11.2". Export the plots of each`},
		"newer packages":           {sales, sales.with(func(d *drawing) { d.pandas = "3.2.0" }), ""},
		"newer Python":             {sales, sales.with(func(d *drawing) { d.version = "3.12.4" }), ""},
		"environments":             {sales, sales.with(func(d *drawing) { d.name, d.python = "sales/old", "/home/ann/sales/old/bin/python" }), `and "sales/old, Python 3.12.1"`},
		"one conda environment":    {sales, sales.with(func(d *drawing) { d.root = "/home/ann/other" }), `"sales/.venv, Python 3.12.1 (/home/ann/sales)" and "sales/.venv, Python 3.12.1 (/home/ann/other)"`},
		"machines":                 {sales, sales.with(func(d *drawing) { d.root, d.name = "ssh://gpu/home/ann/sales", "gpu:sales/.venv" }), `"gpu:sales/.venv, Python 3.12.1"`},
		"sessions of Easel's own":  {layer, layer.with(func(d *drawing) { d.python = strings.Replace(d.python, "5b1f", "6c20", 1) }), ""},
		"a project and Easel's":    {sales, layer, `and "Easel's own Python 3.12.1"`},
		"a project without Python": {layer, layer.with(func(d *drawing) { d.root = "/home/ann/sales" }), "one kernel"},
		"the user's own server":    {sales, sales.with(func(d *drawing) { d.root, d.name = "", "" }), ""},
		"unknown":                  {sales, sales.with(func(d *drawing) { d.version = "" }), ""},
		"unknown, elsewhere":       {sales, old.with(func(d *drawing) { d.version = "" }), `and "old/.venv, Python 3"`},
	} {
		t.Run(name, func(t *testing.T) {
			x := exports(t, nil)
			var ids []string
			for i, d := range []drawing{c.a, c.b} {
				ids = append(ids, x.drawn([]string{"s1", "s2"}[i], i, d))
			}
			to := filepath.Join(t.TempDir(), "a.ipynb")
			in := command.ExportIn{Kind: command.ExportNotebook, IDs: ids, To: to, Title: "T"}
			_, err := command.Export.Ask(t.Context(), x.bus, in)
			_, left := os.Stat(to)
			if c.says == "" && err != nil || c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) || (left == nil) != (c.says == "") {
				t.Errorf("got %v, a file: %v", err, left == nil)
			}
			in.Language = "ja"
			_, err = command.Export.Ask(t.Context(), x.bus, in)
			own := strings.Contains(c.says, "Easel's own")
			if c.says != "" && (err == nil || !strings.Contains(err.Error(), "」で描かれています。環境ごとに") || own && !strings.Contains(err.Error(), "「Easel の Python 3.12.1」")) {
				t.Errorf("in Japanese: %v", err)
			}
		})
	}
}

// drawn adds a session that drew a plot. Without a version, what it was drawn in is not known.
func (x *exporting) drawn(session string, n int, d drawing) (id string) {
	x.t.Helper()
	stored := library.Session{ID: session, KernelName: "python3", Server: session, Project: d.root}
	if d.name != "" {
		stored.Environment = d.name[strings.Index(d.name, ":")+1:] + ", Python 3"
	}
	require.NoError(x.t, x.lib.Sessions.Put(x.t.Context(), stored))
	id = x.ran(session, n, 0, "ok", "plot()", session)
	if d.version == "" {
		return id
	}
	require.NoError(x.t, x.lib.Executions.SetEnvironment(x.t.Context(), session+"-"+string(rune('a'+n)), catalog.Environment{
		Name: d.name, Language: "Python", Version: d.version, Executable: d.python, Packages: []catalog.Package{{Name: "pandas", Version: d.pandas, Used: true}},
	}))
	return id
}

package tools_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"easel/internal/require"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
)

// tree returns all files below the server's root with their contents, and all folders.
func (b *bench) tree() map[string]string {
	b.t.Helper()
	files := make(map[string]string)
	err := filepath.WalkDir(b.real.Root, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			files[path] = "folder"
			return err
		}
		text, err := os.ReadFile(path)
		files[path] = string(text)
		return err
	})
	require.NoError(b.t, err)
	return files
}

func TestLiveOnlyNotebooksAreWrittenTo(t *testing.T) {
	b := newBench(t)
	for name, text := range map[string]string{
		"plain.txt": "hello\n", "text.ipynb": "not JSON\n", "object.ipynb": `{"a": 1}`, "list.ipynb": "[1]", "empty.ipynb": "",
	} {
		b.write(name, text)
	}
	require.NoError(t, os.Mkdir(filepath.Join(b.real.Root, "folder.ipynb"), 0o700))
	before := b.tree()
	const outside = "must lead into" // names the root
	for path, reason := range map[string]string{
		"   ": "blank", "/": "root", "plain.txt": "ending in .ipynb", "new.txt": "ending in .ipynb", "new.ipynb ": "ending in .ipynb", "new": "ending in .ipynb",
		"text.ipynb": "not a notebook", "object.ipynb": "not a notebook", "list.ipynb": "not a notebook", "empty.ipynb": "its file is empty", "folder.ipynb": "not a notebook",
		"plain.txt/new.ipynb": `through "plain.txt"`, "new\x00.ipynb": "NUL", "../new.ipynb": outside, ".new/a.ipynb": "refused by the server",
		strings.Repeat("図", 93) + ".ipynb": "285 bytes", "new/" + strings.Repeat("図", 80) + ".ipynb": "at most 244",
	} {
		for _, c := range []struct {
			tool tool.Any
			args map[string]any
		}{
			{catalog.SessionCreate, map[string]any{"notebook_path": path}},
			{catalog.NotebookCreate, map[string]any{"path": path}},
			{catalog.NotebookAddCell, map[string]any{"path": path, "cell_type": "code", "source": "1", "run": true}},
			{catalog.NotebookEditCell, map[string]any{"path": path, "index": 0, "source": "1"}},
			{catalog.NotebookMoveCell, map[string]any{"path": path, "index": 0, "to": 1}},
			{catalog.NotebookDeleteCell, map[string]any{"path": path, "index": 0}},
			{catalog.NotebookRunCell, map[string]any{"path": path, "index": 0}},
		} {
			args, err := json.Marshal(c.args)
			require.NoError(t, err)
			out, _, err := c.tool.Invoke(b.context(), b.bus, args)
			e := tool.AsError(err)
			if err == nil || c.tool.Spec().Name == "session_create" && (e.Code != tool.Validation || !strings.Contains(e.Detail, reason)) {
				t.Errorf("%s %s: got %v, %v; want %q", c.tool.Spec().Name, args, out, err, reason)
			}
			named := strings.TrimSuffix(e.Detail, " in "+b.real.Root+".") // where nothing was found
			if reason != outside && strings.Contains(named, b.real.Root) || strings.Contains(e.Detail, "Error(") {
				t.Errorf("%s %s: says %s", c.tool.Spec().Name, args, e.Detail)
			}
			if e.Code == tool.Internal || e.Code == tool.JupyterUnreachable {
				t.Errorf("%s %s: %v", c.tool.Spec().Name, args, err)
			}
		}
	}
	if diff := cmp.Diff(before, b.tree()); diff != "" {
		t.Errorf("the files changed (-before +after):\n%s", diff)
	}
	if s := must[catalog.SessionListOut](b, catalog.SessionList, `{}`).Sessions; len(s) > 0 {
		t.Errorf("kernels were started: %+v", s)
	}
}

func TestLiveAnEmptyNotebookPathIsNone(t *testing.T) {
	b := newBench(t)
	s := must[catalog.SessionCreateOut](b, catalog.SessionCreate, `{"notebook_path": ""}`)
	if s.NotebookPath != "" || s.SessionID != s.KernelID {
		t.Errorf("got %+v", s)
	}
	if len(b.tree()) != 1 {
		t.Errorf("files were written: %v", b.tree())
	}
}

func TestLiveWhatSessionConnectDoesNotFindIsNamed(t *testing.T) {
	b := newBench(t)
	for args, want := range map[string]string{
		`{"notebook_path": "reports/sales.ipynb"}`:                            `notebook "reports/sales.ipynb"`,
		`{"notebook_path": "sales.ipynb", "kernel_id": "5ab0"}`:               `notebook "sales.ipynb"`,
		`{"kernel_id": "5ab00000-0000-4000-8000-000000000000"}`:               `ID "5ab00000-0000-4000-8000-000000000000"`,
		`{"kernel_id": "../contents", "notebook_path": "", "server": "test"}`: `ID "../contents" on the server "test"`,
	} {
		if e := b.refusal(catalog.SessionConnect, args, tool.SessionNotFound); !strings.Contains(e.Detail, want) {
			t.Errorf("%s: got %q, want %s in it", args, e.Detail, want)
		}
	}
}

package tools_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"easel/internal/require"
	"easel/jupyter"
	"easel/jupyter/jupytertest"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/kernels/servers"
)

// as returns the bench for another caller.
func (b *bench) as(caller string) *bench {
	other := *b
	other.caller = caller
	return &other
}

// second adds another real server, named second.
func (b *bench) second() *jupytertest.Real {
	b.t.Helper()
	real := jupytertest.Start(b.t)
	client, err := jupyter.New(real.URL, real.Token)
	require.NoError(b.t, err)
	b.kernels.Servers.Add("second", false)
	b.kernels.Servers.Set(client, catalog.ServerHealth{Name: "second", State: servers.StateReady})
	return real
}

// TestLiveNotebooksOnTwoServers has a notebook of the same path on two servers.
func TestLiveNotebooksOnTwoServers(t *testing.T) {
	b := newBench(t)
	second := b.second()
	sources := func(root string) string {
		t.Helper()
		data, err := os.ReadFile(filepath.Join(root, "same.ipynb"))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		return string(data)
	}
	// add adds a cell with a text, and returns the server that has it then.
	add := func(b *bench, text, more string) string {
		t.Helper()
		out := must[catalog.CellChanged](b, catalog.NotebookAddCell, `{"path": "same.ipynb", "cell_type": "code", "source": "'`+text+`'"`+more+`}`)
		on := ""
		for name, root := range map[string]string{"test": b.real.Root, "second": second.Root} {
			if strings.Contains(sources(root), text) {
				on += name
			}
		}
		if out.Server != on {
			t.Errorf("the result says %q, but %q has the cell", out.Server, on)
		}
		return on
	}
	user := b.as("user")
	for _, server := range []string{"test", "second"} {
		must[catalog.NotebookCreateOut](user, catalog.NotebookCreate, `{"path": "same.ipynb", "server": "`+server+`"}`)
	}
	if on := add(user, "created last", ""); on != "second" {
		t.Errorf("who created it on the second server writes to %q", on)
	}
	if on := add(b.as("open nowhere"), "default", ""); on != "test" {
		t.Errorf("open nowhere, it is written to %q", on)
	}
	if on := add(b.as("parameter"), "parameter", `, "server": "second"`); on != "second" {
		t.Errorf("with the parameter server, it is written to %q", on)
	}
	if on := add(b.as("parameter"), "afterwards", ""); on != "second" {
		t.Errorf("after the parameter server, it is written to %q", on)
	}
	must[catalog.NotebookReadOut](b.as("reader"), catalog.NotebookRead, `{"path": "same.ipynb"}`) // on the first

	theirs := must[catalog.SessionCreateOut](user, catalog.SessionCreate, `{"notebook_path": "same.ipynb", "server": "second"}`)
	if on := add(b.as("open on one"), "open there", ""); on != "second" {
		t.Errorf("open on the second server only, it is written to %q", on)
	}
	if on := add(b.as("reader"), "what was read", ""); on != "test" {
		t.Errorf("read on the first server, it is written to %q", on)
	}

	must[catalog.SessionCreateOut](user, catalog.SessionCreate, `{"notebook_path": "same.ipynb", "server": "test"}`)
	b = b.as("assistant")
	before := sources(b.real.Root) + sources(second.Root)
	for spec, args := range map[tool.Any]string{
		catalog.NotebookAddCell:    `{"path": "same.ipynb", "cell_type": "code", "source": "1"}`,
		catalog.NotebookEditCell:   `{"path": "same.ipynb", "index": 0, "source": "1"}`,
		catalog.NotebookMoveCell:   `{"path": "same.ipynb", "index": 0, "to": 1}`,
		catalog.NotebookDeleteCell: `{"path": "same.ipynb", "index": 0}`,
		catalog.NotebookRunCell:    `{"path": "same.ipynb", "index": 0}`,
	} {
		e := b.refusal(spec, args, tool.NotExecutable)
		if !strings.Contains(e.Detail, `"test", "second"`) || !strings.Contains(e.Hint, "session_connect") {
			t.Errorf("%s: %s %s", spec.Spec().Name, e.Detail, e.Hint)
		}
	}
	if after := sources(b.real.Root) + sources(second.Root); after != before {
		t.Error("something was written")
	}
	read := must[catalog.NotebookReadOut](b, catalog.NotebookRead, `{"path": "same.ipynb"}`)
	if read.Server != "test" || !slices.Equal(read.AlsoOpenOn, []string{"second"}) {
		t.Errorf("read on %q, also open on %q", read.Server, read.AlsoOpenOn)
	}

	// Without a server, session_connect chooses none.
	must[catalog.SessionConnectOut](b, catalog.SessionConnect, `{"notebook_path": "same.ipynb"}`)
	b.refused(catalog.NotebookEditCell, `{"path": "same.ipynb", "index": 0, "source": "1"}`, tool.NotExecutable)

	joined := must[catalog.SessionConnectOut](b, catalog.SessionConnect, `{"notebook_path": "same.ipynb", "server": "second"}`)
	if joined.Server != "second" || joined.SessionID != theirs.SessionID {
		t.Fatalf("joined %+v", joined)
	}
	must[catalog.NotebookReadOut](b, catalog.NotebookRead, `{"path": "same.ipynb", "server": "test"}`) // only to compare
	if on := add(b, "connected", `, "run": true`); on != "second" {
		t.Errorf("connected to the second server, it is written to %q", on)
	}
	read = must[catalog.NotebookReadOut](b, catalog.NotebookRead, `{"path": "same.ipynb"}`)
	if read.Server != "second" || read.AlsoOpenOn != nil || read.SessionID != theirs.SessionID {
		t.Errorf("read on %q, also open on %q", read.Server, read.AlsoOpenOn)
	}
	ran := must[catalog.CellChanged](b, catalog.NotebookRunCell, `{"path": "same.ipynb", "index": 0}`)
	if ran.Server != "second" || ran.Execution.SessionID != theirs.SessionID {
		t.Errorf("ran on %q in %s", ran.Server, ran.Execution.SessionID)
	}

	// The choice is for the notebook, whatever its path.
	b.rename(second, theirs.SessionID, "same.ipynb", "renamed.ipynb")
	if e := b.refusal(catalog.NotebookRead, `{"path": "same.ipynb"}`, tool.NotebookNotFound); !strings.Contains(e.Detail, `renamed to "renamed.ipynb" on the server "second"`) {
		t.Errorf("renamed: %s", e.Detail)
	}
	must[catalog.NotebookCreateOut](user, catalog.NotebookCreate, `{"path": "renamed.ipynb", "server": "test"}`)
	if out := must[catalog.NotebookReadOut](b, catalog.NotebookRead, `{"path": "renamed.ipynb"}`); out.Server != "second" {
		t.Errorf("after the renaming, it is read on %q", out.Server)
	}

	// The same notebook of another server is not a substitute while this one is away.
	b.kernels.Servers.Set(nil, catalog.ServerHealth{Name: "second", State: servers.StateUnreachable})
	b.refused(catalog.NotebookAddCell, `{"path": "same.ipynb", "cell_type": "code", "source": "1"}`, tool.JupyterUnreachable)
	b.kernels.Servers.Remove("second")
	if on := add(b, "one server", ""); on != "test" {
		t.Errorf("after the server was removed, it is written to %q", on)
	}
}

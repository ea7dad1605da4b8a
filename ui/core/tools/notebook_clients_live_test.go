package tools_test

import (
	"fmt"
	"strings"
	"testing"

	"easel/internal/require"
	"easel/jupyter"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
)

func TestLiveANotebookThatSomebodyHasOpenIsNotWritten(t *testing.T) {
	b := newBench(t)
	must[catalog.NotebookCreateOut](b, catalog.NotebookCreate, `{"path": "own.ipynb"}`)

	// Easel's own session, with no other client.
	own := must[catalog.SessionCreateOut](b, catalog.SessionCreate, `{"notebook_path": "own.ipynb"}`)
	must[catalog.CellChanged](b, catalog.NotebookAddCell, `{"path": "own.ipynb", "cell_type": "code", "source": "1"}`)

	// The user opens the notebook in JupyterLab, which connects to the kernel, too.
	other, err := b.client.Follow(b.context(), own.KernelID, jupyter.FollowOptions{})
	require.NoError(t, err)
	b.connected(own.KernelID, func(n int) bool { return n >= 2 })
	before := string(b.file("own.ipynb"))
	e := b.refusal(catalog.NotebookAddCell, `{"path": "own.ipynb", "cell_type": "code", "source": "2"}`, tool.NotExecutable)
	if !strings.Contains(e.Hint, own.SessionID) || !strings.Contains(e.Hint, "own-easel.ipynb") {
		t.Errorf("the hint does not say what to do: %s", e.Hint)
	}
	if !strings.Contains(e.Detail, "is open in another program") || strings.Contains(e.Hint+e.Detail, "no JupyterLab tab shows") {
		t.Errorf("refused with %s %s", e.Detail, e.Hint)
	}
	b.refused(catalog.NotebookRunCell, `{"path": "./own.ipynb", "index": 0}`, tool.NotExecutable)
	// A call that is wrong in itself says so, whoever has the notebook open.
	b.refused(catalog.NotebookRunCell, `{"path": "own.ipynb", "index": 99}`, tool.CellNotFound)
	b.refused(catalog.NotebookEditCell, `{"path": "own.ipynb", "index": 99, "source": "x"}`, tool.CellNotFound)
	b.refused(catalog.NotebookRunCell, `{"path": "own.ipynb", "index": 0, "through": -2}`, tool.Validation)
	if after := string(b.file("own.ipynb")); after != before {
		t.Errorf("it was written:\n%s", after)
	}
	must[catalog.NotebookReadOut](b, catalog.NotebookRead, `{"path": "own.ipynb"}`)
	require.NoError(t, other.Close())
	b.connected(own.KernelID, func(n int) bool { return n <= 1 }) // Easel only
	must[catalog.CellChanged](b, catalog.NotebookAddCell, `{"path": "own.ipynb", "cell_type": "code", "source": "2"}`)
}

// TestLiveANotebookOfAKernelThatWasLeftAloneIsWritten covers a kernel of the user that continues after its tab
// was closed.
func TestLiveANotebookOfAKernelThatWasLeftAloneIsWritten(t *testing.T) {
	b := newBench(t)
	must[catalog.NotebookCreateOut](b, catalog.NotebookCreate, `{"path": "user.ipynb"}`)
	users, err := b.client.CreateSession(b.context(), jupyter.CreateSessionRequest{Path: "user.ipynb", Name: "user.ipynb", Type: "notebook", KernelName: "python3"})
	require.NoError(t, err)
	open := func() *jupyter.Kernel {
		tab, err := b.client.Follow(b.context(), users.Kernel.ID, jupyter.FollowOptions{})
		require.NoError(t, err)
		return tab
	}
	tab := open()
	b.connected(users.Kernel.ID, func(n int) bool { return n == 1 })
	add := `{"path": "user.ipynb", "cell_type": "code", "source": "import os; os.getpid()", "run": true}`
	b.refused(catalog.NotebookAddCell, add, tool.NotExecutable)
	require.NoError(t, tab.Close())
	b.connected(users.Kernel.ID, func(n int) bool { return n == 0 })
	added := must[catalog.CellChanged](b, catalog.NotebookAddCell, add)
	if added.Via != catalog.ViaFile || added.Execution.SessionID != users.ID || added.Saved == nil || !*added.Saved {
		t.Errorf("closed: %+v %+v", added, added.Execution)
	}
	again := must[catalog.CellChanged](b, catalog.NotebookRunCell, fmt.Sprintf(`{"path": "user.ipynb", "cell_id": %q}`, added.CellID))
	if again.Execution.ExecutionCount != added.Execution.ExecutionCount+1 {
		t.Errorf("ran in another kernel: %+v", again.Execution)
	}
	// The user opens it again.
	tab = open()
	b.connected(users.Kernel.ID, func(n int) bool { return n == 2 })
	b.refused(catalog.NotebookRunCell, `{"path": "user.ipynb", "index": 0}`, tool.NotExecutable)
	require.NoError(t, tab.Close())
	b.valid("user.ipynb")
}

// connected waits until fits accepts the number of connections to a kernel. The server's
// count lags behind.
func (b *bench) connected(kernel string, fits func(n int) bool) {
	b.t.Helper()
	for ctx := b.context(); ; {
		k, err := b.client.Kernel(ctx, kernel)
		require.NoError(b.t, err)
		if fits(k.Connections) {
			return
		}
	}
}

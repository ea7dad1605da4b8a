package tools_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"easel/eventbus"
	"easel/internal/require"
	"easel/jupyter"
	"easel/jupyter/jupytertest"
	"easel/jupyter/local"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/announce"
	"easel/ui/core/collection"
	"easel/ui/core/editors"
	"easel/ui/core/kernels"
	"easel/ui/core/kernels/servers"
	"easel/ui/core/kernels/usage"
	"easel/ui/core/library"
	"easel/ui/core/oversight"
	"easel/ui/core/private"
	"easel/ui/core/state"
	"easel/ui/core/tools"
)

func TestMain(m *testing.M) {
	code := m.Run()
	jupytertest.StopReused()
	os.Exit(code)
}

// A bench has all tools on a real Jupyter server.
type bench struct {
	caller  string // further part of its name
	mcp     string // its MCP session; if empty, it uses REST
	t       *testing.T
	bus     *eventbus.Bus
	client  *jupyter.Server
	real    *jupytertest.Real
	kernels *kernels.Manager
	store   *state.Store
	data    string                        // Easel's data directory
	clients map[string]catalog.Connection // that are connected
	editors *editors.Hub
	here    *jupyter.Server // of the kernels within Easel
}

func newBench(t *testing.T) *bench {
	t.Helper()
	real := jupytertest.Reuse(t, jupytertest.WithSockets())
	data := t.TempDir()
	own := private.New(data, real.Root)
	client, err := jupyter.New(real.URL, real.Token, jupyter.WithRuntimeDir(real.Runtime), jupyter.WithRoot(func() string { return real.Root }), jupyter.WithGuard(own.Why))
	require.NoError(t, err)
	log := slog.New(slog.NewTextHandler(t.Output(), nil))
	lib, err := library.Open(t.Context(), filepath.Join(data, "library"), library.Options{Log: log})
	require.NoError(t, err)
	b := &bench{t: t, bus: eventbus.New(), client: client, real: real, data: data}
	store := state.NewStore(state.Snapshot{Settings: state.DefaultSettings()})
	b.store = store
	pictures := announce.NewPictures(b.bus, store, collection.New(lib, log), log)
	asker := announce.NewApprovals(b.bus, store, nil)
	b.kernels = kernels.New(kernels.Config{Library: lib, Log: log, Gate: oversight.NewGate(store), Asker: asker, On: announce.Kernels(b.bus, store, pictures)})
	b.kernels.Servers.Add("test", false)
	b.kernels.Servers.Set(client, catalog.ServerHealth{Name: "test", State: servers.StateReady})
	gateway := local.NewGateway(local.NewFinder(nil, nil, ""), log)
	here, err := gateway.Client()
	require.NoError(t, err)
	b.kernels.Servers.AddLocal(here)
	b.here = here
	b.editors = &editors.Hub{Kernels: gateway, Log: log, Shown: func(context.Context) catalog.ShownToEditor {
		return catalog.ShownToEditor{Questions: len(store.Snapshot().Approvals)}
	}, Watch: store.OnChange}
	tools.Register(tools.Deps{Editors: b.editors, Bus: b.bus, Store: store, Library: lib, Pictures: pictures, Kernels: b.kernels, Approvals: asker, Connected: func() (map[string]catalog.Connection, error) { return b.clients, nil }, Private: own, RootDir: real.Root, Log: log, Usage: &usage.Meter{}})
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		b.editors.Close()
		if err := errors.Join(b.bus.Close(ctx), b.kernels.Close(ctx), gateway.Close(), lib.Close()); err != nil {
			t.Error(err)
		}
	})
	return b
}

func (b *bench) context() context.Context {
	ctx, cancel := context.WithTimeout(b.t.Context(), 2*time.Minute)
	b.t.Cleanup(cancel)
	caller := tool.Caller{Transport: tool.REST, Name: "test" + b.caller}
	if b.mcp != "" {
		caller.Transport, caller.Session = tool.MCP, b.mcp
	}
	return tool.WithCaller(ctx, caller)
}

// call invokes a tool as a transport does.
func call[Out any](b *bench, t tool.Any, args string) (Out, error) {
	b.t.Helper()
	var none Out
	out, _, err := t.Invoke(b.context(), b.bus, json.RawMessage(args))
	if err != nil {
		return none, err
	}
	return out.(Out), nil
}

func must[Out any](b *bench, t tool.Any, args string) Out {
	b.t.Helper()
	out, err := call[Out](b, t, args)
	if err != nil {
		b.t.Fatalf("%s %s: %v", t.Spec().Name, args, err)
	}
	return out
}

// refused checks that a call fails with a code.
func (b *bench) refused(t tool.Any, args string, want tool.Code) {
	b.t.Helper()
	_ = b.refusal(t, args, want)
}

// refusal is like refused, but returns the error.
func (b *bench) refusal(t tool.Any, args string, want tool.Code) *tool.Error {
	b.t.Helper()
	out, _, err := t.Invoke(b.context(), b.bus, json.RawMessage(args))
	e, ok := errors.AsType[*tool.Error](err)
	if !ok || e.Code != want {
		b.t.Fatalf("%s %s: got %v, %v; want %s", t.Spec().Name, args, out, err, want)
	}
	return e
}

func (b *bench) file(name string) []byte {
	b.t.Helper()
	data, err := os.ReadFile(filepath.Join(b.real.Root, name))
	require.NoError(b.t, err)
	return data
}

func (b *bench) write(name, text string) {
	b.t.Helper()
	require.NoError(b.t, os.WriteFile(filepath.Join(b.real.Root, name), []byte(text), 0o600))
}

// python runs a program with arguments, which must succeed.
func (b *bench) python(code string, args ...string) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.t.Context(), 10*time.Minute) // a notebook of many cells, on a busy machine
	defer cancel()
	cmd := exec.CommandContext(ctx, jupytertest.Python(b.t), append([]string{"-c", jupytertest.WithoutGrammar + code}, args...)...)
	cmd.Dir = b.real.Root
	// Other tests' Easels must not list the kernel that it may start.
	cmd.Env = append(os.Environ(), "IPYTHONDIR="+b.t.TempDir(), "JUPYTER_RUNTIME_DIR="+b.t.TempDir(), "TMPDIR="+b.t.TempDir(), "MPLBACKEND=module://matplotlib_inline.backend_inline")
	if _, err := cmd.Output(); err != nil {
		if e, ok := errors.AsType[*exec.ExitError](err); ok {
			b.t.Fatalf("python: %v\n%s", err, e.Stderr)
		}
		b.t.Fatal(err)
	}
}

// valid checks a file with nbformat, strictly: cells must have ids, and nothing is repaired.
func (b *bench) valid(name string) {
	b.t.Helper()
	b.python(`
import json, sys, nbformat
nb = json.load(open(sys.argv[1]))
assert nb["nbformat"] == 4 and nb["nbformat_minor"] >= 5, nb["nbformat_minor"]
ids = [c["id"] for c in nb["cells"]]
assert len(set(ids)) == len(ids), ids
nbformat.validate(nb)
`, name)
}

func TestLiveANotebookFromCreationToDeletion(t *testing.T) {
	b := newBench(t)
	made := must[catalog.NotebookCreateOut](b, catalog.NotebookCreate,
		`{"path": "a/b/../分析.ipynb", "cells": [{"cell_type": "markdown", "source": "# One\ntwo"}, {"cell_type": "code", "source": "x = 6"}]}`)
	if made.Path != "a/分析.ipynb" || made.CreatedAt.IsZero() {
		t.Fatalf("created %+v", made)
	}
	b.valid("a/分析.ipynb")
	b.refused(catalog.NotebookCreate, `{"path": "a/分析.ipynb"}`, tool.AlreadyExists)
	b.refused(catalog.NotebookCreate, `{"path": "../分析.ipynb"}`, tool.Validation)
	b.refused(catalog.NotebookCreate, `{"path": "a"}`, tool.Validation)
	b.refused(catalog.NotebookRead, `{"path": "none.ipynb"}`, tool.NotebookNotFound)
	b.refused(catalog.NotebookRead, `{"path": "a"}`, tool.Validation)

	added := must[catalog.CellChanged](b, catalog.NotebookAddCell, `{"notebook_path": "a/分析.ipynb", "cell_type": "code", "source": "print('hi')\nx * 7", "run": true}`)
	if added.Index != 2 || added.Execution == nil || added.Execution.Text != "" && added.Execution.Status != "error" {
		t.Logf("added %+v", added)
	}
	if added.Execution.Status != "error" || added.Success || added.Saved == nil || !*added.Saved {
		t.Fatalf("x is not defined: %+v %+v", added, added.Execution)
	}
	ran := must[catalog.CellChanged](b, catalog.NotebookRunCell, `{"path": "a/分析.ipynb", "index": 1}`)
	if !ran.Success || ran.Execution.ExecutionCount != 2 {
		t.Fatalf("ran %+v %+v", ran, ran.Execution)
	}
	ran = must[catalog.CellChanged](b, catalog.NotebookRunCell, `{"path": "a/分析.ipynb", "cell_id": "`+added.CellID+`"}`)
	if ran.Execution.Text != "42" || ran.Execution.Stdout != "hi\n" {
		t.Fatalf("ran %+v", ran.Execution)
	}
	b.valid("a/分析.ipynb")
	read := must[catalog.NotebookReadOut](b, catalog.NotebookRead, `{"path": "a/分析.ipynb"}`)
	three := 3
	want := catalog.NotebookCell{
		Index: 2, CellID: added.CellID, ExecutionCount: &three, CellType: "code", Source: "print('hi')\nx * 7",
		Outputs: []catalog.CellOutput{
			{OutputType: "stream", Name: "stdout", Text: "hi\n"}, {OutputType: "execute_result", Text: "42", Index: 1},
		},
	}
	if diff := cmp.Diff(want, read.Cells[2]); diff != "" || read.Total != 3 || read.SessionID != ran.Execution.SessionID {
		t.Fatalf("read (-want +got):\n%s", diff)
	}

	must[catalog.CellChanged](b, catalog.NotebookMoveCell, `{"path": "a/分析.ipynb", "index": 2, "to": 0}`)
	edited := must[catalog.CellChanged](b, catalog.NotebookEditCell, `{"path": "a/分析.ipynb", "cell_id": "`+added.CellID+`", "source": "x"}`)
	if edited.Index != 0 {
		t.Fatalf("edited %+v", edited)
	}
	gone := must[catalog.NotebookDeleteCellOut](b, catalog.NotebookDeleteCell, `{"path": "a/分析.ipynb", "index": 1}`)
	if gone.Removed != (catalog.NewCell{CellType: "markdown", Source: "# One\ntwo"}) || gone.Total != 2 {
		t.Fatalf("deleted %+v", gone)
	}
	b.refused(catalog.NotebookDeleteCell, `{"path": "a/分析.ipynb", "index": 2}`, tool.CellNotFound)
	b.refused(catalog.NotebookEditCell, `{"path": "a/分析.ipynb", "cell_id": "none", "source": ""}`, tool.CellNotFound)
	b.refused(catalog.NotebookEditCell, `{"path": "a/分析.ipynb", "source": ""}`, tool.Validation)
	b.valid("a/分析.ipynb")
}

func TestLiveOutputsAreSavedAfterTheCallHasAnswered(t *testing.T) {
	b := newBench(t)
	must[catalog.NotebookCreateOut](b, catalog.NotebookCreate, `{"path": "long.ipynb", "cells": [{"cell_type": "code", "source": "import os, time\nprint('begun', flush=True)\nwhile not os.path.exists('go'): time.sleep(0.01)\nprint('done')"}]}`)
	ran := must[catalog.CellChanged](b, catalog.NotebookRunCell, `{"path": "long.ipynb", "index": 0, "wait": 0}`)
	if ran.Saved != nil || catalog.Ended(ran.Execution.Status) || !ran.Success {
		t.Fatalf("answered %+v %+v", ran, ran.Execution)
	}
	b.write("go", "")
	for ctx := b.context(); ; {
		read := must[catalog.NotebookReadOut](b, catalog.NotebookRead, `{"path": "long.ipynb"}`)
		if len(read.Cells[0].Outputs) > 0 {
			if got := read.Cells[0].Outputs[0].Text; got != "begun\ndone\n" {
				t.Fatalf("saved %q", got)
			}
			break
		}
		if ctx.Err() != nil {
			x := must[catalog.Execution](b, catalog.GetExecution, `{"execution_id": "`+ran.Execution.ExecutionID+`"}`)
			t.Fatalf("never saved: %+v, %+v", x, x.Error)
		}
	}
	b.valid("long.ipynb")

	// A cell that was edited while it ran keeps the new source.
	must[catalog.CellChanged](b, catalog.NotebookEditCell, `{"path": "long.ipynb", "index": 0, "source": "import time; time.sleep(2); print('old')"}`)
	ran = must[catalog.CellChanged](b, catalog.NotebookRunCell, `{"path": "long.ipynb", "index": 0, "wait": 0}`)
	must[catalog.CellChanged](b, catalog.NotebookEditCell, `{"path": "long.ipynb", "index": 0, "source": "'new'"}`)
	x := must[catalog.Execution](b, catalog.GetExecution, `{"execution_id": "`+ran.Execution.ExecutionID+`", "wait": 30}`)
	if x.Stdout != "old\n" {
		t.Fatalf("ran %+v", x)
	}
	again := must[catalog.CellChanged](b, catalog.NotebookRunCell, `{"path": "long.ipynb", "index": 0}`)
	if again.Execution.Text != "'new'" {
		t.Fatalf("the edit is lost: %+v", again.Execution)
	}
}

func TestLiveADyingKernelLeavesAMarkInItsCell(t *testing.T) {
	b := newBench(t)
	must[catalog.NotebookCreateOut](b, catalog.NotebookCreate, `{"path": "die.ipynb"}`)
	ran := must[catalog.CellChanged](b, catalog.NotebookAddCell, `{"path": "die.ipynb", "cell_type": "code", "run": true, "source": "import os, signal\nprint('last words', flush=True)\nos.kill(os.getpid(), signal.SIGKILL)"}`)
	if ran.Execution.Status != catalog.StatusKernelDied {
		t.Fatalf("%+v", ran.Execution)
	}
	read := must[catalog.NotebookReadOut](b, catalog.NotebookRead, `{"path": "die.ipynb"}`)
	outputs := read.Cells[0].Outputs
	if n := len(outputs); n == 0 || outputs[n-1].Ename != catalog.CodeKernelDied {
		t.Fatalf("outputs %+v", outputs)
	}
	b.valid("die.ipynb")
}

func TestLiveForeignNotebooksSurviveAnEdit(t *testing.T) {
	b := newBench(t)
	b.write("old.ipynb", `{"nbformat": 4, "nbformat_minor": 2, "metadata": {"my": {"deep": [1, 2.50, "é\u2028"]}, "kernelspec": {"name": "gone", "display_name": "G", "language": "python"}},
 "cells": [{"cell_type": "code", "execution_count": null, "metadata": {"tags": ["t"], "x": 12345678901234567890}, "source": ["a = 1\n", "a"], "outputs": [{"output_type": "display_data", "metadata": {"k": 1}, "data": {"application/x.y+json": {"z": [null]}, "text/plain": ["p\n", "q"]}}]},
 {"cell_type": "markdown", "metadata": {}, "source": "same", "attachments": {"i.png": {"image/png": "AAAA"}}}, {"cell_type": "markdown", "metadata": {}, "source": "same"}]}`)
	first := must[catalog.NotebookReadOut](b, catalog.NotebookRead, `{"path": "old.ipynb"}`)
	second := must[catalog.NotebookReadOut](b, catalog.NotebookRead, `{"path": "old.ipynb"}`)
	if diff := cmp.Diff(first.Cells, second.Cells); diff != "" {
		t.Fatalf("ids differ between two readings:\n%s", diff)
	}
	must[catalog.CellChanged](b, catalog.NotebookEditCell, `{"path": "old.ipynb", "cell_id": "`+first.Cells[2].CellID+`", "source": "other"}`)
	b.valid("old.ipynb")
	b.python(`
import json, sys
nb = json.load(open("old.ipynb"))
ids = sys.argv[1].split(",")
assert [c["id"] for c in nb["cells"]] == ids, (nb["cells"], ids)
assert nb["metadata"]["my"] == {"deep": [1, 2.5, "é\u2028"]}, nb["metadata"]
c = nb["cells"][0]
assert c["metadata"] == {"tags": ["t"], "x": 12345678901234567890}, c
assert c["source"] == ["a = 1\n", "a"]
assert c["outputs"][0] == {"output_type": "display_data", "metadata": {"k": 1}, "data": {"application/x.y+json": {"z": [None]}, "text/plain": ["p\n", "q"]}}, c
assert nb["cells"][1]["attachments"] == {"i.png": {"image/png": "AAAA"}}
assert nb["cells"][2]["source"] == ["other"]
`, first.Cells[0].CellID+","+first.Cells[1].CellID+","+first.Cells[2].CellID)
	// The server does not have the kernel that it names, but one of the same language.
	ran := must[catalog.CellChanged](b, catalog.NotebookRunCell, `{"path": "old.ipynb", "index": 0}`)
	if ran.Execution.Text != "1" {
		t.Errorf("ran %+v", ran.Execution)
	}

	b.write("noids.ipynb", `{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [{"cell_type": "code", "execution_count": null, "metadata": {}, "source": "2", "outputs": []}]}`)
	first = must[catalog.NotebookReadOut](b, catalog.NotebookRead, `{"path": "noids.ipynb"}`)
	ran = must[catalog.CellChanged](b, catalog.NotebookRunCell, `{"path": "noids.ipynb", "cell_id": "`+first.Cells[0].CellID+`"}`)
	if ran.Saved == nil || !*ran.Saved {
		t.Errorf("outputs of a cell without an id of its own are lost: %+v", ran)
	}
	b.valid("noids.ipynb")

	b.write("three.ipynb", `{"nbformat": 3, "nbformat_minor": 0, "metadata": {"name": ""}, "worksheets": [{"cells": [{"cell_type": "code", "input": "1", "language": "python", "outputs": [], "collapsed": false, "metadata": {}}], "metadata": {}}]}`)
	must[catalog.NotebookReadOut](b, catalog.NotebookRead, `{"path": "three.ipynb"}`)
	e := b.refusal(catalog.NotebookAddCell, `{"path": "three.ipynb", "cell_type": "code", "source": ""}`, tool.Unsupported)
	t.Log(e.Detail)
	b.write("broken.ipynb", `{"cells": [`)
	b.refused(catalog.NotebookRead, `{"path": "broken.ipynb"}`, tool.Validation)
	b.write("nan.ipynb", `{"nbformat": 4, "nbformat_minor": 5, "metadata": {"x": NaN}, "cells": []}`)
	b.refused(catalog.NotebookRead, `{"path": "nan.ipynb"}`, tool.Validation)
	b.write("text.txt", "hello")
	b.refused(catalog.NotebookRead, `{"path": "text.txt"}`, tool.Validation)
}

// jupyter-server reverts a write of a notebook that is being read. Easel's own reads must not
// cause this.
func TestLiveEditsSurviveReaders(t *testing.T) {
	b := newBench(t)
	must[catalog.NotebookCreateOut](b, catalog.NotebookCreate, `{"path": "read.ipynb"}`)
	ctx, stop := context.WithCancel(b.context())
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for ctx.Err() == nil {
				if _, err := call[catalog.NotebookReadOut](b, catalog.NotebookRead, `{"path": "read.ipynb"}`); err != nil {
					b.t.Error(err)
					return
				}
			}
		})
	}
	defer readers.Wait()
	defer stop()
	const edits = 40
	for i := range edits {
		must[catalog.CellChanged](b, catalog.NotebookAddCell, fmt.Sprintf(`{"path": "read.ipynb", "cell_type": "code", "source": "%d"}`, i))
	}
	stop()
	readers.Wait()
	read := must[catalog.NotebookReadOut](b, catalog.NotebookRead, `{"path": "read.ipynb"}`)
	if read.Total != edits {
		b.t.Fatalf("%d of %d cells are there", read.Total, edits)
	}
	for i, c := range read.Cells {
		if c.Source != fmt.Sprint(i) {
			b.t.Errorf("cell %d has %q", i, c.Source)
		}
	}
}

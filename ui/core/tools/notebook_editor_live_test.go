package tools_test

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"easel/eventbus"
	"easel/internal/require"
	"easel/jupyter/wire"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/kernels/record"
)

// A fakeEditor is an extension that has one notebook open, as docs/dev/editors.md describes it. The real one is tested in a real editor.
type fakeEditor struct {
	t    *testing.T
	out  chan []byte // messages to Easel
	in   chan map[string]any
	gone chan struct{}
	end  error         // why gone is closed
	left chan struct{} // closed when Easel no longer serves it

	mu     sync.Mutex
	cells  []map[string]any
	before func(method string) // called before a request is handled
	dirty  bool
	refuse string // why a run is refused after it
	run    func(cell map[string]any, report func(map[string]any)) bool
	stop   chan struct{} // receives interrupts
	cancel chan struct{} // receives cancels
	shown  map[string]any
	last   any // id of the last request
}

// Receive implements catalog.EditorLink.
func (e *fakeEditor) Receive() ([]byte, error) {
	select {
	case m := <-e.out:
		return m, nil
	case <-e.gone:
		return nil, e.end
	}
}

// Send implements catalog.EditorLink.
func (e *fakeEditor) Send(raw []byte) error {
	var m map[string]any
	if err := json.Unmarshal(raw, &m); err != nil {
		return err
	}
	go e.handle(m)
	return nil
}

func (e *fakeEditor) say(m map[string]any) {
	raw, err := json.Marshal(m)
	require.NoError(e.t, err)
	select {
	case e.out <- raw:
	case <-e.gone:
	}
}

func (e *fakeEditor) handle(m map[string]any) {
	if m["type"] == "shown" {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.shown = m
		return
	}
	if m["type"] == "cancel" {
		e.cancel <- struct{}{}
	}
	if m["type"] != "request" {
		return
	}
	params := m["params"].(map[string]any)
	e.mu.Lock()
	e.last = m["id"]
	if e.before != nil {
		e.before(m["method"].(string))
	}
	e.mu.Unlock()
	answer := map[string]any{"type": "answer", "id": m["id"]}
	result, refused := e.answer(m["method"].(string), params, func(r map[string]any) {
		r["type"], r["id"] = "run", m["id"]
		e.say(r)
	})
	if refused != "" {
		answer["error"] = map[string]string{"kind": "changed", "message": refused}
	} else {
		answer["result"] = result
	}
	e.say(answer)
}

func (e *fakeEditor) index(id any) int {
	return slices.IndexFunc(e.cells, func(c map[string]any) bool { return c["id"] == id })
}

func (e *fakeEditor) answer(method string, params map[string]any, report func(map[string]any)) (result any, refused string) {
	if method == "run" {
		e.mu.Lock()
		cell := e.cells[e.index(params["cell"])]
		e.mu.Unlock()
		if cell["source"] != params["code"] {
			return nil, "the text of the cell was changed"
		}
		return map[string]any{"ok": e.run(cell, report), "saved": !e.dirty}, e.refuse
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	switch method {
	case "interrupt":
		e.stop <- struct{}{}
		return map[string]any{}, ""
	case "read", "glance":
		return map[string]any{"nbformat": 4, "nbformat_minor": 5, "metadata": map[string]any{}, "cells": e.cells}, ""
	}
	c := params["change"].(map[string]any)
	i := e.index(c["cell"])
	if c["op"] == "insert" {
		e.cells = slices.Insert(e.cells, e.index(c["after"])+1, map[string]any{
			"id": c["cell"], "cell_type": c["type"], "source": c["source"], "metadata": map[string]any{}, "outputs": []any{},
		})
		return map[string]any{"cell": c["cell"]}, ""
	}
	if i < 0 || e.cells[i]["source"] != c["before"] {
		return nil, "the text of the cell was changed"
	}
	switch c["op"] {
	case "set":
		e.cells[i]["source"] = c["source"]
	case "delete":
		e.cells = slices.Delete(e.cells, i, i+1)
	case "move":
		cell := e.cells[i]
		e.cells = slices.Delete(e.cells, i, i+1)
		e.cells = slices.Insert(e.cells, e.index(c["after"])+1, cell)
	}
	return map[string]any{"cell": c["cell"]}, ""
}

// close ends the connection, and waits until Easel has noticed.
func (e *fakeEditor) close() {
	close(e.gone)
	<-e.left
}

func codeCell(id, source string) map[string]any {
	return map[string]any{"id": id, "cell_type": "code", "source": source, "metadata": map[string]any{}, "outputs": []any{}}
}

// openInEditor has a fake editor open a notebook on disk.
func (b *bench) openInEditor(name string, cells ...map[string]any) *fakeEditor {
	b.t.Helper()
	e := &fakeEditor{
		t: b.t, out: make(chan []byte), in: make(chan map[string]any), gone: make(chan struct{}), end: io.EOF, left: make(chan struct{}),
		cells: cells, stop: make(chan struct{}, 1), cancel: make(chan struct{}, 1),
	}
	go func() {
		defer close(e.left)
		_, _ = b.editors.Serve(b.t.Context(), e)
	}()
	path := filepath.Join(b.real.Root, name)
	e.say(map[string]any{"type": "hello", "editor": "Test Code"})
	e.say(map[string]any{"type": "notebooks", "notebooks": []map[string]any{{"uri": "file://" + path, "path": path, "language": "python", "kernel": "python3"}}})
	e.say(map[string]any{"type": "alive"}) // Easel has handled what was before
	return e
}

func TestLiveANotebookThatAnEditorHasOpenIsWrittenThere(t *testing.T) {
	b := newBench(t)
	must[catalog.NotebookCreateOut](b, catalog.NotebookCreate, `{"path": "open.ipynb", "cells": [{"cell_type": "code", "source": "saved"}]}`)
	before := string(b.file("open.ipynb"))
	e := b.openInEditor("open.ipynb", codeCell("c1", "x = 1  # not saved"), codeCell("c2", "y = 2"))
	read := must[catalog.NotebookReadOut](b, catalog.NotebookRead, `{"path": "open.ipynb"}`)
	if read.Via != catalog.ViaEditor || len(read.Cells) != 2 || read.Cells[0].Source != "x = 1  # not saved" {
		t.Fatalf("read %+v", read)
	}
	if out := must[catalog.CellChanged](b, catalog.NotebookEditCell, `{"path": "open.ipynb", "cell_id": "c2", "source": "y = 3"}`); out.Via != catalog.ViaEditor || out.Index != 1 {
		t.Errorf("edited %+v", out)
	}
	added := must[catalog.CellChanged](b, catalog.NotebookAddCell, `{"path": "open.ipynb", "cell_type": "markdown", "source": "# Title", "position": 0}`)
	if added.Index != 0 || e.cells[0]["source"] != "# Title" || added.CellID != e.cells[0]["id"] {
		t.Errorf("added %+v, the editor has %v", added, e.cells)
	}
	must[catalog.CellChanged](b, catalog.NotebookMoveCell, fmt.Sprintf(`{"path": "open.ipynb", "cell_id": %q, "to": 2}`, added.CellID))
	removed := must[catalog.NotebookDeleteCellOut](b, catalog.NotebookDeleteCell, `{"path": "open.ipynb", "cell_id": "c1"}`)
	if removed.Removed.Source != "x = 1  # not saved" || len(e.cells) != 2 || e.cells[0]["source"] != "y = 3" || e.cells[1]["source"] != "# Title" {
		t.Errorf("removed %+v, the editor has %v", removed, e.cells)
	}
	// The user types in a cell that the assistant has read.
	e.cells[0]["source"] = "y = 3  # mine"
	if refused := b.refusal(catalog.NotebookEditCell, `{"path": "open.ipynb", "cell_id": "c2", "source": "y = 4"}`, tool.NotExecutable); !strings.Contains(refused.Detail, "y = 3  # mine") {
		t.Errorf("refused with %v", refused)
	}
	// The user types while the edit is on its way.
	e.before = func(method string) {
		if method == "apply" {
			e.cells[0]["source"] = "y = 3  # still typing"
		}
	}
	b.refused(catalog.NotebookEditCell, `{"path": "open.ipynb", "cell_id": "c2", "source": "y = 4"}`, tool.NotExecutable)
	if e.cells[0]["source"] != "y = 3  # still typing" {
		t.Errorf("the editor has %v", e.cells)
	}
	if after := string(b.file("open.ipynb")); after != before {
		t.Errorf("the file was written beside the editor:\n%s", after)
	}
}

func TestLiveACellRunsInTheEditor(t *testing.T) {
	b := newBench(t)
	must[catalog.NotebookCreateOut](b, catalog.NotebookCreate, `{"path": "run.ipynb"}`)
	e := b.openInEditor("run.ipynb")
	picture := "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
	e.run = func(_ map[string]any, report func(map[string]any)) bool {
		report(map[string]any{"event": "started"})
		report(map[string]any{"event": "output", "output": map[string]any{"output_type": "stream", "name": "stdout", "text": "printed\n"}})
		report(map[string]any{"event": "output", "output": map[string]any{"output_type": "display_data", "data": map[string]string{"image/png": picture}, "metadata": map[string]any{}}})
		report(map[string]any{"event": "output", "output": map[string]any{"output_type": "execute_result", "data": map[string]string{"text/plain": "42"}, "metadata": map[string]any{}}})
		report(map[string]any{"event": "count", "count": 7})
		return true
	}
	out := must[catalog.CellChanged](b, catalog.NotebookAddCell, `{"path": "run.ipynb", "cell_type": "code", "source": "plot()", "run": true}`)
	x := out.Execution
	if out.Via != catalog.ViaEditor || x == nil || x.Status != catalog.StatusOK || x.Stdout != "printed\n" || x.Text != "42" || x.ExecutionCount != 7 ||
		len(x.Images) != 1 || out.Saved == nil || !*out.Saved {
		t.Fatalf("ran %+v, %+v", out, x)
	}
	// Other code does not run there, and nothing is asked of the kernel.
	b.refused(catalog.ExecuteCode, fmt.Sprintf(`{"session_id": %q, "code": "1"}`, x.SessionID), tool.NotExecutable)
	b.refused(catalog.GetVariables, fmt.Sprintf(`{"session_id": %q}`, x.SessionID), tool.NotExecutable)

	e.run = func(_ map[string]any, report func(map[string]any)) bool {
		report(map[string]any{"event": "started"})
		report(map[string]any{"event": "output", "output": map[string]any{"output_type": "error", "ename": "ValueError", "evalue": "no", "traceback": []string{"ValueError: no"}}})
		return false
	}
	e.dirty = true
	failed := must[catalog.CellChanged](b, catalog.NotebookRunCell, `{"path": "run.ipynb", "index": 0}`)
	if x := failed.Execution; x.Error == nil || x.Error.Type != "ValueError" || *failed.Saved || !strings.Contains(failed.Note, "the user saves it") {
		t.Errorf("ran %+v", failed)
	}

	e.run = func(_ map[string]any, report func(map[string]any)) bool {
		report(map[string]any{"event": "started"})
		<-e.stop
		return false
	}
	interrupted := make(chan struct{})
	go func() {
		defer close(interrupted)
		for running := false; !running; {
			running = slices.ContainsFunc(b.kernels.Live(), func(v record.SessionView) bool {
				return v.Running != nil && v.Running.ExecutionID != failed.Execution.ExecutionID
			})
		}
		if out := must[catalog.SessionInterruptOut](b, catalog.SessionInterrupt, fmt.Sprintf(`{"session_id": %q}`, x.SessionID)); out.Outcome != catalog.Interrupted {
			t.Errorf("the interrupt: %+v", out)
		}
	}()
	if out, err := call[catalog.CellChanged](b, catalog.NotebookRunCell, `{"path": "run.ipynb", "index": 0}`); err != nil || out.Execution.Status != catalog.StatusInterrupted {
		t.Errorf("interrupted: %+v, %v", out.Execution, err)
	}
	<-interrupted // its call is answered after the cell's
}

func TestLiveAnEditorLeavesAndReturns(t *testing.T) {
	b := newBench(t)
	must[catalog.NotebookCreateOut](b, catalog.NotebookCreate, `{"path": "run.ipynb"}`)
	e := b.openInEditor("run.ipynb", codeCell("c1", "1"))
	// The window is closed while the cell runs.
	e.run = func(_ map[string]any, report func(map[string]any)) bool {
		report(map[string]any{"event": "started"})
		e.close()
		return true
	}
	if out, err := call[catalog.CellChanged](b, catalog.NotebookRunCell, `{"path": "run.ipynb", "index": 0}`); err != nil || out.Execution.Error == nil ||
		out.Execution.Error.Type != "EditorDisconnected" {
		t.Errorf("disconnected: %+v, %v", out.Execution, err)
	}
	// A refusal after the cell has begun is its end, too: the kernel is free afterwards.
	e = b.openInEditor("run.ipynb", codeCell("c1", "1"))
	e.run = func(_ map[string]any, report func(map[string]any)) bool {
		report(map[string]any{"event": "started"})
		e.refuse = "the editor failed"
		return false
	}
	out, err := call[catalog.CellChanged](b, catalog.NotebookRunCell, `{"path": "run.ipynb", "index": 0}`)
	if err != nil || out.Execution.Error == nil || out.Execution.Error.Type != "EditorFailed" || !strings.Contains(out.Execution.Error.Message, "the editor failed") {
		t.Errorf("failed: %+v, %v", out.Execution, err)
	}
	e.close()
	// Its edits may not be saved, so the file is not written until it is back.
	add := `{"path": "run.ipynb", "cell_type": "code", "source": "1"}`
	if refused := b.refusal(catalog.NotebookAddCell, add, tool.NotExecutable); !strings.Contains(refused.Detail, "Test Code, which has been reloaded or closed") {
		t.Errorf("refused with %v", refused)
	}
	again := b.openInEditor("run.ipynb")
	must[catalog.CellChanged](b, catalog.NotebookAddCell, add)
	if id := again.last.(float64); id < 1000 || id == e.last { // the chance that a random one is: 1e-12
		t.Errorf("request %v may be mistaken for one of another connection", id)
	}
	if len(again.cells) != 1 {
		t.Errorf("the editor has %v", again.cells)
	}
	// Two windows have two copies.
	b.openInEditor("run.ipynb")
	if refused := b.refusal(catalog.NotebookAddCell, add, tool.NotExecutable); !strings.Contains(refused.Detail, "2 windows") {
		t.Errorf("refused with %v", refused)
	}
	// The user closes it in both, without reloading: then it is a file again.
	again.say(map[string]any{"type": "notebooks", "notebooks": []any{}})
	again.say(map[string]any{"type": "alive"})
	if out := must[catalog.CellChanged](b, catalog.NotebookAddCell, add); out.Via != catalog.ViaEditor {
		t.Errorf("in the other window: %+v", out)
	}
}

// While the editor has not begun a cell, for example because its user chooses a kernel, the kernel is busy. Otherwise, the watchdog
// would report the cell as one that did not run, and it could run later.
func TestLiveACellThatWaitsInTheEditor(t *testing.T) {
	b := newBench(t)
	must[catalog.NotebookCreateOut](b, catalog.NotebookCreate, `{"path": "wait.ipynb"}`)
	e := b.openInEditor("wait.ipynb", codeCell("c1", "1"))
	e.run = func(_ map[string]any, report func(map[string]any)) bool {
		for _, v := range b.kernels.Live() {
			if k, err := b.here.Kernel(b.context(), v.KernelID); err != nil || k.State != wire.StateBusy {
				t.Errorf("before it begins: %+v, %v", k, err)
			}
		}
		report(map[string]any{"event": "started"})
		return true
	}
	out, err := call[catalog.CellChanged](b, catalog.NotebookRunCell, `{"path": "wait.ipynb", "index": 0}`)
	if err != nil || out.Execution.Status != catalog.StatusOK {
		t.Fatalf("after the user has chosen: %+v, %v", out.Execution, err)
	}
	// An interrupt takes back what has not begun.
	session, taken := out.Execution.SessionID, make(chan struct{})
	e.run = func(map[string]any, func(map[string]any)) bool {
		go func() {
			defer close(taken)
			must[catalog.SessionInterruptOut](b, catalog.SessionInterrupt, fmt.Sprintf(`{"session_id": %q}`, session))
		}()
		<-e.cancel
		return false
	}
	out, err = call[catalog.CellChanged](b, catalog.NotebookRunCell, `{"path": "wait.ipynb", "index": 0}`)
	if err != nil || out.Execution.Status != catalog.StatusInterrupted || !strings.Contains(out.Execution.Error.Message, "It never ran.") {
		t.Errorf("taken back: %+v, %v", out.Execution, err)
	}
	<-taken
}

// If Easel ends while a cell runs in the editor, nothing is said about how the cell has ended.
func TestLiveEaselEndsWhileACellRunsInTheEditor(t *testing.T) {
	b := newBench(t)
	must[catalog.NotebookCreateOut](b, catalog.NotebookCreate, `{"path": "end.ipynb"}`)
	e := b.openInEditor("end.ipynb", codeCell("c1", "1"))
	e.run = func(_ map[string]any, report func(map[string]any)) bool {
		report(map[string]any{"event": "started"})
		e.end = eventbus.ErrClosed
		e.close()
		return true
	}
	out, err := call[catalog.CellChanged](b, catalog.NotebookRunCell, `{"path": "end.ipynb", "index": 0, "wait": 1}`)
	if err != nil || out.Execution.Status != catalog.StatusRunning || out.Execution.Error != nil {
		t.Errorf("ended: %+v, %v", out.Execution, err)
	}
}

package tools_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/command"
	"easel/ui/core/oversight"
	"easel/ui/core/rights"
	"easel/ui/core/state"
)

// TestLiveTheModeHoldsWhenCodeIsSent changes what the user allows while code waits: in the queue of
// a kernel, and in a range of cells whose first one the user has approved.
func TestLiveTheModeHoldsWhenCodeIsSent(t *testing.T) {
	b := newBench(t)
	set := func(access string, paused bool) {
		b.store.Update(func(s *state.Snapshot) { s.Settings.Access, s.Paused = access, paused })
	}
	t.Cleanup(func() { set(oversight.AccessAllow, false) })
	session := must[catalog.SessionCreateOut](b, catalog.SessionCreate, `{}`).SessionID
	start := func(code string) string {
		return must[catalog.Execution](b, catalog.ExecuteCode, fmt.Sprintf(`{"session_id": %q, "code": %q, "wait": 0}`, session, code)).ExecutionID
	}
	now := func(id string, wait int) catalog.Execution {
		return must[catalog.Execution](b, catalog.GetExecution, fmt.Sprintf(`{"execution_id": %q, "wait": %d}`, id, wait))
	}
	names := func() (names []string) {
		for _, v := range must[catalog.GetVariablesOut](b, catalog.GetVariables, fmt.Sprintf(`{"session_id": %q}`, session)).Variables {
			names = append(names, v.Name)
		}
		return names
	}
	// question waits for a question about code that contains a text.
	question := func(text string) string {
		found := make(chan string, 1)
		look := func() {
			for _, q := range b.store.Snapshot().Approvals {
				if strings.Contains(q.Code, text) {
					select {
					case found <- q.ApprovalID:
					default:
					}
				}
			}
		}
		defer b.store.OnChange(look)()
		look()
		select {
		case id := <-found:
			return id
		case <-b.context().Done():
			t.Fatalf("the user is not asked about %q", text)
			return ""
		}
	}
	answer := func(id string) {
		in := command.ApprovalAnswer{ApprovalID: id, Approve: true}
		if _, err := command.AnswerApproval.Ask(tool.WithCaller(b.context(), tool.Caller{Transport: tool.Window}), b.bus, in); err != nil {
			t.Error(err)
		}
	}

	// Paused: what runs goes on, and what waits is held until the user resumes.
	runs, waits := start("import time\nfor i in range(3): time.sleep(0.1)\nran = 1"), start("held = 1")
	set(oversight.AccessAllow, true)
	if v := now(runs, 30); v.Status != catalog.StatusOK {
		t.Errorf("what ran when the user paused: %+v", v)
	}
	if v := now(waits, 0); v.Status != catalog.StatusQueued || !strings.Contains(v.Hint, "paused the AI") {
		t.Errorf("what waited when the user paused: %+v", v)
	}
	if got := names(); !slices.Contains(got, "ran") || slices.Contains(got, "held") {
		t.Errorf("while the AI is paused, the kernel has %q", got)
	}
	set(oversight.AccessAllow, false)
	if v := now(waits, 30); v.Status != catalog.StatusOK {
		t.Errorf("after the user resumed: %+v", v)
	}

	// Ask first: what waits is asked about.
	runs, waits = start("for i in range(3): time.sleep(0.1)"), start("asked = 1")
	set(oversight.AccessAsk, false)
	answer(question("asked = 1"))
	if v := now(waits, 30); v.Status != catalog.StatusOK || now(runs, 0).Status != catalog.StatusOK {
		t.Errorf("after the user approved: %+v", v)
	}

	// Kinds that are allowed in the session do not answer the question about all code, and nothing is asked over and over.
	for _, c := range []struct {
		own   rights.Table
		where command.KindsFor
		kinds int
	}{{rights.Named(rights.Each), command.KindsOnce, 0}, {rights.Named(rights.Compute), command.KindsInSession, 1}, {rights.Named(rights.Each), command.KindsOnce, 0}} {
		b.store.Update(func(s *state.Snapshot) { s.EditAssistant("", func(a *state.Assistant) { a.Rights = c.own }) })
		text := fmt.Sprintf("kinds_%d = exec('1')", c.kinds)
		waits = start(text)
		id := question(text)
		for _, q := range b.store.Snapshot().Approvals {
			if q.ApprovalID == id && (len(q.Kinds()) != c.kinds || len(q.Risks) != 1) {
				t.Errorf("asked about %q because of %q, with %+v", text, q.Kinds(), q.Risks)
			}
		}
		in := command.ApprovalAnswer{ApprovalID: id, Approve: true, Kinds: c.where}
		if _, err := command.AnswerApproval.Ask(tool.WithCaller(b.context(), tool.Caller{Transport: tool.Window}), b.bus, in); err != nil {
			t.Error(err)
		}
		if v := now(waits, 30); v.Status != catalog.StatusOK {
			t.Errorf("after the user approved %q: %+v", text, v)
		}
	}
	b.store.Update(func(s *state.Snapshot) { s.Assistants, s.Trusted = nil, nil })

	// Read only: what waits ends, also in a range of which the user has approved the first cell.
	must[catalog.NotebookCreateOut](b, catalog.NotebookCreate, `{"path": "gate.ipynb", "cells": [
		{"cell_type": "code", "source": "import os, time\nwhile not os.path.exists('gate-is-open'): time.sleep(0.01)\nfirst = 1"}, {"cell_type": "code", "source": "second = 2"},
		{"cell_type": "code", "source": "third = 3"}, {"cell_type": "code", "source": "fourth = 4"}]}`)
	result := make(chan catalog.CellChanged, 1)
	go func() {
		out, err := call[catalog.CellChanged](b, catalog.NotebookRunCell, `{"path": "gate.ipynb", "index": 0, "through": -1}`)
		if err != nil {
			t.Error(err)
		}
		result <- out
	}()
	id := question("first = 1")
	session = must[catalog.SessionCreateOut](b, catalog.SessionCreate, `{"notebook_path": "gate.ipynb"}`).SessionID
	queued := start("queued = 1") // it is asked about, too
	answer(id)
	for now(id, 0).Status != catalog.StatusRunning { // the execution has the id of its question
	}
	set(oversight.AccessReadOnly, false)
	b.write("gate-is-open", "")
	out := <-result
	if out.Execution == nil || out.Execution.Status != catalog.StatusOK || out.Left != 3 || !strings.Contains(out.Reason, "only to read") {
		t.Errorf("the range: left %d, reason %q, execution %+v", out.Left, out.Reason, out.Execution)
	}
	if v := now(queued, 30); v.Status != catalog.StatusCancelled || v.Error.Code != catalog.CodeDenied || !strings.Contains(v.Error.Message, "only read") {
		t.Errorf("what waited for approval: %+v, %+v", v, v.Error)
	}
	if got := names(); !slices.Equal(got, []string{"first"}) {
		t.Errorf("the kernel of the notebook has %q", got)
	}
	if open := b.store.Snapshot().Approvals; len(open) != 0 {
		t.Errorf("the user is still asked: %+v", open)
	}
}

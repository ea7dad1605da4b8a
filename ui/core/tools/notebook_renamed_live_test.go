package tools_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"easel/internal/require"
	"easel/jupyter"
	"easel/jupyter/jupytertest"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
)

// rename renames the notebook of a session as JupyterLab does.
func (b *bench) rename(real *jupytertest.Real, session, from, to string) {
	b.t.Helper()
	for at, change := range map[string]any{
		"contents/" + from: map[string]string{"path": to}, "sessions/" + session: map[string]string{"path": to, "name": to},
	} {
		body, err := json.Marshal(change)
		require.NoError(b.t, err)
		req, err := http.NewRequestWithContext(b.context(), http.MethodPatch, real.URL+"/api/"+at, bytes.NewReader(body))
		require.NoError(b.t, err)
		req.Header.Set("Authorization", "token "+real.Token)
		resp, err := http.DefaultClient.Do(req)
		require.NoError(b.t, err)
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			b.t.Fatalf("renaming %s: %s", at, resp.Status)
		}
	}
}

// plotOf is code that displays a picture.
const plotOf = `import base64; display({'image/png': 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='}, raw=True)`

func TestLiveARenamedNotebookKeepsItsSession(t *testing.T) {
	b := newBench(t)
	must[catalog.NotebookCreateOut](b, catalog.NotebookCreate, `{"path": "draft.ipynb", "cells": [
		{"cell_type": "markdown", "source": "# One"},
		{"cell_type": "code", "source": "`+plotOf+`"},
		{"cell_type": "code", "source": "import os, time\nprint('begun', flush=True)\nwhile not os.path.exists('renamed'): time.sleep(0.01)"},
		{"cell_type": "code", "source": "'after'"}]}`)
	drawn := must[catalog.CellChanged](b, catalog.NotebookRunCell, `{"path": "draft.ipynb", "index": 1}`)
	session := drawn.Execution.SessionID
	// plot returns where the plot's cell is.
	plot := func() string {
		images := must[catalog.ListSessionImagesOut](b, catalog.ListSessionImages, `{"session_id": "`+session+`"}`).Images
		if len(images) != 1 || images[0].Cell == nil || images[0].Cell.Index == nil {
			t.Fatalf("images %+v", images)
		}
		return strings.TrimSpace(fmt.Sprint(*images[0].Cell.Index, " ", images[0].Cell.Stale))
	}
	listed := func() string {
		for _, s := range must[catalog.SessionListOut](b, catalog.SessionList, `{}`).Sessions {
			if s.SessionID == session {
				return s.NotebookPath
			}
		}
		return "no session"
	}
	if got := plot(); got != "1" {
		t.Fatalf("the plot's cell is %s", got)
	}
	assistant := b.as("assistant")
	read := must[catalog.NotebookReadOut](assistant, catalog.NotebookRead, `{"path": "draft.ipynb"}`)

	// The notebook is renamed while a range of its cells runs.
	must[catalog.CellChanged](b, catalog.NotebookRunCell, `{"path": "draft.ipynb", "index": 2, "through": 3, "wait": 0}`)
	b.rename(b.real, session, "draft.ipynb", "report.ipynb")
	for spec, args := range map[tool.Any]string{
		catalog.NotebookRead:       `{"path": "draft.ipynb"}`,
		catalog.NotebookAddCell:    `{"path": "draft.ipynb", "cell_type": "code", "source": "1"}`,
		catalog.NotebookDeleteCell: `{"path": "draft.ipynb", "index": 0}`,
		catalog.NotebookRunCell:    `{"path": "draft.ipynb", "index": 0}`,
	} {
		if e := b.refusal(spec, args, tool.NotebookNotFound); !strings.Contains(e.Detail, `renamed to "report.ipynb"`) {
			t.Errorf("%s: %s", spec.Spec().Name, e.Detail)
		}
	}
	if e := b.refusal(catalog.SessionConnect, `{"notebook_path": "draft.ipynb"}`, tool.SessionNotFound); !strings.Contains(e.Detail, `renamed to "report.ipynb"`) {
		t.Errorf("session_connect: %s", e.Detail)
	}
	if got := listed(); got != "report.ipynb" {
		t.Errorf("session_list has %s", got)
	}
	b.write("renamed", "")
	for ctx := b.context(); ; {
		read := must[catalog.NotebookReadOut](b, catalog.NotebookRead, `{"path": "report.ipynb"}`)
		if len(read.Cells[3].Outputs) > 0 {
			if out := read.Cells[2].Outputs; len(out) != 1 || out[0].Text != "begun\n" || read.SessionID != session {
				t.Errorf("session %s, outputs %+v", read.SessionID, out)
			}
			break
		}
		if ctx.Err() != nil {
			t.Fatal("the rest of the range did not run")
		}
	}

	// What the assistant knows of the notebook is known under its new path.
	must[catalog.CellChanged](b, catalog.NotebookEditCell, `{"path": "report.ipynb", "cell_id": "`+read.Cells[0].CellID+`", "source": "# Two"}`)
	e := assistant.refusal(catalog.NotebookEditCell, `{"path": "report.ipynb", "cell_id": "`+read.Cells[0].CellID+`", "source": "# Three"}`, tool.NotExecutable)
	if !strings.Contains(e.Detail, "# Two") {
		t.Errorf("an edit of what has changed: %s", e.Detail)
	}

	// The plot follows its cell, also if nothing but a plot is asked for.
	must[catalog.CellChanged](b, catalog.NotebookMoveCell, `{"path": "report.ipynb", "index": 1, "to": 0}`)
	b.rename(b.real, session, "report.ipynb", "last.ipynb")
	must[catalog.NotebookReadOut](b, catalog.NotebookRead, `{"path": "last.ipynb"}`)
	must[catalog.CellChanged](b, catalog.NotebookEditCell, `{"path": "last.ipynb", "index": 0, "source": "`+plotOf+`  # again"}`)
	if got := plot(); got != "0 changed" {
		t.Errorf("the plot's cell is %s", got)
	}
	if e := b.refusal(catalog.NotebookRead, `{"path": "draft.ipynb"}`, tool.NotebookNotFound); !strings.Contains(e.Detail, `renamed to "last.ipynb"`) {
		t.Errorf("the first path: %s", e.Detail)
	}
	ran := must[catalog.CellChanged](b, catalog.NotebookRunCell, `{"path": "last.ipynb", "index": 3}`)
	if ran.Execution.SessionID != session {
		t.Error("it runs in another session")
	}
	testNotebookWhoseFileIsGone(b, "last.ipynb", drawn.Execution.SessionID)
}

// testNotebookWhoseFileIsGone deletes the file of a notebook whose session runs.
func testNotebookWhoseFileIsGone(b *bench, path, session string) {
	t := b.t
	require.NoError(t, os.Remove(filepath.Join(b.real.Root, path)))
	read := `{"path": "` + path + `"}`
	e := b.refusal(catalog.NotebookRead, read, tool.NotebookNotFound)
	if !strings.Contains(e.Detail, "no longer exists") || !strings.Contains(e.Hint, session) || !strings.Contains(e.Hint, "notebook_create") {
		t.Errorf("without another program: %s %s", e.Detail, e.Hint)
	}
	kernel := ""
	for _, s := range must[catalog.SessionListOut](b, catalog.SessionList, `{}`).Sessions {
		if s.SessionID == session {
			kernel = s.KernelID
		}
	}
	other, err := b.client.Follow(b.context(), kernel, jupyter.FollowOptions{})
	require.NoError(t, err)
	defer other.Close()
	b.connected(kernel, func(n int) bool { return n >= 2 })
	for spec, args := range map[tool.Any]string{
		catalog.NotebookRead: read, catalog.NotebookRunCell: `{"path": "` + path + `", "index": 0}`,
		catalog.NotebookEditCell: `{"path": "` + path + `", "index": 0, "source": "1"}`,
	} {
		e := b.refusal(spec, args, tool.NotebookNotFound)
		if !strings.Contains(e.Detail, "no longer exists") || !strings.Contains(e.Hint, "save it there") || strings.Contains(e.Hint, "notebook_create") {
			t.Errorf("%s: %s %s", spec.Spec().Name, e.Detail, e.Hint)
		}
	}
}

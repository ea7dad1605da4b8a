package export_test

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"easel/internal/require"
	"easel/jupyter/jupytertest"
	"easel/ui/core/command"
	"easel/ui/core/coretest"
	"easel/ui/core/library"
	"easel/ui/core/picture"
)

// runNotebook validates a notebook, runs it in a fresh kernel, and prints its cells and how
// many pictures it drew.
const runNotebook = jupytertest.OnSockets + `
import json, sys, nbformat
from nbclient import NotebookClient
nb = nbformat.read(sys.argv[1], as_version=nbformat.NO_CONVERT)
nbformat.validate(nb)
before = [sum("image/png" in o.get("data", {}) for o in c.get("outputs", [])) for c in nb.cells]
cells = [[c.cell_type, c.source] for c in nb.cells]
if sys.argv[2] == "run":
    with onSockets() as config:
        NotebookClient(nb, timeout=300, kernel_name=nb.metadata.kernelspec.name, config=config).execute()
after = [sum("image/png" in o.get("data", {}) for o in c.get("outputs", [])) for c in nb.cells]
print(json.dumps({"version": [nb.nbformat, nb.nbformat_minor], "kernel": nb.metadata.kernelspec.name, "cells": cells, "before": before, "after": after}))
`

type notebookRan struct {
	Version       []int
	Kernel        string
	Cells         [][2]string
	Before, After []int
}

func (x *exporting) notebook(path, do string) (ran notebookRan) {
	x.t.Helper()
	cmd := exec.CommandContext(x.t.Context(), jupytertest.Python(x.t), "-c", jupytertest.WithoutGrammar+runNotebook, path, do)
	cmd.Stderr = x.t.Output()
	cmd.Env = append(os.Environ(), "TMPDIR="+x.t.TempDir()) // other tests' Easels must not list the kernel
	said, err := cmd.Output()
	require.NoError(x.t, err)
	if err := json.Unmarshal(said, &ran); err != nil {
		x.t.Fatal(err, string(said))
	}
	return ran
}

// ran adds an execution of a session, and a plot if a title is given.
func (x *exporting) ran(session string, n, generation int, status, code, title string) (id string) {
	x.t.Helper()
	at := time.Date(2026, 11, 25, 9, 0, n, 0, time.UTC)
	run := library.Execution{
		ID: session + "-" + string(rune('a'+n)), SessionID: session, Generation: generation, Status: status, Code: code, Own: true, CreatedAt: at, StartedAt: at, EndedAt: at.Add(time.Second),
	}
	require.NoError(x.t, x.lib.Executions.Put(x.t.Context(), run))
	if title == "" {
		return ""
	}
	im, err := x.lib.Images.Add(x.t.Context(), library.NewImage{SessionID: session, ExecutionID: run.ID, Title: title, Forms: []library.Form{{MIME: picture.PNG, Data: []byte("\x89PNG\r\n\x1a\n" + title)}}})
	require.NoError(x.t, err)
	return im.ImageID
}

func TestLiveExportNotebook(t *testing.T) {
	x := exports(t, nil)
	require.NoError(t, x.lib.Sessions.Put(t.Context(), library.Session{ID: "s1", KernelName: "python3", Name: "解析"}))
	x.ran("s1", 0, 0, "ok", "raise SystemError('of the kernel before')", "")
	x.ran("s1", 1, 1, "ok", "import matplotlib.pyplot as plt", "")
	x.ran("s1", 2, 1, "error", "1/0", "")
	x.ran("s1", 3, 1, "ok", "売上 = [1, 3, 2]", "")
	first := x.ran("s1", 4, 1, "ok", "plt.plot(売上)\nplt.show()", "売上 <b>")
	x.ran("s1", 5, 1, "ok", "other = 1", "")
	second := x.ran("s1", 6, 1, "ok", "plt.bar([1, 2, 3], 売上)\nplt.show()", "棒")
	x.ran("s1", 7, 1, "ok", "raise SystemError('later')", "")
	coretest.Mark(t, x.lib.Annotations, func(m *library.Marks) error { return m.SetNote("三月を見る") }, first)
	to := filepath.Join(t.TempDir(), "図.ipynb")
	crashed, day := filepath.Join(filepath.Dir(to), ".easel-1a.tmp"), time.Now().Add(-25*time.Hour)
	require.NoError(t, errors.Join(os.WriteFile(crashed, nil, 0o600), os.Chtimes(crashed, day, day)))
	in := command.ExportIn{Kind: command.ExportNotebook, IDs: []string{first, "gone", second}, To: to, Title: "四半期", Language: "ja", Notes: true}
	out, err := command.Export.Ask(t.Context(), x.bus, in)
	if err != nil || out.Plots != 2 || out.Cells != 5 || out.LeftOut != 3 || !slices.Equal(out.Missing, []string{"gone"}) {
		t.Fatalf("%+v, %v", out, err)
	}
	if _, err := os.Lstat(crashed); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("what a crash has left is still there: %v", err)
	}
	ran := x.notebook(to, "run")
	if !slices.Equal(ran.Version, []int{4, 5}) || ran.Kernel != "python3" {
		t.Errorf("nbformat %v, kernel %s", ran.Version, ran.Kernel)
	}
	var cells []string
	for _, c := range ran.Cells[1:] {
		cells = append(cells, c[1])
	}
	want := []string{
		"import matplotlib.pyplot as plt", "売上 = [1, 3, 2]", "## 売上 &lt;b>\n\n三月を見る", "plt.plot(売上)\nplt.show()", "other = 1", "## 棒", "plt.bar([1, 2, 3], 売上)\nplt.show()",
	}
	if !slices.Equal(cells, want) {
		t.Errorf("cells %q, want %q", cells, want)
	}
	if !strings.HasPrefix(ran.Cells[0][1], "# 四半期\n\nEasel で作成") {
		t.Errorf("the heading is %q", ran.Cells[0][1])
	}
	if drawn := []int{0, 0, 0, 0, 1, 0, 0, 1}; !slices.Equal(ran.Before, drawn) || !slices.Equal(ran.After, drawn) {
		t.Errorf("pictures in the cells: %v, after the run: %v, want %v", ran.Before, ran.After, drawn)
	}

	in.PlotsOnly, in.Notes = true, false
	if out, err = command.Export.Ask(t.Context(), x.bus, in); err != nil || out.Cells != 2 {
		t.Fatalf("%+v, %v", out, err)
	}
	if ran = x.notebook(to, "read"); len(ran.Cells) != 5 || strings.Contains(ran.Cells[1][1], "三月") {
		t.Errorf("cells %q", ran.Cells)
	}
}

// TestExportNotebookOfLanguages refuses plots that one kernel cannot draw.
func TestExportNotebookOfLanguages(t *testing.T) {
	x := exports(t, nil)
	for id, kernel := range map[string]string{"s1": "python3", "s2": "ir"} {
		require.NoError(t, x.lib.Sessions.Put(t.Context(), library.Session{ID: id, KernelName: kernel}))
	}
	ids := []string{x.ran("s1", 0, 0, "ok", "plot()", "a"), x.ran("s2", 1, 0, "ok", "plot()", "b")}
	dir := t.TempDir()
	_, err := command.Export.Ask(t.Context(), x.bus, command.ExportIn{Kind: command.ExportNotebook, IDs: ids, To: filepath.Join(dir, "a.ipynb"), Title: "T"})
	if err == nil || !strings.Contains(err.Error(), "one kernel") {
		t.Error(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("left %v, %v", left, err)
	}
}

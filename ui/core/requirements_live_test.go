package core_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"easel/internal/require"
	"easel/jupyter/jupytertest"
	"easel/mcphost/tool"
	"easel/ui/core/command"
	"easel/ui/core/kernels/record"
)

// runFresh makes an environment from the requirements in a notebook (PEP 723), runs the notebook in it
// with nbclient, and prints what it has drawn.
const runFresh = jupytertest.OnSockets + `
import json, os, pathlib, re, subprocess, sys, tomllib
import nbformat
from nbclient import NotebookClient
nb, folder = nbformat.read(sys.argv[1], as_version=4), pathlib.Path(sys.argv[2])
[block] = [c.source for c in nb.cells if "# /// script" in c.source]
said = re.search(r"(?m)^# /// script$\s(?P<content>(^#(| .*)$\s)+)^# ///$", block)["content"]
needs = tomllib.loads("".join(line[2:] if line.startswith("# ") else line[1:] for line in said.splitlines(True)))
uv = pathlib.Path(sys.executable).with_name("uv")
python = folder / "env/bin/python"
subprocess.run([uv, "venv", "-q", "--python", sys.executable, folder / "env"], check=True, stdout=sys.stderr)
subprocess.run([uv, "pip", "install", "-q", "--python", python, *needs["dependencies"], "ipykernel"], check=True, stdout=sys.stderr)
spec = folder / "kernels/fresh"
spec.mkdir(parents=True)
(spec / "kernel.json").write_text(json.dumps({"argv": [str(python), "-m", "ipykernel_launcher", "-f", "{connection_file}"], "display_name": "fresh", "language": "python"}))
os.environ["JUPYTER_PATH"] = str(folder)
for cell in nb.cells:
    if cell.cell_type == "code":
        cell.outputs = []
nb.cells.append(nbformat.v4.new_code_cell("import sys; print(sys.prefix, np.__version__)"))
with onSockets() as config:
    NotebookClient(nb, timeout=300, kernel_name="fresh", config=config).execute()
print(json.dumps({
    "needs": needs["dependencies"], "python": needs["requires-python"], "ran": nb.cells[-1].outputs[0].text.split(), "env": str(folder / "env"),
    "pictures": sum("image/png" in o.get("data", {}) for c in nb.cells for o in c.get("outputs", [])),
}))
`

// TestLiveANotebookRunsInAnEnvironmentOfItsRequirements exports a plot as a notebook, and runs that where nothing is
// installed but what the notebook says.
func TestLiveANotebookRunsInAnEnvironmentOfItsRequirements(t *testing.T) {
	if os.Getenv("EASEL_TEST_NIGHTLY") == "" {
		t.Skip("for make nightly")
	}
	b := newFindingsBench(t)
	const code = "import numpy as np, matplotlib.pyplot as plt\nplt.plot(np.arange(9.0) ** 2)\nplt.show()"
	x, err := b.core.Kernels.Execute(t.Context(), record.Request{SessionID: b.in.ID, Code: code, Caller: tool.Caller{Name: "test"}})
	require.NoError(t, err)
	select {
	case <-x.Done():
	case <-time.After(time.Minute):
		t.Fatal("did not end")
	}
	v, err := x.View(t.Context(), "")
	if err != nil || len(v.Images) != 1 {
		t.Fatalf("drew %d plots: %+v, %v", len(v.Images), v.Error, err)
	}
	b.core.Kernels.AwaitEnvironment(t.Context(), b.in.ID, v.ExecutionID)
	to := filepath.Join(t.TempDir(), "plots.ipynb")
	_, err = command.Export.Ask(t.Context(), b.bus, command.ExportIn{Kind: command.ExportNotebook, IDs: []string{v.Images[0].ImageID}, To: to, Title: "Plots"})
	require.NoError(t, err)

	cmd := exec.CommandContext(t.Context(), jupytertest.Python(t), "-c", jupytertest.WithoutGrammar+runFresh, to, t.TempDir())
	cmd.Stderr = t.Output()
	cmd.Env = append(os.Environ(), "TMPDIR="+t.TempDir(), "VIRTUAL_ENV=") // other tests' Easels must not list the kernel
	said, err := cmd.Output()
	require.NoError(t, err)
	var ran struct {
		Needs, Ran  []string
		Python, Env string
		Pictures    int
	}
	require.NoError(t, json.Unmarshal(said, &ran))
	if len(ran.Ran) != 2 || ran.Ran[0] != ran.Env || !slices.Contains(ran.Needs, "numpy=="+ran.Ran[1]) || ran.Pictures != 1 {
		t.Errorf("got %+v", ran)
	}
}

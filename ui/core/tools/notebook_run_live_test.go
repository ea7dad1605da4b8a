package tools_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"easel/internal/require"
	"easel/jupyter/jupytertest"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/command"
)

// differential has the cells of a notebook whose outputs must be the same as those that
// nbclient saves.
var differential = []string{
	"1 + 1",
	"print('a'); print('b')",
	"import sys\nprint('out', flush=True)",
	"print('warn', file=sys.stderr)",
	"x = 3",
	"from IPython.display import display, clear_output, HTML, Image, update_display, JSON, Markdown, Javascript\ndisplay(HTML('<b>é\\u2028日本</b>'))\ndisplay({'text/plain': 'raw', 'application/json': {'a': [1, None, 2.5]}}, raw=True)\nHTML('<i>last</i>')",
	"import matplotlib.pyplot as plt\nplt.plot([1, 3, 2]); plt.title('t')\nplt.show()\nprint('after')",
	"h = display('first', display_id='one')\nh.update('second')\nh",
	"update_display('third', display_id='one')\nprint('updated elsewhere')",
	"display('again', display_id='one')\n'x'",
	"print('gone')\nclear_output()\nprint('stays')",
	"print('gone')\nclear_output(wait=True)\nprint('stays')\nprint('too')",
	"print('kept')\nclear_output(wait=True)",
	"for i in range(3): print(f'\\r{i}/3', end='')",
	"print('one\\r\\ntwo\\rTWO\\n')",
	"1/0",
	"print('before')\nraise ValueError('a\\nb')",
	"import pandas as pd\npd.DataFrame({'a': [1, 2], 'b': ['x', '日']})",
	"display(Javascript('1'), Markdown('# h'))\nprint('x' * 100000)",
	"%timeit -n1 -r1 pass",
	"?len",
	"class R:\n    def _repr_mimebundle_(self, include=None, exclude=None):\n        return {'text/plain': 'p', 'application/x.y+json': {'deep': [1]}}, {'application/x.y+json': {'m': 1}}\nR()",
	"",
	"input()",
}

const nbclientProgram = jupytertest.OnSockets + `
import json, sys, nbformat
from nbclient import NotebookClient
nb = nbformat.read(sys.argv[1], as_version=4)
with onSockets() as config:
    NotebookClient(nb, timeout=300, allow_errors=True, kernel_name="python3", config=config).execute()
for cell in nb.cells:  # nbclient keeps a message each; coalesce_streams would change the text, too
    joined = []
    for o in cell.get("outputs", []):
        if joined and o.output_type == joined[-1].output_type == "stream" and o.name == joined[-1].name:
            joined[-1].text += o.text
        else:
            joined.append(o)
    if cell.cell_type == "code":
        cell.outputs = joined
nbformat.validate(nb)
nbformat.write(nb, sys.argv[2])
`

func TestLiveNbclientWouldSaveTheSame(t *testing.T) {
	b := newBench(t)
	cells := make([]catalog.NewCell, len(differential))
	for i, code := range differential {
		cells[i] = catalog.NewCell{CellType: "code", Source: code}
	}
	raw, err := json.Marshal(catalog.NotebookCreateIn{Path: "diff.ipynb", Cells: cells})
	require.NoError(t, err)
	must[catalog.NotebookCreateOut](b, catalog.NotebookCreate, string(raw))
	b.python(nbclientProgram, "diff.ipynb", "theirs.ipynb")
	for i := range differential {
		ran := must[catalog.CellChanged](b, catalog.NotebookRunCell, fmt.Sprintf(`{"path": "diff.ipynb", "index": %d}`, i))
		if ran.Saved == nil || !*ran.Saved {
			t.Fatalf("cell %d: %+v", i, ran)
		}
	}
	b.valid("diff.ipynb")
	ours, theirs := b.outputs("diff.ipynb"), b.outputs("theirs.ipynb")
	for i, code := range differential {
		if diff := cmp.Diff(theirs[i], ours[i]); diff != "" {
			t.Errorf("%s\n(-nbclient +Easel):\n%.3000s", code, diff)
		}
	}
}

// outputs returns the outputs of each cell in a notebook file, and whether the cell has an
// execution count. It removes what differs from run to run.
func (b *bench) outputs(name string) []any {
	b.t.Helper()
	var book struct {
		Cells []struct {
			Outputs []any `json:"outputs"`
			Count   any   `json:"execution_count"`
		} `json:"cells"`
	}
	require.NoError(b.t, json.Unmarshal(b.file(name), &book))
	var all []any
	for _, c := range book.Cells {
		for _, o := range c.Outputs {
			o := o.(map[string]any)
			if o["output_type"] == "stream" {
				if text := fmt.Sprint(o["text"]); strings.Contains(text, "per loop") {
					o["text"] = "timing"
				}
			}
			delete(o, "execution_count") // Easel's kernel has counted other cells, too
			if tb, ok := o["traceback"].([]any); ok {
				o["traceback"] = len(tb)
			}
		}
		all = append(all, map[string]any{"outputs": c.Outputs, "ran": c.Count != nil})
	}
	return all
}

func TestLiveASessionBecomesANotebookThatRuns(t *testing.T) {
	b := newBench(t)
	s := must[catalog.SessionCreateOut](b, catalog.SessionCreate, `{}`)
	run := func(code string) {
		t.Helper()
		raw, _ := json.Marshal(map[string]any{"session_id": s.SessionID, "code": code, "wait": 50})
		x := must[catalog.Execution](b, catalog.ExecuteCode, string(raw))
		for !catalog.Ended(x.Status) { // the first plot takes long on a busy machine
			x = must[catalog.Execution](b, catalog.GetExecution, `{"execution_id": "`+x.ExecutionID+`", "wait": 50}`)
		}
	}
	run("lost = 1")
	must[catalog.SessionRestartOut](b, catalog.SessionRestart, `{"session_id": "`+s.SessionID+`"}`)
	run("import matplotlib.pyplot as plt")
	run("y = [1, 4, 2]")
	run("nonsense(")
	run("print('plotting')\nplt.plot(y)\nplt.show()")
	run("sum(y)")
	out, err := command.SaveAsNotebook.Ask(b.context(), b.bus, command.SaveAsNotebookIn{SessionID: s.SessionID})
	require.NoError(t, err)
	if out.Cells != 4 || out.LeftOut != 2 || out.Server != "test" {
		t.Fatalf("saved %+v", out)
	}
	b.valid(out.Path)
	read := must[catalog.NotebookReadOut](b, catalog.NotebookRead, `{"path": "`+out.Path+`"}`)
	if !strings.Contains(read.Cells[0].Source, "Code by: test") || read.Cells[2].Source != "y = [1, 4, 2]" {
		t.Errorf("cells %+v", read.Cells)
	}
	plot := read.Cells[3].Outputs
	if len(plot) != 2 || plot[0].Text != "plotting\n" || plot[1].Data[0].MIMEType != "image/png" || plot[1].Data[0].Width == 0 {
		t.Errorf("the plot is not kept: %+v", plot)
	}
	b.python(strings.Replace(nbclientProgram, "allow_errors=True", "allow_errors=False", 1), out.Path, "rerun.ipynb")
	rerun := must[catalog.NotebookReadOut](b, catalog.NotebookRead, `{"path": "rerun.ipynb"}`)
	if rerun.Cells[4].Outputs[0].Text != "7" {
		t.Errorf("run again: %+v", rerun.Cells[4])
	}

	again, err := command.SaveAsNotebook.Ask(b.context(), b.bus, command.SaveAsNotebookIn{SessionID: s.SessionID, Failed: true})
	if err != nil || again.Path == out.Path || again.Cells != 5 {
		t.Fatalf("saved again: %+v, %v", again, err)
	}
	b.valid(again.Path)
	b.python(strings.Replace(nbclientProgram, "allow_errors=True", "allow_errors=False", 1), again.Path, "rerun2.ipynb")
	if _, err := command.SaveAsNotebook.Ask(b.context(), b.bus, command.SaveAsNotebookIn{SessionID: s.SessionID, Path: out.Path}); tool.AsError(err).Code != tool.AlreadyExists {
		t.Errorf("overwriting: %v", err)
	}
	if _, err := command.SaveAsNotebook.Ask(b.context(), b.bus, command.SaveAsNotebookIn{SessionID: "none"}); tool.AsError(err).Code != tool.KernelNotFound {
		t.Errorf("no session: %v", err)
	}
}

package managed

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"easel/internal/require"
	"easel/jupyter"
	"easel/jupyter/sandbox"
	"easel/jupyter/sandbox/attack"
)

// usual is what people do in kernels.
const usual = `
import os, subprocess, sys, tempfile, multiprocessing
import matplotlib.pyplot as plt, pandas as pd, numpy as np
pd.DataFrame({"a": [1, 2]}).to_csv("made.csv")
assert pd.read_csv("data/box.csv").shape == (1, 2)
plt.plot([1, 2]); plt.savefig("made.png"); plt.show()
assert "made.png" in subprocess.run(["ls"], capture_output=True, text=True).stdout
with multiprocessing.get_context("fork").Pool(2) as pool:
    assert pool.map(abs, [-1]) == [1]
tempfile.NamedTemporaryFile().close()
shell = get_ipython().getoutput("echo hello")
get_ipython().system("echo to the kernel")
`

func TestLiveSandbox(t *testing.T) {
	j, _ := shared(t)
	box := projectFolder(t, "box")
	p := j.ForProject(box, nil)
	s := startProject(t, p)
	python := os.Getenv("EASEL_TEST_PYTHON")
	own, err := Overlays(j.cfg).Prepare(t.Context(), python, nil)
	require.NoError(t, err)
	require.NoError(t, p.SetKernel("python3", KernelSpec{
		Argv: own.Argv, Env: own.Env, DisplayName: "box", Language: "python", Metadata: map[string]any{KeepsOutput: true},
	}))
	aims := attack.NewAims(t, python, filepath.Join(box.Root, "attacked"))
	aims.Token = filepath.Join(j.dir.root, "token")
	require.NoError(t, os.WriteFile(aims.Token, []byte(attack.Secret), 0o600))
	control, _ := startKernel(t, s)
	var outside map[string]string
	eval(t, s, control, attack.Source, "run_all(json.loads("+quoted(aims)+"))", &outside)

	for _, by := range []sandbox.Backend{sandbox.Bubblewrap, sandbox.Landlock} {
		t.Run(string(by), func(t *testing.T) {
			require.NoError(t, p.SetSandbox(&sandbox.Policy{Backend: by}))
			aims.Renew(t)
			m, err := s.StartKernel(t.Context(), jupyter.StartKernelRequest{Name: "python3"})
			require.NoError(t, err)
			if !follow(t, s, m.ID).OwnSockets() {
				t.Error("the server passes its messages on")
			}
			own := aims
			own.Connection = filepath.Join(p.supervisor.files.runtime(), "kernel-"+m.ID+".json")
			own.Other = filepath.Join(p.supervisor.files.runtime(), "kernel-"+control+".json")
			var got map[string]string
			eval(t, s, m.ID, attack.Source, "run_all(json.loads("+quoted(own)+"))", &got)
			for name, prevented := range got {
				if prevented == "" || outside[name] != "" {
					t.Errorf("%s: inside %q, outside %q", name, prevented, outside[name])
				}
			}
			aims.Intact(t)

			var text []string
			eval(t, s, m.ID, usual, "[shell[0], os.getcwd(), os.path.expanduser('~')]", &text)
			if diff := cmp.Diff([]string{"hello", box.Root, p.supervisor.files.file("sandbox-home")}, text); diff != "" {
				t.Errorf("in the kernel (-want +got):\n%s", diff)
			}

			_, err = s.RestartKernel(t.Context(), m.ID)
			require.NoError(t, err)
			restarted := follow(t, s, m.ID)
			for err = jupyter.ErrKernelRestarted; errors.Is(err, jupyter.ErrKernelRestarted); { // it may still say that it starts
				_, err = restarted.Evaluate(t.Context(), jupyter.Evaluation{Code: "1"})
			}
			require.NoError(t, err)
			require.NoError(t, s.DeleteKernel(t.Context(), m.ID))
			if left, _ := os.ReadDir(p.supervisor.files.file("sandboxed")); len(left) > 0 {
				t.Errorf("left are %v", left)
			}
			if _, err := os.Stat(filepath.Join(box.Root, "made.png")); err != nil {
				t.Error(err)
			}
			m, err = s.StartKernel(t.Context(), jupyter.StartKernelRequest{Name: EaselKernel})
			require.NoError(t, err)
			eval(t, s, m.ID, usual, "[sys.prefix, sys.executable, os.environ['EASEL_SANDBOXED']]", &text)
			if layer := p.supervisor.files.file("layers/" + m.ID); text[0] != layer || text[2] != string(by) {
				t.Errorf("Easel's Python: %q", text)
			}
			require.NoError(t, s.DeleteKernel(t.Context(), m.ID))
		})
	}
	t.Run("a kernel from before does not restart", func(t *testing.T) {
		_, err := s.RestartKernel(t.Context(), control)
		if err == nil || !strings.Contains(err.Error(), "the sandbox was turned on after this kernel had started") {
			t.Errorf("%v", err)
		}
	})
	t.Run("without a launcher, nothing starts", func(t *testing.T) {
		require.NoError(t, writeJSON(p.supervisor.files.file(sandboxFile), sandboxConfig{Launcher: []string{"/nowhere/easel"}}))
		if _, err := s.StartKernel(t.Context(), jupyter.StartKernelRequest{Name: "python3"}); err == nil {
			t.Error("a kernel has started")
		}
	})
	require.NoError(t, p.SetSandbox(nil))
	id, _ := startKernel(t, s)
	var marked bool
	eval(t, s, id, "import os", `"EASEL_SANDBOXED" in os.environ`, &marked)
	if marked {
		t.Error("the sandbox is still on")
	}
}

// quoted is the aims as a literal of Python.
func quoted(a attack.Aims) string { return "r'''" + a.JSON() + "'''" }

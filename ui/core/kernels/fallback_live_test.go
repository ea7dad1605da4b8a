package kernels_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"easel/internal/require"
	"easel/jupyter"
	"easel/jupyter/jupytertest"
	"easel/mcphost/catalog"
	"easel/ui/core/kernels"
	"easel/ui/core/library"
)

// robbed runs ipykernel. When it runs for the first time, the port for iopub is in use by a
// socket that the process inherits, so that it is freed when the process ends.
const robbed = `
import json, os, socket, sys
mark, file = sys.argv[1], sys.argv[sys.argv.index("-f") + 1]
if not os.path.exists(mark):
    open(mark, "w").close()
    thief = socket.socket()
    thief.bind(("127.0.0.1", json.load(open(file))["iopub_port"]))
    thief.listen()
    thief.set_inheritable(True)
os.execv(sys.executable, [sys.executable, "-m", "ipykernel_launcher", "-f", file])
`

// newRobbed returns a fixture on a real server whose kernel "robbed" does not respond the first time.
func newRobbed(t *testing.T) (*fixture, *jupytertest.Real) {
	t.Helper()
	python, real := jupytertest.Python(t), jupytertest.Start(t)
	spec := filepath.Join(real.Dir, "data", "kernels", "robbed")
	for _, dir := range []string{spec, filepath.Join(real.Root, "dir")} {
		require.NoError(t, os.MkdirAll(dir, 0o700))
	}
	script := filepath.Join(real.Dir, "robbed.py")
	model, err := json.Marshal(map[string]any{
		"argv":         []string{python, script, filepath.Join(real.Dir, "mark"), "-f", "{connection_file}"},
		"display_name": "robbed", "language": "python",
	})
	require.NoError(t, err)
	for path, text := range map[string][]byte{script: []byte(robbed), filepath.Join(spec, "kernel.json"): model} {
		require.NoError(t, os.WriteFile(path, text, 0o600))
	}
	client, err := jupyter.New(real.URL, real.Token)
	require.NoError(t, err)
	return openFixtureOf(t, client, 1, func(m *kernels.Manager) { m.FallBackAfter(2 * time.Second) }), real
}

// TestLiveAHiddenKernelWithoutItsPort: another one takes its place, nobody sees either of them, and the first ends.
func TestLiveAHiddenKernelWithoutItsPort(t *testing.T) {
	t.Parallel()
	d, real := newRobbed(t)
	h, err := d.Hidden.Start(d.context(), library.Session{Server: "test", KernelName: "robbed"}, "dir")
	require.NoError(t, err)
	defer h.End()
	id, err := h.Execute(d.context(), jupyter.ExecuteRequest{Code: fmt.Sprintf("import os; open(%q, 'w').write(os.getcwd())", filepath.Join(real.Dir, "where"))})
	require.NoError(t, err)
	for replied := false; !replied; {
		in, err := h.Next(d.context())
		require.NoError(t, err)
		replied = in.Message != nil && in.Message.Type() == "execute_reply" && in.Message.ParentID() == id
	}
	if where, err := os.ReadFile(filepath.Join(real.Dir, "where")); err != nil || string(where) != filepath.Join(real.Root, "dir") {
		t.Errorf("the second kernel works in %q, %v", where, err)
	}
	ks := poll(d, "the end of the first kernel", func(ctx context.Context) ([]jupyter.KernelModel, bool) {
		ks, err := d.client.Kernels(ctx)
		return ks, err == nil && len(ks) == 1
	})
	if listed, err := d.List(d.context()); err != nil || len(listed) > 0 || !d.Hidden.Contains(ks[0].ID) {
		t.Errorf("listed: %+v, %v", listed, err)
	}
}

// A kernel whose port is in use hangs, and Jupyter waits for it. Easel starts another one in
// the same directory.
func TestLiveAKernelWithoutItsPort(t *testing.T) {
	t.Parallel()
	for name, notebook := range map[string]string{"without a notebook": "", "with one": "dir/a.ipynb"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, real := newRobbed(t)
			client := d.client
			s, err := d.Create(d.context(), kernels.NewSession{KernelName: "robbed", Notebook: notebook, Client: "test"})
			require.NoError(t, err)
			v := d.run(s, "import os; os.getcwd()")
			want := fmt.Sprintf("'%s'", filepath.Join(real.Root, filepath.Dir(notebook)))
			if v.Status != catalog.StatusOK || v.Text != want {
				t.Errorf("got %s %q, want %s", v.Status, v.Text, want)
			}
			poll(d, "the end of the first kernel", func(ctx context.Context) ([]jupyter.KernelModel, bool) {
				ks, err := client.Kernels(ctx)
				return ks, err == nil && len(ks) == 1 && ks[0].ID == s.KernelID
			})
			if notebook == "" {
				return
			}
			if m, err := client.Session(d.context(), s.ID); err != nil || m.Kernel.ID != s.KernelID || m.Path != notebook {
				t.Errorf("the notebook's session is %+v, %v", m, err)
			}
		})
	}
}

// TestLiveAKernelThatCannotWork checks that another kernel of the same kind does not delay
// the news that the first has been given up.
func TestLiveAKernelThatCannotWork(t *testing.T) {
	t.Parallel()
	real := jupytertest.Start(t, jupytertest.WithArgs("--KernelRestarter.time_to_dead=0.2"))
	spec := filepath.Join(real.Dir, "data", "kernels", "broken")
	require.NoError(t, os.MkdirAll(spec, 0o700))
	text := `{"argv": ["python3", "-c", "raise SystemExit(3)", "{connection_file}"], "display_name": "broken", "language": "python"}`
	require.NoError(t, os.WriteFile(filepath.Join(spec, "kernel.json"), []byte(text), 0o600))
	client, err := jupyter.New(real.URL, real.Token)
	require.NoError(t, err)
	d := openFixtureOf(t, client, 1, func(m *kernels.Manager) { m.FallBackAfter(time.Second) })
	_, err = d.Create(d.context(), kernels.NewSession{KernelName: "broken", Client: "test"})
	if !errors.Is(err, jupyter.ErrKernelStart) || errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "the kernel broken ended before it answered") {
		t.Errorf("got %v, want ErrKernelStart with the kernel's name", err)
	}
	poll(d, "the end of its kernels", func(ctx context.Context) ([]jupyter.KernelModel, bool) {
		ks, err := client.Kernels(ctx)
		return ks, err == nil && len(ks) == 0
	})
}

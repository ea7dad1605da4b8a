package overlay

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"easel/internal/require"
	"easel/internal/system"
	"easel/jupyter/jupytertest"
	"easel/jupyter/sandbox"
)

// These tests make environments with real interpreters, and start real kernels in them.

//go:embed testdata/client.py
var client string

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == sandbox.Command {
		os.Exit(sandbox.Main(os.Args[2:]))
	}
	_ = os.Unsetenv("PYTHONDONTWRITEBYTECODE") // Easel's server does that, too
	os.Exit(m.Run())
}

// suiteUV is the uv of the suite's own environment.
func suiteUV(t *testing.T) string {
	return filepath.Join(filepath.Dir(jupytertest.Python(t)), uvName())
}

func uvName() string {
	if runtime.GOOS == "windows" {
		return "uv.exe"
	}
	return "uv"
}

// newMaker takes ipykernel from the suite's environment, or else from the network.
func newMaker(t *testing.T) *Maker {
	python := jupytertest.Python(t)
	return &Maker{
		Dir: filepath.Join(t.TempDir(), "データ dir"), OwnUV: suiteUV(t),
		Easel: func() string { return python },
		UV:    func(context.Context) (string, []string, error) { return suiteUV(t), os.Environ(), nil },
	}
}

// interpreterOf returns a Python 3.minor of this machine.
func interpreterOf(t *testing.T, minor int) string {
	t.Helper()
	home, err := os.UserHomeDir()
	require.NoError(t, err)
	if found := system.Glob(home, fmt.Sprintf(".pyenv/versions/3.%d.*/bin/python", minor)); len(found) > 0 {
		return found[0]
	}
	path, err := exec.LookPath(fmt.Sprintf("python3.%d", minor))
	if err != nil {
		t.Skipf("for make nightly on a machine with Python 3.%d", minor)
	}
	return path
}

// basePython is the interpreter from which the suite's environment was made.
func basePython(t *testing.T) string {
	return strings.TrimSpace(output(t, "", nil, jupytertest.Python(t), "-c", "import sys; print(sys._base_executable)"))
}

// newVenv makes an environment without pip, as uv does, and installs packages in it.
func newVenv(t *testing.T, base, dir string, packages ...string) (python string) {
	t.Helper()
	output(t, "", nil, suiteUV(t), "venv", "--quiet", "--python", base, dir)
	python = filepath.Join(dir, "bin", "python")
	if runtime.GOOS == "windows" {
		python = filepath.Join(dir, "Scripts", "python.exe")
	}
	if len(packages) > 0 {
		output(t, "", nil, suiteUV(t), append([]string{"pip", "install", "--quiet", "--python", python}, packages...)...)
	}
	return python
}

func output(t *testing.T, dir string, stdin []byte, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	var stderr bytes.Buffer
	cmd.Dir, cmd.Stdin, cmd.Stderr = dir, bytes.NewReader(stdin), &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %.200q: %v\n%s", name, args, err, stderr.String())
	}
	return string(out)
}

// A cell is what came of running code.
type cell struct {
	Text     string
	Pictures int
	Titles   []string
	Error    string
}

// runCells starts a kernel and runs cells in it.
func runCells(t *testing.T, k Kernel, cwd string, cells ...string) []cell {
	t.Helper()
	order, err := json.Marshal(map[string]any{"argv": k.Argv, "env": k.Env, "cwd": cwd, "cells": cells})
	require.NoError(t, err)
	var results []cell
	require.NoError(t, json.Unmarshal([]byte(output(t, cwd, order, jupytertest.Python(t), "-c", client)), &results))
	return results
}

func prepare(t *testing.T, m *Maker, python string) Kernel {
	t.Helper()
	k, err := m.Prepare(t.Context(), python, func(step string) { t.Log(step) })
	if err != nil {
		t.Fatalf("Prepare: %v", err)
	}
	t.Logf("Python %s, ipykernel %s", k.Version, k.IPyKernel)
	return k
}

// drawing draws two figures, the first of them without show.
var drawing = []string{
	"import matplotlib.pyplot as plt; plt.plot([1, 2]); plt.title('first');",
	"fig, ax = plt.subplots(); ax.plot([1, 3]); ax.set_title('second'); plt.show()",
	"import sys; print(len(sys.modules['easel_figures'].keeper.figures))",
}

func checkDrawing(t *testing.T, got []cell) {
	t.Helper()
	for i, title := range []string{"first", "second"} {
		if c := got[i]; c.Error != "" || c.Pictures != 1 || c.Titles[0] != title {
			t.Errorf("the %s figure: %+v", title, c)
		}
	}
	if got[2].Text != "2\n" {
		t.Errorf("%q figures are kept: %s", got[2].Text, got[2].Error)
	}
}

// TestLiveWorldOfTheProject uses an environment without ipykernel, of the same Python as
// Easel's.
func TestLiveWorldOfTheProject(t *testing.T) {
	t.Parallel()
	m := newMaker(t)
	m.UV = func(context.Context) (string, []string, error) {
		return "", nil, errors.New("the overlay is not made of links")
	}
	project := filepath.Join(t.TempDir(), "プロジェクト $HOME dir")
	elsewhere := filepath.Join(t.TempDir(), "elsewhere")
	newVenv(t, basePython(t), elsewhere, "matplotlib", "packaging==24.0")
	write(t, filepath.Join(project, "easel_titles.py"), "mine = True")
	write(t, filepath.Join(project, "launcher.py"), "mine = True")
	write(t, filepath.Join(project, "uv.lock"), "")
	if err := os.Symlink(elsewhere, filepath.Join(project, ".venv")); err != nil {
		t.Skip("this system has no links")
	}
	prefix := filepath.Join(project, ".venv")
	k := prepare(t, m, filepath.Join(prefix, "bin", "python"))
	if k.Own || k.Env["EASEL_OVERLAY"] == "" {
		t.Errorf("it has no overlay: %+v", k)
	}
	got := runCells(t, k, project, append(drawing,
		"import os, packaging; print(packaging.__version__, packaging.__file__.startswith(sys.prefix))",
		"print(os.getcwd(), os.environ['VIRTUAL_ENV'], os.environ['PATH'].split(os.pathsep)[0], sys.prefix, sep='\\n')",
		"print(sorted(n for n in os.environ if n.startswith(('EASEL_', 'JUPYTER_', 'IPYTHONDIR', 'PYTHONNOUSERSITE')) and not n.startswith('EASEL_TEST_')))",
		"import easel_titles, launcher; print(easel_titles.mine, launcher.mine)",
		"import multiprocessing, math\nfor how in 'spawn', 'forkserver':\n    with multiprocessing.get_context(how).Pool(2) as pool: print(pool.map(math.sqrt, [1, 4]))",
		"import time; print('interrupt me', flush=True); time.sleep(60)",
		"print(sys.path[-1], sys.argv[0], sys.argv[1], len(sys.argv), sep='\\n')",
		"import subprocess; print(subprocess.run([sys.executable, '-c', 'import ipykernel'], capture_output=True).returncode)",
		"%pip install -q six==1.17.0\nimport six; print(six.__file__.startswith(sys.prefix))",
		"%uv pip uninstall six -q",
		"print(get_ipython().history_manager.hist_file)",
	)...)
	checkDrawing(t, got)
	bin := filepath.Join(prefix, "bin")
	overlay := strings.ReplaceAll(k.Env["EASEL_OVERLAY"], "$$", "$")
	for i, want := range []string{
		"24.0 True\n",
		strings.Join([]string{project, prefix, bin, prefix, ""}, "\n"),
		"[]\n",
		"True True\n",
		"[1.0, 2.0]\n[1.0, 2.0]\n",
		"interrupt me\n",
		strings.Join([]string{overlay, filepath.Join(overlay, "ipykernel_launcher.py"), "-f", "3", ""}, "\n"),
		"1\n",
		"Not in uv.lock yet. To record it: uv add six==1.17.0\nTrue\n",
		"",
		":memory:\n",
	} {
		c := got[len(drawing)+i]
		if c.Text != want {
			t.Errorf("cell %d printed %q, want %q", i, c.Text, want)
		}
		if interrupted := strings.HasPrefix(c.Error, "KeyboardInterrupt"); c.Error != "" && !interrupted || interrupted != (want == "interrupt me\n") {
			t.Errorf("cell %d: %s", i, c.Error)
		}
	}
	if found := system.Glob(prefix, "lib/python3*/site-packages/ipykernel*"); len(found) > 0 {
		t.Errorf("the environment was changed: %q", found)
	}
	again := prepare(t, m, filepath.Join(elsewhere, "bin", "python"))
	if again.Env["EASEL_OVERLAY"] != k.Env["EASEL_OVERLAY"] {
		t.Error("the same environment by another path has another overlay")
	}
}

// TestLiveVersions draws in environments of different age.
func TestLiveVersions(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		minor    int
		packages []string
		nightly  bool
		own      bool
	}{
		{8, []string{"traitlets==4.3.3", "typing_extensions==4.0.0", "matplotlib==3.3.4", "numpy<1.22"}, false, false},
		{8, []string{"matplotlib"}, true, false},
		{9, []string{"matplotlib"}, true, false},
		{10, []string{"matplotlib==3.5.3", "numpy<2"}, true, false},
		{11, []string{"matplotlib==3.8.4", "numpy<2"}, true, false},
		{11, []string{"matplotlib==3.8.4", "numpy<2", "ipython>=9", "ipykernel<7"}, true, true},
		{12, []string{"matplotlib==3.8.4", "numpy<2"}, true, false},
		{13, []string{"matplotlib"}, true, false},
		{14, []string{"matplotlib"}, true, false},
	} {
		t.Run(fmt.Sprintf("3.%d with %s", tt.minor, strings.Join(tt.packages, " ")), func(t *testing.T) {
			if tt.nightly && os.Getenv("EASEL_TEST_NIGHTLY") == "" {
				t.Skip("for make nightly")
			}
			m := newMaker(t)
			project := t.TempDir()
			k := prepare(t, m, newVenv(t, interpreterOf(t, tt.minor), filepath.Join(project, ".venv"), tt.packages...))
			if k.Own != tt.own {
				t.Errorf("the environment's own ipykernel is used: %v", k.Own)
			}
			got := runCells(t, k, project, append(drawing, "import os; n = os.system('echo sub')", "import time; print('interrupt me', flush=True); time.sleep(60)")...)
			checkDrawing(t, got)
			if c := got[len(drawing)]; c.Text != "sub\n" && runtime.GOOS != "windows" && !older(k.IPyKernel, "6.6") {
				t.Errorf("a subprocess printed %q", c.Text)
			}
			if c := got[len(drawing)+1]; !strings.HasPrefix(c.Error, "KeyboardInterrupt") {
				t.Errorf("the interrupt came to %q", c.Error)
			}
		})
	}
}

// TestLiveNoKernel covers environments for which there is no ipykernel.
func TestLiveNoKernel(t *testing.T) {
	t.Parallel()
	base := basePython(t)
	project := t.TempDir()
	python := newVenv(t, base, filepath.Join(project, ".venv"))
	write(t, filepath.Join(project, "uv.lock"), "")
	refused := func(t *testing.T, m *Maker, python string, parts ...string) {
		t.Helper()
		_, err := m.Prepare(t.Context(), python, nil)
		if _, ok := errors.AsType[*Error](err); !ok || strings.Contains(err.Error(), "\n") {
			t.Fatalf("got %v", err)
		}
		for _, part := range parts {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("got %q, which lacks %q", err, part)
			}
		}
		if left := system.Glob(m.Dir, scratchPrefix+"*"); len(left) > 0 {
			t.Errorf("%q is left", left)
		}
	}
	t.Run("without a network", func(t *testing.T) {
		m := newMaker(t)
		m.Easel = func() string { return "" }
		m.UV = func(context.Context) (string, []string, error) {
			return suiteUV(t), append(os.Environ(), "UV_OFFLINE=1", "UV_CACHE_DIR="+t.TempDir()), nil
		}
		refused(t, m, python, python, "downloaded", "`uv add --dev ipykernel`")
	})
	t.Run("an index out of reach", func(t *testing.T) {
		m := newMaker(t)
		m.Easel = func() string { return "" }
		m.UV = func(context.Context) (string, []string, error) {
			environ := slices.DeleteFunc(os.Environ(), func(kv string) bool { return strings.HasPrefix(kv, "UV_") })
			return suiteUV(t), append(environ, "UV_DEFAULT_INDEX=http://127.0.0.1:1/simple", "UV_CACHE_DIR="+t.TempDir()), nil
		}
		refused(t, m, python, "downloaded")
		_, err := m.Prepare(t.Context(), python, nil)
		if e, ok := errors.AsType[*Error](err); !ok || e.Err == nil || !strings.Contains(e.Err.Error(), "after 1 retry") {
			t.Errorf("it was tried more than twice, which takes ten seconds: %v", e.Err)
		}
	})
	t.Run("without a solution", func(t *testing.T) {
		if _, err := os.Stat(filepath.Join(filepath.Dir(python), "python3")); err != nil {
			t.Skip("not on this system")
		}
		other := newVenv(t, base, filepath.Join(t.TempDir(), "env"), "traitlets==4.0.0")
		refused(t, newMaker(t), other, "no ipykernel fits", "uv pip install --python")
	})
	t.Run("a Python that is not there", func(t *testing.T) {
		refused(t, newMaker(t), filepath.Join(project, "gone", "python"), "does not run")
	})
}

// TestLiveOneForAll checks that several callers make an overlay once, and that one that is
// interrupted leaves nothing.
func TestLiveOneForAll(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the pretended uv is a shell script")
	}
	python := newVenv(t, basePython(t), filepath.Join(t.TempDir(), ".venv"))
	uv := filepath.Join(t.TempDir(), "uv")
	write(t, uv, `#!/bin/sh
echo run >>"$0.runs"
while [ "$1" != --target ]; do shift; done
mkdir "$2/ipykernel-7.0.0.dist-info"
while [ -e "$0.wait" ]; do sleep 0.05; done
`)
	write(t, uv+".wait", "")
	require.NoError(t, os.Chmod(uv, 0o755))
	m := newMaker(t)
	m.Easel = nil
	m.UV = func(context.Context) (string, []string, error) { return uv, os.Environ(), nil }

	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error, 1)
	go func() {
		_, err := m.Prepare(ctx, python, nil)
		failed <- err
	}()
	for len(system.Glob(m.Dir, scratchPrefix+"*/ipykernel-*")) == 0 {
		select {
		case err := <-failed:
			t.Fatalf("Prepare: %v", err)
		case <-time.After(10 * time.Millisecond):
		}
	}
	cancel()
	if err := <-failed; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if left := system.Glob(m.Dir, "*"); len(left) != 1 { // the launcher
		t.Errorf("%q is left", left)
	}
	require.NoError(t, errors.Join(os.Remove(uv+".wait"), os.Remove(uv+".runs")))
	errs := make(chan error)
	for range 4 {
		go func() {
			k, err := m.Prepare(t.Context(), python, nil)
			if err == nil && k.IPyKernel != "7.0.0" {
				err = fmt.Errorf("ipykernel is %q", k.IPyKernel)
			}
			errs <- err
		}()
	}
	for range 4 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	if runs, err := os.ReadFile(uv + ".runs"); err != nil || string(runs) != "run\n" {
		t.Errorf("uv ran %q (%v)", runs, err)
	}
}

package jupytertest

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"easel/internal/require"
)

// A Program is a kernel in a process of its own, as jupyter console and others start one.
type Program struct {
	File string // its connection file
	Dir  string // its working directory
	PID  int

	cmd *exec.Cmd
}

// StartKernel starts an ipykernel without a server, with a connection file in dir. The
// kernel ends with the test. It is skipped without [Python], and on systems where the
// processes of kernels are unknown.
func StartKernel(t testing.TB, dir, name string) *Program {
	t.Helper()
	python := Python(t)
	if runtime.GOOS != "linux" {
		t.Skip("the processes of kernels are unknown here")
	}
	p := &Program{File: filepath.Join(dir, name), Dir: t.TempDir()}
	p.cmd = exec.CommandContext(t.Context(), python, "-m", "ipykernel_launcher", "-f", p.File)
	p.cmd.Dir = p.Dir
	p.cmd.Env = append(os.Environ(), "IPYTHONDIR="+t.TempDir(), "JUPYTER_RUNTIME_DIR="+dir, "MPLCONFIGDIR="+Fonts(python))
	isolate(p.cmd)
	require.NoError(t, p.cmd.Start())
	p.PID = p.cmd.Process.Pid
	t.Cleanup(p.Kill)
	return p
}

// Kill kills the kernel. Its connection file remains.
func (p *Program) Kill() {
	kill(p.cmd)
	_ = p.cmd.Wait()
}

package inspect

import (
	"io"
	"os"
	"os/exec"
	"testing"

	"golang.org/x/sys/unix"

	"easel/internal/require"
)

func TestIsKernel(t *testing.T) {
	const id, other = "0b3a1f5e-52f8-4a4c-9d6e-3f1f6f0c8a11", "1b3a1f5e-52f8-4a4c-9d6e-3f1f6f0c8a12"
	if IsKernel(os.Getpid(), id) {
		t.Error("this process is no kernel")
	}
	// It waits for input that never comes, and has no children that outlive it.
	cmd := exec.CommandContext(t.Context(), "sh", "-c", "echo up; read -r line", "-f", "/run/kernel-"+id+".json")
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	// Start returns shortly before the program's arguments appear in /proc, because Linux
	// first closes the files of the caller. The program's output comes later than that.
	if _, err := io.ReadFull(out, make([]byte, len("up\n"))); err != nil {
		t.Fatal(err)
	}
	pid := cmd.Process.Pid
	if !IsKernel(pid, id) {
		t.Error("it runs")
	}
	if IsKernel(pid, other) || IsKernel(pid, "") || IsKernel(0, id) || IsKernel(-1, id) {
		t.Error("another kernel, or none")
	}
	for _, step := range []struct {
		what   string
		signal unix.Signal
		event  int // that its parent waits for
		runs   bool
	}{
		{"stopped", unix.SIGSTOP, unix.WSTOPPED, false},
		{"going on", unix.SIGCONT, unix.WCONTINUED, true},
		{"dead, and nobody has asked after it", unix.SIGKILL, unix.WEXITED | unix.WNOWAIT, false},
	} {
		require.NoError(t, unix.Kill(pid, step.signal))
		require.NoError(t, unix.Waitid(unix.P_PID, pid, nil, step.event, nil))
		if IsKernel(pid, id) != step.runs {
			t.Errorf("%s: IsKernel is not %v", step.what, step.runs)
		}
	}
	_ = cmd.Wait()
	if IsKernel(pid, id) {
		t.Error("it is gone")
	}
}

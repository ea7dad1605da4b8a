package tunnel

import (
	"os/exec"
	"syscall"
)

// own puts cmd into its own process group, so that Ctrl-C in our terminal does not reach
// it, and makes the kernel kill it when Easel ends. That also happens when the thread that
// started it ends, so the caller keeps its thread.
func own(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

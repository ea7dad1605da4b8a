package tunnel

import (
	"os/exec"
	"syscall"
)

// own gives cmd a session of its own, so that neither it nor the ssh to a jump host can ask in
// our terminal, and Ctrl-C there does not reach it. The kernel kills cmd when Easel ends. That
// also happens when the thread that started it ends, so the caller keeps its thread.
func own(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
}

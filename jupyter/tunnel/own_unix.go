//go:build unix && !linux

package tunnel

import (
	"os/exec"
	"syscall"
)

// own gives cmd a session of its own, so that neither it nor the ssh to a jump host can ask in
// our terminal, and Ctrl-C there does not reach it. If Easel is killed, it ends with its
// standard input.
func own(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

//go:build unix

package launch

import (
	"os/exec"
	"syscall"
)

// detach gives the new process a session of its own (setsid(2)).
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

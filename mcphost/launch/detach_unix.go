//go:build unix

package launch

import (
	"os/exec"
	"syscall"
)

// startDetached starts cmd in a session of its own (setsid(2)).
func startDetached(cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return cmd.Start()
}

package vlconvert

import (
	"os/exec"
	"syscall"
)

// ownGroup puts cmd into its own process group, so that Ctrl-C in our terminal does not
// reach it, and makes the kernel kill it when Easel ends.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

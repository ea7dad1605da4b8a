package vlconvert

import (
	"os/exec"
	"syscall"
)

// ownGroup keeps Ctrl-C in our terminal from cmd, and has cmd end with Easel, however
// that ends.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

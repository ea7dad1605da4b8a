//go:build unix && !linux

package vlconvert

import (
	"os/exec"
	"syscall"
)

// ownGroup keeps Ctrl-C in our terminal from cmd.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

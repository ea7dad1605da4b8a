//go:build unix && !linux

package vlconvert

import (
	"os/exec"
	"syscall"
)

// ownGroup puts cmd into its own process group, so that Ctrl-C in our terminal does not
// reach it.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

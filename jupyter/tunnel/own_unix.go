//go:build unix && !linux

package tunnel

import (
	"os/exec"
	"syscall"
)

// own puts cmd into its own process group, so that Ctrl-C in our terminal does not reach
// it. If Easel is killed, it ends with its standard input.
func own(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

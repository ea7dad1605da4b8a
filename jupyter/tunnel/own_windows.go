package tunnel

import (
	"os/exec"
	"syscall"

	"golang.org/x/sys/windows"
)

// own puts cmd into its own process group, so that Ctrl-C in our console does not reach it,
// and hides its window. If Easel is killed, it ends with its standard input.
func own(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP | windows.CREATE_NO_WINDOW}
}

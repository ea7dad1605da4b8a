package launch

import (
	"os/exec"
	"syscall"
)

// detachedProcess is DETACHED_PROCESS of CreateProcess: the process has no console.
const detachedProcess = 0x00000008

func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP | detachedProcess}
}

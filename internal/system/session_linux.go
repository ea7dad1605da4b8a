package system

import (
	"os/exec"
	"syscall"
)

// Tie is OwnSession for a program that must not outlive this one: the kernel kills it when this
// one ends. That also happens when the thread that started it ends, so the caller keeps its
// thread.
func Tie(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
}

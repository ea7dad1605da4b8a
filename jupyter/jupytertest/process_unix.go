//go:build unix

package jupytertest

import (
	"os/exec"
	"syscall"
)

// hold prevents a free port of the loopback interface from being given to another
// program's connection, until release. Nobody listens on it. On Linux, a program that
// requests this port can still listen on it.
func hold(port int) (release func()) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err != nil {
		return func() {}
	}
	syscall.CloseOnExec(fd)
	// A failure is ignored: then the port is only likely to be free.
	if syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1) == nil {
		_ = syscall.Bind(fd, &syscall.SockaddrInet4{Port: port, Addr: [4]byte{127, 0, 0, 1}})
	}
	return func() { _ = syscall.Close(fd) }
}

// isolate puts the process and its children into their own group, so that they can be
// ended together.
func isolate(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func terminate(cmd *exec.Cmd) { _ = cmd.Process.Signal(syscall.SIGTERM) }

func kill(cmd *exec.Cmd) {
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	_ = cmd.Process.Kill()
}

//go:build unix && !linux

package browser

import (
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// A way is a way to start the browser. On this system there is only one.
type way struct {
	name     string
	isolated bool
	user     *struct{}
}

func ways() []way { return []way{{name: "plain"}} }

// prepare sets the attributes of cmd. It gets its own process group, and has the pipes as
// file descriptors 3 and 4. The browser ends when they are closed, and so with Easel.
func (way) prepare(cmd *exec.Cmd, in, out *os.File) {
	cmd.ExtraFiles = []*os.File{in, out}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}

func (way) give(string) error { return nil }

func systemArguments() []string { return nil }

func killAll(pid int, _ *os.Process) { _ = unix.Kill(-pid, unix.SIGKILL) }

// memory returns 0, because it is not implemented on this system.
func memory(int) int64 { return 0 }

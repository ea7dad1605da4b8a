package browser

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/windows"
)

// A way is a way to start the browser. On Windows there is only one.
type way struct {
	name     string
	isolated bool
	user     *struct{}
}

func ways() []way { return []way{{name: "plain"}} }

// prepare passes the pipes to cmd. The browser ends when they are closed, and so with Easel.
func (way) prepare(cmd *exec.Cmd, in, out *os.File) {
	var handles []syscall.Handle
	for _, f := range []*os.File{in, out} {
		// After an error, the browser does not answer, and greet fails.
		_ = windows.SetHandleInformation(windows.Handle(f.Fd()), windows.HANDLE_FLAG_INHERIT, windows.HANDLE_FLAG_INHERIT)
		handles = append(handles, syscall.Handle(f.Fd()))
	}
	cmd.Args = append(cmd.Args, fmt.Sprintf("--remote-debugging-io-pipes=%d,%d", handles[0], handles[1]))
	cmd.SysProcAttr = &syscall.SysProcAttr{HideWindow: true, AdditionalInheritedHandles: handles}
}

func (way) give(string) error { return nil }

func systemArguments() []string { return nil }

// killAll kills the browser. Its other processes end with it.
func killAll(_ int, p *os.Process) { _ = p.Kill() }

// memory returns 0, because it is not implemented on Windows.
func memory(int) int64 { return 0 }

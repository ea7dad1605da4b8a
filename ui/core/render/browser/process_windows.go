package browser

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/windows"
)

// A way is how the browser is started. Here there is one.
type way struct {
	name     string
	isolated bool
	user     *struct{}
}

func ways() []way { return []way{{name: "plain"}} }

// prepare hands cmd the pipes. The browser ends when they close, so with Easel.
func (way) prepare(cmd *exec.Cmd, in, out *os.File) {
	var handles []syscall.Handle
	for _, f := range []*os.File{in, out} {
		// An error shows when the browser does not answer.
		_ = windows.SetHandleInformation(windows.Handle(f.Fd()), windows.HANDLE_FLAG_INHERIT, windows.HANDLE_FLAG_INHERIT)
		handles = append(handles, syscall.Handle(f.Fd()))
	}
	cmd.Args = append(cmd.Args, fmt.Sprintf("--remote-debugging-io-pipes=%d,%d", handles[0], handles[1]))
	cmd.SysProcAttr = &syscall.SysProcAttr{HideWindow: true, AdditionalInheritedHandles: handles}
}

func (way) give(string) error { return nil }

func systemArguments() []string { return nil }

// killAll kills the browser; its other processes end with it.
func killAll(_ int, p *os.Process) { _ = p.Kill() }

// memory is not known here.
func memory(int) int64 { return 0 }

func ours(info os.FileInfo) bool { return info.IsDir() }

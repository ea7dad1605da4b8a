package system

import (
	"os"

	"golang.org/x/sys/windows"
)

var (
	kernel32      = windows.NewLazySystemDLL("kernel32.dll")
	attachConsole = kernel32.NewProc("AttachConsole")
	freeConsole   = kernel32.NewProc("FreeConsole")
)

const attachParent = ^uintptr(0) // ATTACH_PARENT_PROCESS

// AttachConsole makes output appear in the terminal that has started this program, which
// Windows does not do for programs with a window. Streams that lead to a file or a pipe
// stay. leave gives the terminal back: from then on, closing it or Ctrl+C in it does not
// end this program.
func AttachConsole() (leave func()) {
	// Now, because attaching changes the system's streams, but not os.Stdout and os.Stderr.
	keepOut, keepErr := valid(windows.STD_OUTPUT_HANDLE), valid(windows.STD_ERROR_HANDLE)
	if keepOut && keepErr {
		return func() {}
	}
	if ok, _, _ := attachConsole.Call(attachParent); ok == 0 {
		return func() {} // it was not started in a terminal
	}
	out, err := os.OpenFile("CONOUT$", os.O_RDWR, 0)
	if err == nil {
		if !keepOut {
			os.Stdout = out
		}
		if !keepErr {
			os.Stderr = out
		}
	}
	return func() { _, _, _ = freeConsole.Call() }
}

// valid reports whether a standard stream leads somewhere.
func valid(stream uint32) bool {
	h, err := windows.GetStdHandle(stream)
	if err != nil || h == 0 || h == windows.InvalidHandle {
		return false
	}
	kind, err := windows.GetFileType(h)
	return err == nil && kind != windows.FILE_TYPE_UNKNOWN
}

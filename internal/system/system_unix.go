//go:build unix

package system

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

var (
	diskFull  = []syscall.Errno{syscall.ENOSPC, syscall.EDQUOT}
	readOnly  = []syscall.Errno{syscall.EROFS}
	portTaken = []syscall.Errno{syscall.EADDRINUSE}
)

// patiently calls do once: here, files in use can be replaced and removed.
func patiently(_ string, do func() error) error { return do() }

// MkdirPrivate creates a directory, and its parents, that only the user can read.
func MkdirPrivate(dir string) error { return os.MkdirAll(dir, 0o700) }

// OpenToOthers returns the mode of a directory if other users can open it, otherwise 0.
func OpenToOthers(dir string) os.FileMode {
	if info, err := os.Stat(dir); err == nil && info.Mode().Perm()&0o077 != 0 {
		return info.Mode().Perm()
	}
	return 0
}

// MakePrivate lets only the user read an existing file.
func MakePrivate(file string) error { return os.Chmod(file, 0o600) }

// OwnedByUser reports whether a file or directory belongs to this user.
func OwnedByUser(_ string, info os.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Geteuid()
}

// OpenAppend opens a file for appending, and creates it for this user only.
func OpenAppend(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
}

// CreateUnnamed creates a file that disappears when nobody has it open any more.
func CreateUnnamed() (*os.File, error) {
	f, err := os.CreateTemp("", "easel-*")
	if err != nil {
		return nil, err
	}
	return f, os.Remove(f.Name())
}

// HideWindow does nothing here.
func HideWindow(*exec.Cmd) {}

// AttachConsole does nothing here: programs with a window write to their terminal, too.
func AttachConsole() (leave func()) { return func() {} }

// openNow opens a file for reading without waiting for the other end of a pipe.
func openNow(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
}

// othersWrite reports whether others than the owner can write the file.
func othersWrite(info os.FileInfo) bool { return info.Mode().Perm()&0o022 != 0 }

// OwnSession makes cmd the leader of a session, and of a process group. It cannot ask in our
// terminal; Ctrl-C there, and closing it, do not reach it.
func OwnSession(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// KillGroup kills the process group that pid leads.
func KillGroup(pid int) error {
	err := syscall.Kill(-pid, syscall.SIGKILL)
	if errors.Is(err, syscall.ESRCH) {
		return nil
	}
	return err
}

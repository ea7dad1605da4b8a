package system

import (
	"crypto/rand"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sys/windows"
)

// The constants of package syscall with names such as ENOSPC are invented on Windows: no
// call returns them, except in tests.
var (
	diskFull = []syscall.Errno{windows.ERROR_DISK_FULL, windows.ERROR_HANDLE_DISK_FULL, windows.ERROR_DISK_QUOTA_EXCEEDED, syscall.ENOSPC}
	readOnly = []syscall.Errno{windows.ERROR_WRITE_PROTECT, syscall.EROFS}
	// WSAEACCES: the port is in a range that the system reserves, for example for
	// virtual machines.
	portTaken = []syscall.Errno{windows.WSAEADDRINUSE, windows.WSAEACCES, syscall.EADDRINUSE}
)

// How long to wait for a file that another program has open.
const (
	patience   = 2 * time.Second
	firstPause = time.Millisecond // doubles each time
	maxPause   = 100 * time.Millisecond
)

// patiently calls do again while it fails because another program has the file at path
// open. Programs that scan new files, such as a virus scanner, close them soon.
func patiently(path string, do func() error) error {
	end := time.Now().Add(patience)
	for pause := firstPause; ; pause = min(2*pause, maxPause) {
		err := do()
		if err == nil || !inUse(path, err) || time.Now().After(end) {
			return err
		}
		<-time.After(pause)
	}
}

// inUse reports whether err may mean that another program has the file at path open. Windows
// also returns ERROR_ACCESS_DENIED for files that are being replaced or deleted.
func inUse(path string, err error) bool {
	switch {
	case isAny(err, []syscall.Errno{windows.ERROR_SHARING_VIOLATION, windows.ERROR_LOCK_VIOLATION}):
		return true
	case !errors.Is(err, windows.ERROR_ACCESS_DENIED):
		return false
	}
	info, err := os.Lstat(path)
	return err != nil && !errors.Is(err, os.ErrNotExist) || err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o200 != 0
}

// OpenAppend opens a file for appending, and creates it. Other programs may rename it
// meanwhile.
func OpenAppend(path string) (*os.File, error) {
	const access = windows.FILE_APPEND_DATA | windows.FILE_READ_ATTRIBUTES | windows.SYNCHRONIZE
	return create(path, access, windows.OPEN_ALWAYS, windows.FILE_ATTRIBUTE_NORMAL)
}

// CreateUnnamed creates a file that disappears when nobody has it open any more.
func CreateUnnamed() (*os.File, error) {
	path := filepath.Join(os.TempDir(), "easel-"+rand.Text())
	return create(path, windows.GENERIC_READ|windows.GENERIC_WRITE, windows.CREATE_NEW,
		windows.FILE_ATTRIBUTE_TEMPORARY|windows.FILE_FLAG_DELETE_ON_CLOSE)
}

// create opens a file that other programs may read, write, rename and delete meanwhile.
func create(path string, access, mode, attributes uint32) (*os.File, error) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	const share = windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE | windows.FILE_SHARE_DELETE
	h, err := windows.CreateFile(name, access, share, nil, mode, attributes, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	return os.NewFile(uintptr(h), path), nil
}

// HideWindow keeps a console program from opening a console window. Programs with windows of
// their own show them.
func HideWindow(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.CreationFlags |= windows.CREATE_NO_WINDOW
}

func openNow(path string) (*os.File, error) { return os.Open(path) }

// othersWrite returns false: the mode of a file says nothing about that here.
func othersWrite(os.FileInfo) bool { return false }

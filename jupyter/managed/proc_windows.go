package managed

import (
	"os"
	"os/exec"
	"strconv"

	"golang.org/x/sys/windows"
)

// ownGroup makes cmd the leader of a process group.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &windows.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP, HideWindow: true}
}

// ownSession makes cmd independent of our console.
func ownSession(cmd *exec.Cmd) { ownGroup(cmd) }

// killGroup kills pid. Its children end with their pipes.
func killGroup(pid int) error {
	p, err := os.FindProcess(pid)
	if err != nil {
		return nil //nolint:nilerr // it is gone
	}
	return p.Kill()
}

// terminate ends pid. There is no way to ask a process on another console to end.
// Kernels notice that their server is gone.
func terminate(pid int) error { return killGroup(pid) }

// processStart returns when pid started, or "" if it is not running.
func processStart(pid int) string {
	h, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION|windows.SYNCHRONIZE, false, uint32(pid)) //nolint:gosec // ids are small
	if err != nil {
		return ""
	}
	defer func() { _ = windows.CloseHandle(h) }()
	if ended, err := windows.WaitForSingleObject(h, 0); err != nil || ended == windows.WAIT_OBJECT_0 {
		return ""
	}
	var created, exited, kernel, user windows.Filetime
	if err := windows.GetProcessTimes(h, &created, &exited, &kernel, &user); err != nil {
		return ""
	}
	return strconv.FormatInt(created.Nanoseconds(), 10)
}

// killKernels does nothing here: kernels notice by themselves that their server is gone.
func killKernels(string) int { return 0 }

// freeBytes returns the disk space that is available to the user on the disk of dir.
func freeBytes(dir string) (uint64, error) {
	path, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, err
	}
	var free uint64
	err = windows.GetDiskFreeSpaceEx(path, &free, nil, nil)
	return free, err
}

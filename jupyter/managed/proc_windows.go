package managed

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/windows"

	"easel/internal/system"
)

// terminate asks a server to end cleanly. One that does not wait for the event yet is
// killed, and has no kernels.
func terminate(r record) error {
	name, err := windows.UTF16PtrFromString(r.stopEvent())
	if err != nil {
		return err
	}
	event, err := windows.OpenEvent(windows.EVENT_MODIFY_STATE, false, name)
	if err != nil {
		return system.KillGroup(r.PID)
	}
	defer func() { _ = windows.CloseHandle(event) }()
	return windows.SetEvent(event)
}

// processStart returns when pid started, or "" if it is not running.
func processStart(pid int) string {
	h, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION|windows.SYNCHRONIZE, false, uint32(pid))
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

// killKernels kills the kernels whose connection file is in runtimeDir, with their
// children, and returns the number of processes.
func killKernels(runtimeDir string) (n int) {
	for _, pid := range system.ProcessesWith(filepath.Join(runtimeDir, "kernel-")) {
		if system.KillTree(pid) == nil {
			n++
		}
	}
	return n
}

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

// installDirs returns where Python's installer puts Python for one user or for all, unless it
// is told to change the PATH. The newest comes first.
func installDirs() (dirs []string) {
	for _, root := range []string{filepath.Join(os.Getenv("LOCALAPPDATA"), "Programs", "Python"), os.Getenv("PROGRAMFILES")} {
		found, _ := filepath.Glob(filepath.Join(root, "Python3*"))
		dirs = append(dirs, found...)
	}
	slices.SortStableFunc(dirs, func(a, b string) int { return minor(b) - minor(a) })
	return dirs
}

// minor returns 13 for a directory Python313, and 0 if it has another name.
func minor(dir string) int {
	n, _ := strconv.Atoi(strings.TrimPrefix(filepath.Base(dir), "Python3"))
	return n
}

package system

import (
	"errors"
	"os/exec"
	"strings"
	"unsafe"

	"golang.org/x/sys/windows"
)

// KillTree ends a process and its descendants. It is no error if they are gone.
func KillTree(pid int) error {
	parents, err := parents()
	if err != nil {
		return err
	}
	var errs []error
	for _, p := range append(descendants(parents, uint32(pid)), uint32(pid)) {
		errs = append(errs, kill(p))
	}
	return errors.Join(errs...)
}

func kill(pid uint32) error {
	h, err := windows.OpenProcess(windows.PROCESS_TERMINATE|windows.SYNCHRONIZE, false, pid)
	if errors.Is(err, windows.ERROR_INVALID_PARAMETER) {
		return nil // there is no such process
	}
	if err != nil {
		return err
	}
	defer func() { _ = windows.CloseHandle(h) }()
	err = windows.TerminateProcess(h, 1)
	if ended, waitErr := windows.WaitForSingleObject(h, 0); waitErr == nil && ended == windows.WAIT_OBJECT_0 {
		return nil
	}
	return err
}

// parents returns the parent of each process. A parent that has ended stays a parent, and
// its id may now be that of another process.
func parents() (map[uint32]uint32, error) {
	snapshot, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPPROCESS, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = windows.CloseHandle(snapshot) }()
	all := make(map[uint32]uint32)
	e := windows.ProcessEntry32{Size: uint32(unsafe.Sizeof(windows.ProcessEntry32{}))}
	for err = windows.Process32First(snapshot, &e); err == nil; err = windows.Process32Next(snapshot, &e) {
		all[e.ProcessID] = e.ParentProcessID
	}
	if !errors.Is(err, windows.ERROR_NO_MORE_FILES) {
		return nil, err
	}
	return all, nil
}

// descendants returns the processes that pid and its descendants have started.
func descendants(parents map[uint32]uint32, pid uint32) (all []uint32) {
	began := created(pid)
	for child, parent := range parents {
		// A child that is older is that of another process, which had this id before.
		if parent == pid && child != pid && created(child) >= began {
			all = append(append(all, child), descendants(parents, child)...)
		}
	}
	return all
}

// created returns when a process began, or 0 if that is unknown.
func created(pid uint32) int64 {
	h, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, pid)
	if err != nil {
		return 0
	}
	defer func() { _ = windows.CloseHandle(h) }()
	var began, exited, kernel, user windows.Filetime
	if windows.GetProcessTimes(h, &began, &exited, &kernel, &user) != nil {
		return 0
	}
	return began.Nanoseconds()
}

// ProcessesWith returns the other processes of this user whose command line contains a
// text. Upper and lower case are the same, as in the names of files.
func ProcessesWith(text string) (pids []int) {
	all, err := parents()
	if err != nil {
		return nil
	}
	text = strings.ToLower(text)
	for pid := range all {
		if pid != windows.GetCurrentProcessId() && strings.Contains(strings.ToLower(commandLine(pid)), text) {
			pids = append(pids, int(pid))
		}
	}
	return pids
}

// commandLine returns the command line of a process, or "" if this process may not see it.
// It reads it where the process itself finds it.
func commandLine(pid uint32) string {
	h, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION|windows.PROCESS_VM_READ, false, pid)
	if err != nil {
		return ""
	}
	defer func() { _ = windows.CloseHandle(h) }()
	var (
		basic      windows.PROCESS_BASIC_INFORMATION
		block      windows.PEB
		parameters windows.RTL_USER_PROCESS_PARAMETERS
	)
	if windows.NtQueryInformationProcess(h, windows.ProcessBasicInformation, unsafe.Pointer(&basic), uint32(unsafe.Sizeof(basic)), nil) != nil { //nolint:gosec // as it must be called
		return ""
	}
	if !read(h, unsafe.Pointer(basic.PebBaseAddress), &block) || !read(h, unsafe.Pointer(block.ProcessParameters), &parameters) { //nolint:gosec // addresses in the other process
		return ""
	}
	line := make([]uint16, parameters.CommandLine.Length/2)
	if len(line) == 0 || windows.ReadProcessMemory(h, uintptr(unsafe.Pointer(parameters.CommandLine.Buffer)), (*byte)(unsafe.Pointer(&line[0])), uintptr(2*len(line)), nil) != nil { //nolint:gosec // an address in the other process
		return ""
	}
	return windows.UTF16ToString(line)
}

// read reads a value from the memory of another process.
func read[T any](h windows.Handle, at unsafe.Pointer, into *T) bool {
	return windows.ReadProcessMemory(h, uintptr(at), (*byte)(unsafe.Pointer(into)), unsafe.Sizeof(*into), nil) == nil //nolint:gosec // its size is given
}

// OwnSession gives cmd a console of its own, which has no window. Ctrl+C in our console, and
// closing it, do not reach cmd.
func OwnSession(cmd *exec.Cmd) {
	cmd.SysProcAttr = &windows.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP | windows.CREATE_NO_WINDOW}
}

// Tie is OwnSession: here, the program has to notice by itself that this one has ended.
func Tie(cmd *exec.Cmd) { OwnSession(cmd) }

// KillGroup kills a process and its descendants.
func KillGroup(pid int) error { return KillTree(pid) }

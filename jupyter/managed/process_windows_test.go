package managed

import (
	"testing"

	"golang.org/x/sys/windows"

	"easel/internal/require"
)

var (
	ntdll     = windows.NewLazySystemDLL("ntdll.dll")
	ntSuspend = ntdll.NewProc("NtSuspendProcess")
	ntResume  = ntdll.NewProc("NtResumeProcess")
)

// suspend stops a process, as a debugger does.
func suspend(t *testing.T, pid int) {
	t.Helper()
	with(t, pid, windows.PROCESS_SUSPEND_RESUME, func(h windows.Handle) error { return status(ntSuspend, h) })
}

// resume continues a process that suspend has stopped.
func resume(t *testing.T, pid int) {
	t.Helper()
	with(t, pid, windows.PROCESS_SUSPEND_RESUME, func(h windows.Handle) error { return status(ntResume, h) })
}

func kill(t *testing.T, pid int) {
	t.Helper()
	with(t, pid, windows.PROCESS_TERMINATE, func(h windows.Handle) error { return windows.TerminateProcess(h, 1) })
}

func status(call *windows.LazyProc, h windows.Handle) error {
	if r, _, _ := call.Call(uintptr(h)); r != 0 {
		return windows.NTStatus(r)
	}
	return nil
}

func with(t *testing.T, pid int, access uint32, do func(windows.Handle) error) {
	t.Helper()
	h, err := windows.OpenProcess(access, false, uint32(pid))
	require.NoError(t, err)
	defer func() { _ = windows.CloseHandle(h) }()
	require.NoError(t, do(h))
}

package managed

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// processStart returns when pid started, as a text that is different for another process
// with the same id. It is "" if there is no such process, or if it is a zombie.
func processStart(pid int) string {
	const zombie = 5 // SZOMB of sys/proc.h
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || info.Proc.P_stat == zombie {
		return ""
	}
	t := info.Proc.P_starttime
	return fmt.Sprintf("%d.%06d", t.Sec, t.Usec)
}

// killKernels does nothing here: kernels notice by themselves that their server is gone.
func killKernels(string) int { return 0 }

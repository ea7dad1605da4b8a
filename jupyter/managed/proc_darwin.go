package managed

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// processStart says when pid began, as a text that no other process of that id
// has. It is "" when there is no such process, or it is dead and only its parent
// does not know yet.
func processStart(pid int) string {
	const zombie = 5 // SZOMB of sys/proc.h
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || info.Proc.P_stat == zombie {
		return ""
	}
	t := info.Proc.P_starttime
	return fmt.Sprintf("%d.%06d", t.Sec, t.Usec)
}

// killKernels does nothing here: kernels notice themselves that their server is gone.
func killKernels(string) int { return 0 }

//go:build unix

package managed

import "golang.org/x/sys/unix"

// background is the niceness of programs that work in the background.
const background = 10

// lowerPriority makes a process that has just been started give way to others.
func lowerPriority(pid int) { _ = unix.Setpriority(unix.PRIO_PROCESS, pid, background) }

//go:build unix

package local

import "syscall"

// signal interrupts the process of a kernel, which was found a moment ago. Programs start
// a kernel as the leader of a process group, and then interrupt its children, too. Any
// other group contains the program itself.
func signal(pid int) error {
	if group, err := syscall.Getpgid(pid); err == nil && group == pid {
		pid = -pid
	}
	return syscall.Kill(pid, syscall.SIGINT)
}

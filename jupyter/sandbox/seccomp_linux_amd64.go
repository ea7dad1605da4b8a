package sandbox

import "golang.org/x/sys/unix"

const (
	arch    = unix.AUDIT_ARCH_X86_64
	foreign = 0x40000000 // the first number of x32
)

// What only this architecture has.
var (
	refusedHere = []uint32{
		unix.SYS_KEXEC_FILE_LOAD, unix.SYS_IOPL, unix.SYS_IOPERM, unix.SYS_MODIFY_LDT, unix.SYS_USELIB, unix.SYS_USTAT,
		unix.SYS__SYSCTL, unix.SYS_NFSSERVCTL,
	}
	outsideHere    = []uint32{unix.SYS_INOTIFY_INIT}
	attributesHere = []uint32{unix.SYS_CHMOD, unix.SYS_CHOWN, unix.SYS_LCHOWN, unix.SYS_UTIME, unix.SYS_UTIMES, unix.SYS_FUTIMESAT}
)

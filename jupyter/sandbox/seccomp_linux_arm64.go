package sandbox

import "golang.org/x/sys/unix"

const (
	arch    = unix.AUDIT_ARCH_AARCH64
	foreign = 0 // it has none
)

// What only this architecture has.
var (
	refusedHere                 = []uint32{unix.SYS_KEXEC_FILE_LOAD}
	outsideHere, attributesHere []uint32
)

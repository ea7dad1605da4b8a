//go:build amd64 || arm64

package sandbox

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// A filter says which system calls a sandboxed program may use.
type filter struct {
	inet bool // sockets of the network: those of a namespace of its own, or because the user allows it
	// contained means that the files of others, their sockets, processes and the System V objects are
	// out of reach in namespaces. Otherwise, what Landlock does not see is refused: connecting to sockets in the
	// file system, shared memory of others, the modes and times of files.
	contained bool
}

// The offsets in struct seccomp_data.
const (
	offsetNumber = 0
	offsetArch   = 4
	offsetArgs   = 16 // eight bytes each, the lower half first
)

const (
	allow      = unix.SECCOMP_RET_ALLOW
	kill       = unix.SECCOMP_RET_KILL_PROCESS
	refuse     = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
	deny       = unix.SECCOMP_RET_ERRNO | uint32(unix.EACCES)
	unknown    = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)
	unsuitable = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOTSUP)
	without    = unix.SECCOMP_RET_ERRNO | uint32(unix.EOPNOTSUPP) // ZeroMQ and others can do without interfaces then
	nothing    = unix.SECCOMP_RET_ERRNO                           // it returns 0 and does nothing
)

// namespaces are the flags of clone and unshare that make namespaces.
const namespaces = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC | unix.CLONE_NEWUSER |
	unix.CLONE_NEWPID | unix.CLONE_NEWNET

// refused are calls that no kernel needs, and through which programs have left sandboxes before.
var refused = []uint32{
	unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_PIDFD_GETFD, unix.SYS_KCMP,
	unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT, unix.SYS_OPEN_TREE, unix.SYS_OPEN_TREE_ATTR, unix.SYS_MOVE_MOUNT,
	unix.SYS_FSOPEN, unix.SYS_FSCONFIG, unix.SYS_FSMOUNT, unix.SYS_FSPICK, unix.SYS_MOUNT_SETATTR, unix.SYS_SETNS,
	unix.SYS_USERFAULTFD, unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY,
	unix.SYS_KEXEC_LOAD, unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE,
	unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER,
	unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_FANOTIFY_INIT, unix.SYS_QUOTACTL, unix.SYS_QUOTACTL_FD, unix.SYS_ACCT,
	unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_REBOOT, unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME, unix.SYS_SETTIMEOFDAY,
	unix.SYS_CLOCK_SETTIME, unix.SYS_SYSLOG,
	unix.SYS_VHANGUP, unix.SYS_LOOKUP_DCOOKIE, unix.SYS_FILE_SETATTR,
}

// outside are calls that reach what Landlock does not know.
var (
	outside = []uint32{ // System V objects, message queues, names of changed files
		unix.SYS_SHMGET, unix.SYS_SHMAT, unix.SYS_MSGGET, unix.SYS_SEMGET, unix.SYS_MQ_OPEN, unix.SYS_MQ_UNLINK, unix.SYS_INOTIFY_INIT1,
	}
	attributes = []uint32{ // programs like cp fail if these do
		unix.SYS_FCHMOD, unix.SYS_FCHMODAT, unix.SYS_FCHMODAT2, unix.SYS_FCHOWN, unix.SYS_FCHOWNAT, unix.SYS_UTIMENSAT,
	}
	extended = []uint32{ // programs like cp expect that some file systems have none
		unix.SYS_SETXATTR, unix.SYS_LSETXATTR, unix.SYS_FSETXATTR, unix.SYS_REMOVEXATTR, unix.SYS_LREMOVEXATTR, unix.SYS_FREMOVEXATTR,
		unix.SYS_SETXATTRAT, unix.SYS_REMOVEXATTRAT,
	}
)

// A program is one for the kernel's filter machine.
type program []unix.SockFilter

func (p *program) add(code uint16, k uint32, yes, no uint8) {
	*p = append(*p, unix.SockFilter{Code: code, Jt: yes, Jf: no, K: k})
}

func (p *program) load(offset uint32) { p.add(unix.BPF_LD|unix.BPF_W|unix.BPF_ABS, offset, 0, 0) }
func (p *program) arg(n uint32)       { p.load(offsetArgs + 8*n) }
func (p *program) end(with uint32)    { p.add(unix.BPF_RET|unix.BPF_K, with, 0, 0) }

// when adds what happens if the loaded value equals k. body must end on each of its ways.
func (p *program) when(k uint32, body func(p *program)) {
	at := len(*p)
	p.add(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, k, 0, 0)
	body(p)
	(*p)[at].Jf = uint8(len(*p) - at - 1)
}

// whenAny is when for bits: what happens if any of them is set.
func (p *program) whenAny(bits uint32, body func(p *program)) {
	at := len(*p)
	p.add(unix.BPF_JMP|unix.BPF_JSET|unix.BPF_K, bits, 0, 0)
	body(p)
	(*p)[at].Jf = uint8(len(*p) - at - 1)
}

func (p *program) all(calls []uint32, with uint32) {
	for _, n := range calls {
		p.when(n, func(p *program) { p.end(with) })
	}
}

// program returns the filter's program.
func (f filter) program() program {
	var p program
	p.load(offsetArch)
	p.add(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, arch, 1, 0)
	p.end(kill)
	p.load(offsetNumber)
	if foreign != 0 { // the x32 calls of x86-64 have other numbers
		p.add(unix.BPF_JMP|unix.BPF_JGE|unix.BPF_K, foreign, 0, 1)
		p.end(unknown)
	}
	p.all(refused, refuse)
	p.all(refusedHere, refuse)
	f.processes(&p)
	f.sockets(&p)
	if !f.contained {
		p.all(outside, refuse)
		p.all(outsideHere, refuse)
		p.all([]uint32{unix.SYS_CONNECT}, deny)
		p.all(attributes, nothing)
		p.all(attributesHere, nothing)
		p.all(extended, unsuitable)
	}
	p.end(allow)
	return p
}

// processes restricts clone, unshare, prlimit and what is sent to a terminal.
func (f filter) processes(p *program) {
	p.all([]uint32{unix.SYS_CLONE3}, unknown) // its flags are out of sight; the C library falls back to clone
	for _, call := range []uint32{unix.SYS_CLONE, unix.SYS_UNSHARE} {
		p.when(call, func(p *program) {
			p.arg(0)
			p.whenAny(namespaces|unix.CLONE_NEWTIME&^0xff, func(p *program) { p.end(refuse) })
			p.end(allow)
		})
	}
	p.when(unix.SYS_PRLIMIT64, func(p *program) { // of other processes
		p.arg(0)
		p.when(0, func(p *program) { p.end(allow) })
		p.end(refuse)
	})
	p.when(unix.SYS_IOCTL, func(p *program) {
		p.arg(1)
		p.when(unix.TIOCSTI, func(p *program) { p.end(refuse) })
		p.when(unix.TIOCLINUX, func(p *program) { p.end(refuse) })
		p.end(allow)
	})
}

// sockets restricts which sockets can be made. One that is not contained could connect to those of
// other programs by their paths, so it gets only those that must connect first.
func (f filter) sockets(p *program) {
	for _, call := range []uint32{unix.SYS_SOCKET, unix.SYS_SOCKETPAIR} {
		p.when(call, func(p *program) {
			p.arg(0)
			p.when(unix.AF_UNIX, func(p *program) {
				if f.contained {
					p.end(allow)
					return
				}
				p.arg(1)
				p.add(unix.BPF_ALU|unix.BPF_AND|unix.BPF_K, 0xf, 0, 0)
				p.when(unix.SOCK_STREAM, func(p *program) { p.end(allow) })
				p.when(unix.SOCK_SEQPACKET, func(p *program) { p.end(allow) })
				p.end(deny)
			})
			if f.inet {
				p.all([]uint32{unix.AF_INET, unix.AF_INET6}, allow)
				p.when(unix.AF_NETLINK, func(p *program) {
					p.arg(2)
					p.when(unix.NETLINK_ROUTE, func(p *program) { p.end(allow) })
					p.end(without)
				})
			}
			p.when(unix.AF_NETLINK, func(p *program) { p.end(without) })
			p.end(deny)
		})
	}
}

// install makes the filter that of this thread, for good.
func (p program) install() error {
	prog := unix.SockFprog{Len: uint16(len(p)), Filter: &p[0]}
	return unix.PrctlArg5Ptr(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&prog)), 0, nil) //nolint:gosec // the call's own form
}

// bytes returns the program as bubblewrap reads it.
func (p program) bytes() []byte {
	size := len(p) * int(unsafe.Sizeof(p[0]))
	return append([]byte(nil), unsafe.Slice((*byte)(unsafe.Pointer(&p[0])), size)...) //nolint:gosec // a plain structure
}

//go:build amd64 || arm64

package sandbox

import (
	"errors"
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// oldest is the oldest version of Landlock's interface that is sufficient: it restricts truncate.
const oldest = 3

// version returns the version of Landlock's interface, 0 if there is none.
func version() int {
	n, _, err := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if err != 0 {
		return 0
	}
	return int(n)
}

// The rights. Devices and sockets are no files that anybody writes by a name.
const (
	rightsOnFile = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE
	rightsRead   = rightsOnFile | unix.LANDLOCK_ACCESS_FS_READ_DIR
	rightsChange = unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE
	rightsMake   = unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE | unix.LANDLOCK_ACCESS_FS_MAKE_DIR |
		unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_SOCK | unix.LANDLOCK_ACCESS_FS_MAKE_FIFO |
		unix.LANDLOCK_ACCESS_FS_MAKE_SYM | unix.LANDLOCK_ACCESS_FS_REFER
	rightsAll = rightsRead | rightsChange | rightsMake | unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK
)

// A ruleset is one that is being made.
type ruleset struct {
	fd    int
	known uint64 // the rights that it handles
}

// newRuleset returns a ruleset that refuses everything that this system's Landlock knows.
func newRuleset() (ruleset, error) {
	v := version()
	if v < oldest {
		return ruleset{}, fmt.Errorf("Landlock has version %d, at least %d is needed", v, oldest) //nolint:staticcheck // a name
	}
	attr := unix.LandlockRulesetAttr{Handled_access_fs: rightsAll}
	size := unsafe.Sizeof(attr.Handled_access_fs)
	if v >= 4 {
		attr.Handled_access_net = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
		size = unsafe.Offsetof(attr.Scoped)
	}
	if v >= 5 {
		attr.Handled_access_fs |= unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	}
	if v >= 6 {
		attr.Scoped = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
		size = unsafe.Offsetof(attr.Scoped) + unsafe.Sizeof(attr.Scoped)
	}
	fd, err := createRuleset(&attr, size)
	return ruleset{fd, attr.Handled_access_fs}, err
}

func createRuleset(attr *unix.LandlockRulesetAttr, size uintptr) (int, error) {
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(attr)), size, 0) //nolint:gosec // the call's own form
	if errno != 0 {
		return -1, fmt.Errorf("Landlock: %w", errno) //nolint:staticcheck // a name
	}
	return int(fd), nil
}

// allow grants rights on a file, or on everything below a folder. What does not exist needs none.
func (r ruleset) allow(path string, rights uint64) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.EACCES) || errors.Is(err, unix.ENOTDIR) {
		return nil
	}
	if err != nil {
		return &os.PathError{Op: "open", Path: path, Err: err}
	}
	defer func() { _ = unix.Close(fd) }()
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return err
	}
	if st.Mode&unix.S_IFMT != unix.S_IFDIR {
		rights &= rightsOnFile | rightsChange | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	}
	attr := unix.LandlockPathBeneathAttr{Allowed_access: rights & r.known, Parent_fd: int32(fd)}
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(r.fd), unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&attr)), 0, 0, 0) //nolint:gosec // the call's own form
	if errno != 0 {
		return &os.PathError{Op: "allow", Path: path, Err: errno}
	}
	return nil
}

// enforce restricts this thread, for good.
func (r ruleset) enforce() error {
	defer func() { _ = unix.Close(r.fd) }()
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, uintptr(r.fd), 0, 0); errno != 0 {
		return fmt.Errorf("Landlock: %w", errno) //nolint:staticcheck // a name
	}
	return nil
}

// devices that a program may read and write. There are no terminals: those of others are among them.
var devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"}

// sharedMemory is where programs share memory by names. Without the right to list it, those of others are
// not found by looking.
const sharedMemory = "/dev/shm"

// confine restricts the files of this thread, for good.
func (s *Start) confine(home string, environ []string) error {
	r, err := newRuleset()
	if err != nil {
		return err
	}
	read, write := s.places(home, environ)
	for _, path := range append(read, "/proc") {
		err = errors.Join(err, r.allow(path, rightsRead))
	}
	for _, path := range write {
		err = errors.Join(err, r.allow(path, rightsRead|rightsChange|rightsMake))
	}
	for _, path := range devices {
		err = errors.Join(err, r.allow(path, rightsOnFile|rightsChange|unix.LANDLOCK_ACCESS_FS_IOCTL_DEV))
	}
	const rightsShared = rightsOnFile | rightsChange | unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE
	err = errors.Join(err, r.allow(sharedMemory, rightsShared))
	if err != nil {
		return err
	}
	return r.enforce()
}

// scope keeps this thread from abstract sockets and from the processes of others, where Landlock can
// do that, and leaves its files alone.
func scope() error {
	if version() < 6 {
		return nil
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil { // without it, only root may restrict itself
		return fmt.Errorf("no_new_privs: %w", err)
	}
	attr := unix.LandlockRulesetAttr{Scoped: unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET}
	fd, err := createRuleset(&attr, unsafe.Offsetof(attr.Scoped)+unsafe.Sizeof(attr.Scoped))
	if err != nil {
		return err
	}
	return ruleset{fd: fd}.enforce()
}

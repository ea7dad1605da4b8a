//go:build amd64 || arm64

package sandbox

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// bubblewraps are where the system has bubblewrap. The user's PATH may begin with a project's folder.
var bubblewraps = []string{"/usr/bin/bwrap", "/usr/local/bin/bwrap", "/bin/bwrap", "/run/current-system/sw/bin/bwrap"}

func findBubblewrap() string {
	for _, path := range bubblewraps {
		if exists(path) {
			return path
		}
	}
	return ""
}

// isolation are bubblewrap's arguments for each program.
var isolation = []string{
	"--unshare-user-try", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try", "--die-with-parent", "--cap-drop", "ALL",
}

// worksOnce says why bubblewrap does not work here; "" if it does. Some systems do not let it make namespaces.
var worksOnce = sync.OnceValue(func() string {
	path := findBubblewrap()
	if path == "" {
		return "bubblewrap is not installed"
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	args := append(append([]string{}, isolation...), "--unshare-net", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "true")
	out, err := exec.CommandContext(ctx, path, args...).CombinedOutput() //nolint:gosec // the system's own
	if err == nil {
		return ""
	}
	if said, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n"); said != "" {
		return said
	}
	return err.Error()
})

// settings are what root changes the system with. Root may write there even without capabilities, and
// bubblewrap does not notice that.
var settings = []string{
	"/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus", "/proc/fs", "/proc/acpi", "/proc/scsi", "/proc/driver", "/proc/mtrr",
}

// bubblewrap becomes bubblewrap, which starts the program.
func (s *Start) bubblewrap() error {
	runtime.LockOSThread() // what restricts this thread restricts bubblewrap, which it becomes
	path := findBubblewrap()
	environ := os.Environ()
	home, _ := os.UserHomeDir()
	seccomp, err := memory((filter{inet: true, contained: true}).program().bytes())
	if err != nil {
		return err
	}
	args := append([]string{path}, isolation...)
	if !s.Network {
		args = append(args, "--unshare-net")
	} else if err := scope(); err != nil { // the abstract sockets of this network
		return err
	}
	args = append(args, "--proc", "/proc", "--dev", "/dev", "--bind", s.Temp, "/tmp")
	for _, path := range settings {
		args = append(args, "--ro-bind-try", path, path)
	}
	args = append(args, s.binds(home, environ)...)
	folder := s.Folder
	if folder == "" {
		if folder, err = os.Getwd(); err != nil {
			return err
		}
	}
	args = append(args, "--chdir", folder, "--seccomp", strconv.Itoa(seccomp), "--")
	// The group's interrupts are the kernel's, not bubblewrap's.
	signal.Ignore(unix.SIGINT)
	if err := unix.CloseRange(3, uint(seccomp)-1, unix.CLOSE_RANGE_CLOEXEC); err != nil && seccomp > 3 {
		return err
	}
	if err := unix.CloseRange(uint(seccomp)+1, ^uint(0), unix.CLOSE_RANGE_CLOEXEC); err != nil {
		return err
	}
	return fmt.Errorf("%s: %w", path, unix.Exec(path, append(args, s.Argv...), s.environment(environ, Bubblewrap)))
}

// binds returns the arguments that show the program its files: outer folders before inner ones.
func (s *Start) binds(home string, environ []string) (args []string) {
	read, write := s.places(home, environ)
	for _, path := range read {
		switch to, err := os.Readlink(path); {
		case err == nil && filepath.Dir(path) == "/": // /lib, for example
			args = append(args, "--symlink", to, path)
		default:
			args = append(args, "--ro-bind-try", path, path)
		}
	}
	for _, path := range write {
		args = append(args, "--bind", path, path)
	}
	return args
}

// memory returns a file with that content, which bubblewrap inherits.
func memory(content []byte) (int, error) {
	fd, err := unix.MemfdCreate("seccomp", 0)
	if err != nil {
		return -1, err
	}
	if _, err := unix.Write(fd, content); err != nil {
		return -1, err
	}
	_, err = unix.Seek(fd, 0, 0)
	return fd, err
}

func addressOf(b *[32]byte) uintptr { return uintptr(unsafe.Pointer(b)) } //nolint:gosec // for a system call

func fields(text []byte) (numbers []int) {
	for f := range strings.FieldsSeq(string(text)) {
		if n, err := strconv.Atoi(f); err == nil {
			numbers = append(numbers, n)
		}
	}
	return numbers
}

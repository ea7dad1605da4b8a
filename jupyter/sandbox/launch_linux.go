//go:build amd64 || arm64

package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"
)

// The launcher's processes, by what follows Command. With bubblewrap, the launcher becomes bubblewrap.
// With Landlock, it stays, and starts a keeper in a process group of its own, which starts the kernel
// in the launcher's group: there it gets the signals that are meant for it. The keeper ends what the
// kernel has started when the kernel has ended, also if it has left the group.
const (
	roleStart = "--"
	roleKeep  = "keep"
	roleEnter = "enter"
)

// failed is the exit code of a launcher that could not start the program.
const failed = 126

// Main is the launcher. It returns an exit code if it fails.
func Main(args []string) int {
	err := errors.New(Command + " is only for Easel itself")
	if len(args) > 0 {
		switch args[0] {
		case roleStart:
			return start(args[1:])
		case roleKeep:
			return keep()
		case roleEnter:
			err = enter()
		}
	}
	return say(err)
}

func say(err error) int {
	fmt.Fprintln(os.Stderr, "easel: the sandbox cannot be made:", err)
	return failed
}

// start is the launcher's first process.
func start(argv []string) int {
	s, err := read()
	if err != nil {
		return say(err)
	}
	if s.Argv = argv; len(argv) == 0 {
		return say(errors.New("there is no program"))
	}
	if s.Argv[0], err = lookPath(argv[0]); err != nil {
		return say(err)
	}
	by, err := Check(s.Policy)
	if err != nil {
		return say(err)
	}
	if by == Bubblewrap {
		return say(s.bubblewrap())
	}
	return s.guard()
}

// lookPath returns the absolute path of a program.
func lookPath(name string) (string, error) {
	if filepath.IsAbs(name) {
		return name, nil
	}
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		path := filepath.Join(dir, name)
		if st, err := os.Stat(path); err == nil && filepath.IsAbs(path) && st.Mode().IsRegular() && st.Mode()&0o111 != 0 {
			return path, nil
		}
	}
	return "", fmt.Errorf("there is no program %s", name)
}

// spawn starts this program again in another role.
func (s *Start) spawn(role string, files []uintptr, attr syscall.SysProcAttr) (pid int, err error) {
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	text, err := json.Marshal(s)
	if err != nil {
		return 0, err
	}
	return syscall.ForkExec(self, []string{self, Command, role}, &syscall.ProcAttr{ //nolint:gosec // this program
		Env: append(os.Environ(), Variable+"="+string(text)), Files: files, Sys: &attr,
	})
}

// guard starts the keeper, passes signals on to it, and ends as it does.
func (s *Start) guard() int {
	// The interrupts of the group are the kernel's. They are not ignored, because it would inherit that.
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, unix.SIGINT, unix.SIGTERM, unix.SIGHUP, unix.SIGUSR1, unix.SIGUSR2)
	var life [2]int
	if err := unix.Pipe2(life[:], unix.O_CLOEXEC); err != nil {
		return say(err)
	}
	group := unix.Getpgrp()
	s.Group = group
	pid, err := s.spawn(roleKeep, []uintptr{0, 1, 2, uintptr(life[0])}, syscall.SysProcAttr{Setpgid: true})
	if err != nil {
		return say(err)
	}
	_ = unix.Close(life[0])
	go func() { // ends with the process
		for sig := range signals {
			if sig == unix.SIGTERM || sig == unix.SIGHUP {
				_, _ = unix.Write(life[1], []byte{1})
			}
		}
	}()
	var status unix.WaitStatus
	for {
		if _, err := unix.Wait4(pid, &status, 0, nil); !errors.Is(err, unix.EINTR) {
			break
		}
	}
	if status.Signaled() && group == os.Getpid() { // nothing may be left, should the keeper have been killed
		_ = unix.Kill(-group, unix.SIGKILL)
	}
	return endAs(status)
}

// keep is the keeper: it starts the kernel, waits for its end or for that of the launcher, and ends what is left.
func keep() int {
	s, err := read()
	if err != nil {
		return say(err)
	}
	const life = 3
	unix.CloseOnExec(life)
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return say(err)
	}
	pid, err := s.spawn(roleEnter, []uintptr{0, 1, 2}, syscall.SysProcAttr{Setpgid: true, Pgid: s.Group})
	if err != nil {
		return say(err)
	}
	go func() { // ends with the process
		var b [1]byte
		for {
			n, err := unix.Read(life, b[:])
			switch {
			case errors.Is(err, unix.EINTR):
			case n == 1:
				_ = unix.Kill(pid, unix.SIGTERM)
			default:
				_ = unix.Kill(pid, unix.SIGKILL)
				return
			}
		}
	}()
	var status unix.WaitStatus
	for {
		var ended unix.WaitStatus
		switch who, err := unix.Wait4(-1, &ended, 0, nil); {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			return say(err)
		case who == pid:
			status = ended
		default:
			continue
		}
		break
	}
	endChildren()
	return endAs(status)
}

// endChildren kills the processes that are left. Those whose parent is killed become children of this one.
func endChildren() {
	for {
		for _, pid := range children() {
			_ = unix.Kill(pid, unix.SIGKILL)
		}
		_, err := unix.Wait4(-1, nil, 0, nil)
		if err != nil && !errors.Is(err, unix.EINTR) {
			return // there are no more
		}
	}
}

// endAs ends this process as another one has ended.
func endAs(status unix.WaitStatus) int {
	if !status.Signaled() {
		return status.ExitStatus()
	}
	sig := status.Signal()
	_ = unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{})
	runtime.LockOSThread()
	var byDefault [32]byte // struct sigaction: SIG_DFL
	_, _, _ = unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(sig), addressOf(&byDefault), 0, 8, 0, 0)
	_ = unix.Kill(os.Getpid(), sig)
	return 128 + int(sig)
}

// enter becomes the program, within Landlock and seccomp.
func enter() error {
	s, err := read()
	if err != nil {
		return err
	}
	runtime.LockOSThread() // what follows restricts this thread, which becomes the program
	environ := os.Environ()
	home, _ := os.UserHomeDir()
	if s.Folder != "" {
		if err := os.Chdir(s.Folder); err != nil {
			return err
		}
	}
	if err := unix.CloseRange(3, ^uint(0), unix.CLOSE_RANGE_CLOEXEC); err != nil {
		return err
	}
	if err := dropCapabilities(); err != nil {
		return err
	}
	if err := s.confine(home, environ); err != nil {
		return err
	}
	signal.Reset()
	if err := (filter{}).program().install(); err != nil {
		return fmt.Errorf("seccomp: %w", err)
	}
	return fmt.Errorf("%s: %w", s.Argv[0], unix.Exec(s.Argv[0], s.Argv, s.environment(environ, Landlock)))
}

// children returns the children of this process.
func children() (pids []int) {
	threads, _ := filepath.Glob("/proc/self/task/*/children")
	for _, file := range threads {
		text, _ := os.ReadFile(file)
		for _, field := range fields(text) {
			if !slices.Contains(pids, field) {
				pids = append(pids, field)
			}
		}
	}
	return pids
}

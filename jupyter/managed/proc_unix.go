//go:build unix

package managed

import (
	"errors"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// ownGroup makes cmd the leader of a process group.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// ownSession makes cmd the leader of a session, so that Ctrl-C in our terminal and
// closing the terminal do not reach it.
func ownSession(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// killGroup kills the process group that pid leads.
func killGroup(pid int) error {
	err := unix.Kill(-pid, unix.SIGKILL)
	if errors.Is(err, unix.ESRCH) {
		return nil
	}
	return err
}

// terminate asks a server to end cleanly.
func terminate(r record) error { return unix.Kill(r.PID, unix.SIGTERM) }

// freeBytes returns the disk space that is available to the user on the disk of dir.
func freeBytes(dir string) (uint64, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return 0, err
	}
	return uint64(st.Bavail) * uint64(st.Bsize), nil //nolint:unconvert // types differ between systems
}

// installDirs returns where systems install programs.
func installDirs() []string { return []string{"/usr/local/bin", "/opt/homebrew/bin", "/usr/bin"} }

//go:build unix

package managed

import (
	"golang.org/x/sys/unix"
)

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

//go:build unix

package discover

import (
	"errors"
	"os"
	"syscall"

	"easel/internal/system"
)

// owned reports whether the file belongs to the user and nobody else can write it.
func owned(path string, info os.FileInfo) bool {
	return system.OwnedByUser(path, info) && info.Mode().Perm()&0o022 == 0
}

// alive reports whether a process with that id exists.
func alive(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}

//go:build unix

package discover

import (
	"errors"
	"os"
	"syscall"
)

// owned tells whether the file is the user's and nobody else can write it.
func owned(info os.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Getuid() && info.Mode().Perm()&0o022 == 0
}

// alive tells whether there is a process of that id.
func alive(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}

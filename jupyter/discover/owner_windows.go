package discover

import (
	"os"

	"easel/internal/system"
)

// owned reports whether the file belongs to the user.
func owned(path string, info os.FileInfo) bool { return system.OwnedByUser(path, info) }

// alive reports whether a process with that id exists.
func alive(pid int) bool {
	p, err := os.FindProcess(pid) // opens it on Windows
	if err != nil {
		return false
	}
	_ = p.Release()
	return true
}

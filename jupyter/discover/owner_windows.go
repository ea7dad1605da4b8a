package discover

import "os"

// owned returns true, because the directory is in the user's profile, which others
// cannot write.
func owned(os.FileInfo) bool { return true }

// alive reports whether a process with that id exists.
func alive(pid int) bool {
	p, err := os.FindProcess(pid) // opens it on Windows
	if err != nil {
		return false
	}
	_ = p.Release()
	return true
}

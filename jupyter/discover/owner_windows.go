package discover

import "os"

// owned is true: the directory is in the user's profile, which others cannot
// write.
func owned(os.FileInfo) bool { return true }

// alive tells whether there is a process of that id.
func alive(pid int) bool {
	p, err := os.FindProcess(pid) // opens it, on Windows
	if err != nil {
		return false
	}
	_ = p.Release()
	return true
}

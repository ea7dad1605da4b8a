package discover

import "os"

// alive reports whether a process with that id exists.
func alive(pid int) bool {
	p, err := os.FindProcess(pid) // opens it on Windows
	if err != nil {
		return false
	}
	_ = p.Release()
	return true
}

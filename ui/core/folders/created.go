package folders

import (
	"os"
	"time"
)

// earlier is the earlier of two times: a copy that kept the time of its original was
// made after it was written.
func earlier(born time.Time, info os.FileInfo) time.Time {
	if m := info.ModTime(); m.Before(born) {
		return m
	}
	return born
}

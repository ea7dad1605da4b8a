package folders

import (
	"os"
	"time"
)

// earlier returns the earlier of the creation and the modification time. A copy that
// preserves the modification time is created after it.
func earlier(born time.Time, info os.FileInfo) time.Time {
	if m := info.ModTime(); m.Before(born) {
		return m
	}
	return born
}

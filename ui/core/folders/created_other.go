//go:build !linux

package folders

import (
	"os"
	"time"
)

// created returns the modification time of a file; the creation time is not read on
// this system.
func created(_ string, info os.FileInfo) time.Time {
	return earlier(info.ModTime(), info)
}

//go:build !linux

package folders

import (
	"os"
	"time"
)

// created is when a file was written: when it was made is not asked here.
func created(_ string, info os.FileInfo) time.Time {
	return earlier(info.ModTime(), info)
}

package folders

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// created returns the creation time of a file, or its modification time if the file
// system does not store one.
func created(path string, info os.FileInfo) time.Time {
	var s unix.Statx_t
	err := unix.Statx(unix.AT_FDCWD, path, unix.AT_STATX_DONT_SYNC, unix.STATX_BTIME, &s)
	if err != nil || s.Mask&unix.STATX_BTIME == 0 {
		return info.ModTime()
	}
	return earlier(time.Unix(s.Btime.Sec, int64(s.Btime.Nsec)), info)
}

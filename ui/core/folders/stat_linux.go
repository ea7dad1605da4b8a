package folders

import (
	"os"

	"golang.org/x/sys/unix"
)

// look fills in what is known of an entry of an open directory, or of what a link points to. It reports
// whether that is a file or a directory. It is one system call for each entry, because there may be a hundred thousand.
func (e *dirEntry) look(in *os.File, path string) (ok bool) {
	var s unix.Statx_t
	err := unix.Statx(int(in.Fd()), e.entry.Name(), unix.AT_SYMLINK_NOFOLLOW, unix.STATX_BASIC_STATS|unix.STATX_BTIME, &s)
	if err == nil && s.Mode&unix.S_IFMT == unix.S_IFLNK {
		err = unix.Statx(int(in.Fd()), e.entry.Name(), 0, unix.STATX_BASIC_STATS|unix.STATX_BTIME, &s)
	}
	switch err {
	case nil:
	case unix.ENOSYS, unix.EPERM: // an old system, or a sandbox that does not know the call
		return e.lookPortably(path)
	default:
		return false
	}
	e.size, e.mtime = int64(s.Size), nanoseconds(s.Mtime.Sec, s.Mtime.Nsec)
	e.born = e.mtime
	if s.Mask&unix.STATX_BTIME != 0 { // a copy that preserves the modification time is created after it
		e.born = min(e.born, nanoseconds(s.Btime.Sec, s.Btime.Nsec))
	}
	kind := s.Mode & unix.S_IFMT
	e.dir = kind == unix.S_IFDIR
	return e.dir || kind == unix.S_IFREG
}

// nanoseconds returns a time in Unix nanoseconds, or the nearest one that can be told.
func nanoseconds(sec int64, nsec uint32) int64 {
	const most = 9_000_000_000 // seconds, until the year 2255
	return min(max(sec, -most), most)*1_000_000_000 + int64(nsec)
}

package folders

import "os"

// lookPortably is like look, without the time of creation.
func (e *dirEntry) lookPortably(path string) (ok bool) {
	info, err := e.entry.Info()
	if err == nil && info.Mode()&os.ModeSymlink != 0 {
		info, err = os.Stat(path)
	}
	if err != nil {
		return false
	}
	e.size, e.mtime = info.Size(), info.ModTime().UnixNano()
	e.born, e.dir = e.mtime, info.IsDir()
	return e.dir || info.Mode().IsRegular()
}

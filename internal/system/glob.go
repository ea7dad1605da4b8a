package system

import (
	"io/fs"
	"os"
	"path/filepath"
)

// Glob returns the files in dir that match a pattern, which has slashes on every system.
// Unlike with filepath.Glob, dir is no pattern: it may contain brackets.
func Glob(dir, pattern string) []string {
	names, _ := fs.Glob(os.DirFS(dir), pattern) // the patterns in this program are valid
	for i, name := range names {
		names[i] = filepath.Join(dir, filepath.FromSlash(name))
	}
	return names
}

package folders

import (
	"os"
	"path/filepath"

	"golang.org/x/text/unicode/norm"
)

// Spelling returns an absolute path as the disk spells it. Names from a Mac are decomposed,
// so that a composed name finds nothing on most file systems. It looks only for paths that do
// not exist, and leaves those that it cannot find unchanged.
func Spelling(path string) string {
	if norm.NFC.String(path) == norm.NFD.String(path) {
		return path
	}
	if _, err := os.Lstat(path); err == nil {
		return path
	}
	above, name := filepath.Dir(path), filepath.Base(path)
	if above == path {
		return path
	}
	above = Spelling(above)
	entries, err := os.ReadDir(above)
	if err != nil {
		return path
	}
	for _, e := range entries {
		if norm.NFC.String(e.Name()) == norm.NFC.String(name) {
			return filepath.Join(above, e.Name())
		}
	}
	return filepath.Join(above, name)
}

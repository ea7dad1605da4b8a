package desktop

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// handouts is the folder, in the data directory, of the files that HandOut creates.
const handouts = "opened"

// handoutTime is the minimum time for which such a file exists. Programs may still have
// it open when Easel ends.
const handoutTime = 24 * time.Hour

// HandOut copies a file for another program: into a folder of its own in dataDir, with a
// name for the user. Neither the file nor the folder can be written to, so nothing that
// the user saves there is lost when SweepHandouts removes it.
func HandOut(dataDir, name string, data []byte) (path string, err error) {
	if name != filepath.Base(name) || name == "." || name == ".." {
		return "", fmt.Errorf("%q is not the name of a file", name)
	}
	all := filepath.Join(dataDir, handouts)
	if err := os.MkdirAll(all, 0o700); err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp(all, "")
	if err != nil {
		return "", err
	}
	path = filepath.Join(dir, name)
	err = errors.Join(os.WriteFile(path, data, 0o400), os.Chmod(dir, 0o500)) //nolint:gosec // a folder
	if err != nil {
		return "", errors.Join(err, remove(dir))
	}
	return path, nil
}

// SweepHandouts removes the files that HandOut created more than a day ago.
func SweepHandouts(dataDir string) {
	all := filepath.Join(dataDir, handouts)
	entries, _ := os.ReadDir(all)
	for _, e := range entries {
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > handoutTime {
			_ = remove(filepath.Join(all, e.Name())) // the next start tries again
		}
	}
}

// remove removes a folder and what is in it, even if it cannot be written to.
func remove(dir string) error {
	return errors.Join(os.Chmod(dir, 0o700), os.RemoveAll(dir)) //nolint:gosec // a folder
}

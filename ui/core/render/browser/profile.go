package browser

import (
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"easel/internal/system"
)

const (
	profilePrefix = "easel-figures-"
	profileLock   = "lock"
)

// A profile is a directory for the files of one browser. It is removed when the browser has
// ended. Easel locks it while it is in use, so that another instance removes only profiles
// that were left by a crash.
type profile struct {
	path string // the browser's directory, in root
	root string
	lock *flock.Flock
}

func newProfile(dir string, w way) (profile, error) {
	root, err := os.MkdirTemp(dir, profilePrefix)
	if err != nil {
		return profile{}, err
	}
	p := profile{path: filepath.Join(root, "profile"), root: root, lock: flock.New(filepath.Join(root, profileLock))}
	locked, err := p.lock.TryLock()
	if err == nil && !locked {
		err = errors.New("the lock of a new profile is taken")
	}
	if err == nil {
		err = os.Mkdir(p.path, 0o700)
	}
	if err == nil && w.user != nil {
		err = errors.Join(os.Chmod(root, 0o711), w.give(p.path)) //nolint:gosec // the browser's user must reach p.path
	}
	if err != nil {
		return profile{}, errors.Join(err, p.remove())
	}
	return p, nil
}

// remove removes the profile. It retries for a second, because processes that are ending may
// still write to it.
func (p profile) remove() error {
	err := os.RemoveAll(p.path)
	for range 20 {
		if err == nil {
			break
		}
		<-time.After(50 * time.Millisecond)
		err = os.RemoveAll(p.path)
	}
	return errors.Join(err, p.lock.Close(), os.RemoveAll(p.root))
}

// sweep removes the profiles in dir that crashed instances of Easel have left.
func sweep(dir string) {
	for _, root := range system.Glob(dir, profilePrefix+"*") {
		info, err := os.Lstat(root)
		if err != nil || !info.IsDir() || !system.OwnedByUser(root, info) {
			continue
		}
		lock := filepath.Join(root, profileLock)
		if _, err := os.Lstat(lock); err != nil && time.Since(info.ModTime()) < time.Hour {
			continue // it may be new, and not yet locked
		}
		held := flock.New(lock)
		if locked, err := held.TryLock(); err == nil && locked {
			_ = os.RemoveAll(filepath.Join(root, "profile"))
			_ = held.Close()
			_ = os.RemoveAll(root)
		}
	}
}

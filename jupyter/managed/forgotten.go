package managed

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"easel/internal/system"
)

// ForgetProjects removes what the servers of projects have left in the data directory, if the
// project's folder is gone and no server of it has run since a time. The folder above it must be
// there: otherwise the project may be on a drive that is not connected.
func ForgetProjects(dataDir string, since time.Time) error {
	d := newLayout(dataDir)
	var errs []error
	for _, dir := range system.Glob(projectsDir(d), "*") {
		var p ProjectServer
		files := serverFiles{root: dir}
		if readJSON(files.file("project.json"), &p) != nil || p.ID() != filepath.Base(dir) || !isGone(p.Root) {
			continue
		}
		if r, err := files.readRecord(); err == nil && r.alive() || usedSince(files, since) {
			continue
		}
		log := p.files(d).log
		errs = append(errs, os.RemoveAll(dir), os.RemoveAll(log), os.RemoveAll(log+olderPart))
	}
	return errors.Join(errs...)
}

// isGone reports whether a folder was removed or renamed.
func isGone(root string) bool {
	_, err := os.Stat(root)
	_, above := os.Stat(filepath.Dir(root))
	return errors.Is(err, fs.ErrNotExist) && above == nil
}

// usedSince reports whether a server has started, or Easel has used it, since a time.
func usedSince(files serverFiles, since time.Time) bool {
	for _, name := range []string{"project.json", "lease"} {
		if info, err := os.Stat(files.file(name)); err == nil && info.ModTime().After(since) {
			return true
		}
	}
	return false
}

package core

import (
	"path/filepath"
	"slices"
	"sync"
	"time"

	"easel/internal/system"
)

const (
	// packagesFor is the time for which the list of environments is cached.
	packagesFor = 5 * time.Second
	// mostPackages limits the number of directories that are remembered.
	mostPackages = 16
)

// packages lists the directories of the Python packages that kernels use: first those of
// Easel's own environment, then those of running kernels, then those of ended ones.
type packages struct {
	managed func() string   // path of Easel's own Python; "" while there is none
	kernels func() []string // paths of the Pythons of kernels on this machine

	mu    sync.Mutex
	asked time.Time
	seen  []string // directories of running and ended kernels
}

// dirs returns the directories.
func (p *packages) dirs() []string {
	own := sitePackages(p.managed())
	p.mu.Lock()
	defer p.mu.Unlock()
	if time.Since(p.asked) > packagesFor {
		p.asked = time.Now()
		var now []string
		for _, python := range p.kernels() {
			now = append(now, sitePackages(python)...)
		}
		for _, dir := range p.seen {
			if !slices.Contains(now, dir) {
				now = append(now, dir)
			}
		}
		p.seen = now[:min(len(now), mostPackages)]
	}
	return append(own, p.seen...)
}

// sitePackages returns the package directories of the Python at a path; nil for "".
func sitePackages(python string) (dirs []string) {
	if python == "" {
		return nil
	}
	root := filepath.Dir(filepath.Dir(python))
	for _, pattern := range []string{
		"lib/python3*/site-packages", "lib/python3*/dist-packages", "local/lib/python3*/dist-packages",
		"lib/python3/dist-packages",
	} {
		dirs = append(dirs, system.Glob(root, pattern)...)
	}
	// On Windows: Scripts\python.exe of an environment, or python.exe of an installation.
	for _, dir := range []string{root, filepath.Dir(python)} {
		for _, d := range system.Glob(dir, "Lib/site-packages") {
			if !slices.Contains(dirs, d) {
				dirs = append(dirs, d)
			}
		}
	}
	return dirs
}

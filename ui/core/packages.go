package core

import (
	"path/filepath"
	"slices"
	"sync"
	"time"
)

const (
	// packagesFor is how long the list of environments is good for.
	packagesFor = 5 * time.Second
	// mostPackages bounds the environments that are remembered.
	mostPackages = 16
)

// packages lists the directories with the Python packages of the kernels: of Easel's own
// environment first, then of those that run or have run, the newest first.
type packages struct {
	managed func() string   // Easel's own Python; "" while there is none
	kernels func() []string // the Pythons of kernels on this machine

	mu    sync.Mutex
	asked time.Time
	seen  []string // directories of kernels
}

// dirs is the list now.
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

// sitePackages are the directories of packages of the Python at a path.
func sitePackages(python string) (dirs []string) {
	if python == "" {
		return nil
	}
	root := filepath.Dir(filepath.Dir(python))
	for _, pattern := range []string{"lib/python3*/site-packages", "lib/python3*/dist-packages", "local/lib/python3*/dist-packages", "lib/python3/dist-packages"} {
		found, _ := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
		dirs = append(dirs, found...)
	}
	// On Windows: Scripts\python.exe of an environment, or python.exe of an installation.
	for _, dir := range []string{root, filepath.Dir(python)} {
		found, _ := filepath.Glob(filepath.Join(dir, "Lib", "site-packages"))
		for _, d := range found {
			if !slices.Contains(dirs, d) {
				dirs = append(dirs, d)
			}
		}
	}
	return dirs
}

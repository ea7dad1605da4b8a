package overlay

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"easel/jupyter/kernelside"
)

var (
	//go:embed python/launcher.py
	launcher string
	//go:embed python/easel_packages.py
	packages string
)

// placeLauncher writes the launcher with the modules that it loads, and returns its path. Its
// directory is named by its content, because kernels of an earlier Easel may use theirs.
func (m *Maker) placeLauncher() (string, error) {
	files := map[string]string{"launcher.py": launcher, filepath.Join("modules", "easel_packages.py"): packages}
	for name, text := range kernelside.Modules() {
		files[filepath.Join("modules", name+".py")] = text
	}
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		_, _ = fmt.Fprintf(h, "%s %d %s", name, len(files[name]), files[name]) // a hash takes everything
	}
	dir := filepath.Join(m.Dir, "easel-"+hex.EncodeToString(h.Sum(nil))[:16])
	path := filepath.Join(dir, "launcher.py")
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, err := os.Stat(path); err == nil {
		return path, touch(dir)
	}
	scratch, err := os.MkdirTemp(m.Dir, scratchPrefix)
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(scratch) }()
	if err := os.Mkdir(filepath.Join(scratch, "modules"), 0o700); err != nil {
		return "", err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(scratch, name), []byte(text), 0o600); err != nil {
			return "", err
		}
	}
	return path, replaceDir(scratch, dir)
}

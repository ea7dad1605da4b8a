package overlay

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"easel/jupyter/kernelside"
)

//go:embed python/launcher.py python/easel_*.py
var files embed.FS

// placeLauncher writes the launcher with the modules that it loads, and returns its path. Its
// directory is named by its content, because kernels of an earlier Easel may use theirs.
func (m *Maker) placeLauncher() (string, error) {
	sources := map[string]string{}
	for name, text := range kernelside.Modules() {
		sources[filepath.Join("modules", name+".py")] = text
	}
	own, _ := files.ReadDir("python") // embedded
	for _, f := range own {
		text, _ := files.ReadFile("python/" + f.Name())
		name := f.Name()
		if name != "launcher.py" {
			name = filepath.Join("modules", name)
		}
		sources[name] = string(text)
	}
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(sources)) {
		_, _ = fmt.Fprintf(h, "%s %d %s", name, len(sources[name]), sources[name]) // a hash takes everything
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
	for name, text := range sources {
		if err := os.WriteFile(filepath.Join(scratch, name), []byte(text), 0o600); err != nil {
			return "", err
		}
	}
	return path, replaceDir(scratch, dir)
}

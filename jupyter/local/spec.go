package local

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A Spec is the part of a kernelspec that a client needs.
type Spec struct {
	Name          string `json:"-"`
	DisplayName   string `json:"display_name"`
	Language      string `json:"language"`
	InterruptMode string `json:"interrupt_mode"` // signal or message
}

// byMessage is the interrupt mode of kernels that are interrupted by a message.
const byMessage = "message"

// specName is the form of a kernelspec's name. It becomes part of a path.
var specName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)

// spec returns the kernelspec of a kernel's process. Not every program writes its name into
// the connection file, and the kernelspec may have been removed.
func (f *Finder) spec(name string, p process) Spec {
	isPython := slices.ContainsFunc(p.args, func(a string) bool {
		return strings.HasPrefix(a, "ipykernel") || strings.HasPrefix(a, "spyder_kernels") || strings.Contains(filepath.ToSlash(a), "/ipykernel")
	})
	switch {
	case specName.MatchString(name):
	case isPython:
		name = "python3"
	default:
		name = "kernel"
	}
	dirs := f.specs
	if len(p.args) > 0 && filepath.IsAbs(p.args[0]) { // first its own environment
		dirs = slices.Concat([]string{filepath.Join(filepath.Dir(filepath.Dir(p.args[0])), "share", "jupyter", "kernels")}, dirs)
	}
	for _, dir := range dirs {
		if s, ok := readSpec(filepath.Join(dir, name, "kernel.json")); ok {
			s.Name = name
			return s
		}
	}
	s := Spec{Name: name}
	if isPython {
		s.Language = "python"
	}
	return s
}

// maxSpec is the maximum size of a kernelspec in bytes.
const maxSpec = 256 << 10

func readSpec(path string) (s Spec, ok bool) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return s, false
	}
	f, err := os.Open(path)
	if err != nil {
		return s, false
	}
	defer f.Close() //nolint:errcheck // only read
	data, err := io.ReadAll(io.LimitReader(f, maxSpec))
	return s, err == nil && json.Unmarshal(data, &s) == nil
}

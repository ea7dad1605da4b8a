package overlay

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// users are the variables that Easel's server has with other values than the user's shell.
var users = []string{"IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR"}

// env returns the variables of a kernel's environment that differ from the server's.
func (m *Maker) env(ctx context.Context, py interpreter, overlay string) map[string]string {
	env := map[string]string{
		"EASEL_OVERLAY":     overlay,
		"EASEL_UV":          m.OwnUV,
		"PYTHONNOUSERSITE":  "", // as the environment wants it
		"VIRTUAL_ENV":       "",
		"CONDA_PREFIX":      "",
		"CONDA_DEFAULT_ENV": "",
	}
	if easel := m.packages(); easel != "" {
		env["EASEL_CLOUDPICKLE"] = filepath.Join(easel, "cloudpickle")
	}
	for _, name := range users {
		env[name] = os.Getenv(name)
	}
	env["PATH"] = m.searchPath(py)
	switch {
	case py.Venv:
		env["VIRTUAL_ENV"] = py.Prefix
	case py.conda():
		maps.Copy(env, m.activated(ctx, py, env["PATH"]))
	}
	for name, value := range env {
		env[name] = strings.ReplaceAll(value, "$", "$$")
	}
	return env
}

// packages returns the directory of the packages of Easel's own environment; "" if there is none.
func (m *Maker) packages() string {
	if m.Easel == nil || m.Easel() == "" {
		return ""
	}
	prefix := filepath.Dir(filepath.Dir(m.Easel()))
	for _, pattern := range []string{filepath.Join("lib", "python3*", "site-packages"), filepath.Join("Lib", "site-packages")} {
		if found, _ := filepath.Glob(filepath.Join(prefix, pattern)); len(found) > 0 {
			return found[0]
		}
	}
	return ""
}

// searchPath returns the user's PATH with the environment's programs first and without
// Easel's.
func (m *Maker) searchPath(py interpreter) string {
	dirs := []string{filepath.Dir(py.path), py.Scripts}
	if py.conda() && runtime.GOOS == "windows" {
		for _, sub := range []string{"", `Library\mingw-w64\bin`, `Library\usr\bin`, `Library\bin`, "Scripts", "bin"} {
			dirs = append(dirs, filepath.Join(py.Prefix, sub))
		}
	}
	easel := ""
	if m.Easel != nil {
		easel = filepath.Dir(m.Easel())
	}
	var path []string
	for _, dir := range append(dirs, filepath.SplitList(os.Getenv("PATH"))...) {
		if dir != "" && dir != easel && !slices.Contains(path, dir) {
			path = append(path, dir)
		}
	}
	return strings.Join(path, string(os.PathListSeparator))
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

package overlay

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"easel/internal/system"
)

// users are the variables that Easel's server has with other values than the user's shell.
var users = []string{"IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR"}

// env returns the variables of a kernel's environment that differ from the server's.
func (m *Maker) env(py interpreter, overlay string) map[string]string {
	env := map[string]string{
		"EASEL_OVERLAY":     overlay,
		"EASEL_UV":          m.OwnUV,
		"PYTHONNOUSERSITE":  "", // as the environment wants it
		"VIRTUAL_ENV":       "",
		"CONDA_PREFIX":      "",
		"CONDA_DEFAULT_ENV": "",
	}
	for _, name := range users {
		env[name] = os.Getenv(name)
	}
	switch {
	case py.Venv:
		env["VIRTUAL_ENV"] = py.Prefix
	case py.conda():
		maps.Copy(env, condaEnv(py.Prefix))
	}
	env["PATH"] = m.searchPath(py)
	for name, value := range env {
		env[name] = strings.ReplaceAll(value, "$", "$$")
	}
	return env
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

// conda reports whether the environment is conda's or pixi's.
func (p interpreter) conda() bool {
	_, err := os.Stat(filepath.Join(p.Prefix, "conda-meta"))
	return err == nil && !p.Venv
}

// condaEnv returns the variables that activating an environment would set, as far as they
// can be read: the environment's own, and assignments in scripts that depend only on its
// directory. What else the scripts of packages do is left out.
func condaEnv(prefix string) map[string]string {
	env := map[string]string{"CONDA_PREFIX": prefix, "CONDA_DEFAULT_ENV": condaName(prefix), "CONDA_SHLVL": "1"}
	for _, script := range system.Glob(prefix, "etc/conda/activate.d/*.sh") {
		text, err := system.ReadRegular(script, 1<<20)
		if err != nil {
			continue
		}
		for _, m := range assignment.FindAllStringSubmatch(string(text), -1) {
			name, value := m[1], strings.NewReplacer("${CONDA_PREFIX}", prefix, "$CONDA_PREFIX/", prefix+"/").Replace(strings.Trim(m[2], `"'`))
			if _, known := env[name]; known || strings.ContainsAny(value, "$`\\;") || strings.HasPrefix(name, "_") || name == "PATH" {
				continue
			}
			if _, err := os.Stat(value); err == nil || !filepath.IsAbs(value) {
				env[name] = value // a script tries several directories
			}
		}
	}
	var state struct {
		Variables map[string]string `json:"env_vars"`
	}
	text, err := system.ReadRegular(filepath.Join(prefix, "conda-meta", "state"), 1<<20)
	if err == nil && json.Unmarshal(text, &state) == nil {
		maps.Copy(env, state.Variables)
	}
	return env
}

// assignment is one that a script exports.
var assignment = regexp.MustCompile(`(?m)^\s*export\s+([A-Za-z_][A-Za-z0-9_]*)=("[^"\n]*"|'[^'\n]*'|[^\s"';]+)\s*$`)

// condaName is what conda calls an environment: its name, or its path if it is in no
// directory of environments.
func condaName(prefix string) string {
	switch {
	case filepath.Base(filepath.Dir(prefix)) == "envs":
		return filepath.Base(prefix)
	case exists(filepath.Join(prefix, "condabin")):
		return "base"
	}
	return prefix
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

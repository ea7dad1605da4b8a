package managed

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// installEnv returns environ for probing and installing, without variables that would
// redirect Python or uv.
func installEnv(environ []string) []string {
	return append(without(environ, func(name string) bool {
		switch name {
		case "VIRTUAL_ENV", "CONDA_PREFIX", "__PYVENV_LAUNCHER__",
			"PYTHONHOME", "PYTHONPATH", "PYTHONSTARTUP", "PYTHONPLATLIBDIR", "PYTHONDONTWRITEBYTECODE",
			"PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "PIP_USER", "PIP_REQUIRE_VIRTUALENV", "PIP_PYTHON",
			"UV_PYTHON", "UV_SYSTEM_PYTHON", "UV_BREAK_SYSTEM_PACKAGES", "UV_PROJECT_ENVIRONMENT",
			"UV_EXCLUDE_NEWER", "UV_REQUIRE_HASHES", "UV_PROJECT", "UV_WORKING_DIRECTORY":
			return true
		}
		return false
	}), "NO_COLOR=1", "PYTHONUNBUFFERED=1", "PIP_DISABLE_PIP_VERSION_CHECK=1", "UV_PYTHON_DOWNLOADS=never")
}

// without returns environ without the variables for whose name drop returns true.
func without(environ []string, drop func(name string) bool) []string {
	out := make([]string, 0, len(environ)+8)
	for _, kv := range environ {
		if name, _, _ := strings.Cut(kv, "="); !drop(name) {
			out = append(out, kv)
		}
	}
	return out
}

// jupyterVariables say where Jupyter keeps its files.
var jupyterVariables = []string{"JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR"}

// serverEnv returns the environment of the main server and its kernels: the user's, without
// variables that would change this Python, this Jupyter or inline plots, and without
// Easel's own secrets.
func serverEnv(cfg Config, d layout) []string {
	env := without(projectEnv(cfg, d, d.serverFiles), func(name string) bool { return name == "PATH" })
	return append(env, "PATH="+d.searchPath(os.Getenv("PATH")), "VIRTUAL_ENV="+d.env, "PYTHONNOUSERSITE=1")
}

// searchPath returns a PATH with the environment's programs first, and last the uv that was
// downloaded, which kernels have if there is no other.
func (d layout) searchPath(path string) string {
	dirs := slices.DeleteFunc([]string{filepath.Dir(d.python()), path, d.uv}, func(dir string) bool { return dir == "" })
	return strings.Join(dirs, string(os.PathListSeparator))
}

// projectEnv returns the environment of a server whose kernels are not in Easel's
// environment: serverEnv without what leads there.
func projectEnv(cfg Config, d layout, files serverFiles) []string {
	env := without(os.Environ(), func(name string) bool {
		switch name {
		case "PYTHONHOME", "PYTHONPATH", "PYTHONSTARTUP", "PYTHONPLATLIBDIR", "PYTHONEXECUTABLE",
			"PYTHONDONTWRITEBYTECODE", "PYTHONNOUSERSITE", "__PYVENV_LAUNCHER__", "CONDA_PREFIX", "VIRTUAL_ENV", "VIRTUAL_ENV_PROMPT",
			"MPLBACKEND", "IPYTHONDIR", "JPY_PARENT_PID":
			return true
		}
		// EASEL_TEST_RUN marks the processes of a test run.
		return strings.HasPrefix(name, "JUPYTER") || strings.HasPrefix(name, "EASEL_") && !strings.HasPrefix(name, "EASEL_TEST_")
	})
	env = append(env,
		"JUPYTER_CONFIG_DIR="+files.file("config"),
		"JUPYTER_DATA_DIR="+files.file("data"),
		"JUPYTER_RUNTIME_DIR="+files.runtime(),
		"IPYTHONDIR="+files.file("ipython"),
		"PYDEVD_DISABLE_FILE_VALIDATION=1", // silences the debugger's note on frozen modules in every kernel
	)
	if len(cfg.Fonts) > 0 {
		env = append(env, "EASEL_PLOT_FONTS="+strings.Join(cfg.Fonts, string(os.PathListSeparator)))
	}
	if os.Getenv("MPLCONFIGDIR") == "" && !cacheWritable() {
		// Otherwise matplotlib creates a new directory for each kernel and reports it on
		// stderr.
		env = append(env, "MPLCONFIGDIR="+d.file("matplotlib"))
	}
	return env
}

// cacheWritable reports whether programs can use the default cache directory.
func cacheWritable() bool {
	dir, err := os.UserCacheDir()
	if err != nil || os.MkdirAll(dir, 0o700) != nil {
		return false
	}
	f, err := os.CreateTemp(dir, ".easel-*")
	if err != nil {
		return false
	}
	_ = f.Close()
	return os.Remove(f.Name()) == nil
}

// userKernels returns the directories of the user's own kernels. This Jupyter has its
// own data directory, so it would not find them.
func userKernels() (dirs []string) {
	add := func(parts ...string) {
		if parts[0] != "" {
			dirs = append(dirs, filepath.Join(append(parts, "kernels")...))
		}
	}
	for _, dir := range filepath.SplitList(os.Getenv("JUPYTER_PATH")) {
		add(dir)
	}
	add(os.Getenv("JUPYTER_DATA_DIR"))
	home, _ := os.UserHomeDir()
	switch {
	case runtime.GOOS == "windows":
		add(os.Getenv("APPDATA"), "jupyter")
	case home == "":
	case runtime.GOOS == "darwin":
		add(home, "Library", "Jupyter")
	default:
		if data := os.Getenv("XDG_DATA_HOME"); data != "" {
			add(data, "jupyter")
		} else {
			add(home, ".local", "share", "jupyter")
		}
	}
	return dirs
}

package sandbox

import (
	"path/filepath"
	"slices"
	"strings"
)

// passed are the environment variables that a kernel gets. All others stay outside: tokens, agents,
// buses and displays have names that nobody can list.
var passed = []string{
	"PATH", "LANG", "LANGUAGE", "TZ", "TERM", "USER", "LOGNAME", "SHELL", "COLUMNS", "LINES",
	"VIRTUAL_ENV", "CONDA_PREFIX", "CONDA_DEFAULT_ENV", "CONDA_SHLVL", "PYTHONNOUSERSITE", "PYTHONUTF8", "PYTHONHASHSEED",
	"PYTHONUNBUFFERED", "PYTHONIOENCODING", "PYDEVD_DISABLE_FILE_VALIDATION", "LD_LIBRARY_PATH", "MPLBACKEND",
	"R_HOME", "R_LIBS", "R_LIBS_SITE", "JAVA_HOME", "GDAL_DATA", "PROJ_LIB", "PROJ_DATA", "SSL_CERT_FILE", "SSL_CERT_DIR",
	"UV_NO_PROGRESS", "PIP_DISABLE_PIP_VERSION_CHECK", "PIP_PROGRESS_BAR", "CUDA_VISIBLE_DEVICES", "GOTRACEBACK",
}

// passedBeginnings are the beginnings of such names.
var passedBeginnings = []string{"LC_", "OMP_", "OPENBLAS_", "MKL_", "NUMEXPR_", "NUMBA_", "VECLIB_", "POLARS_", "EASEL_TEST_"}

// launchers are variables of Easel's, which its launcher reads in the kernel and removes.
var launchers = []string{"EASEL_OVERLAY", "EASEL_UV", "EASEL_CLOUDPICKLE", "EASEL_PLOT_FONTS"}

// networks are the variables that only a kernel with a network gets. Proxies may have a password.
var networks = []string{
	"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "no_proxy", "all_proxy",
	"REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE",
}

// environment returns the variables of a sandboxed program.
func (s *Start) environment(environ []string, by Backend) []string {
	var env []string
	for _, kv := range environ {
		name, _, _ := strings.Cut(kv, "=")
		begins := func(beginning string) bool { return strings.HasPrefix(name, beginning) }
		switch {
		case slices.Contains(s.Keep, name), slices.Contains(passed, name), slices.Contains(launchers, name),
			slices.ContainsFunc(passedBeginnings, begins), s.Network && slices.Contains(networks, name):
		default:
			continue
		}
		if !slices.Contains([]string{"HOME", "TMPDIR", "IPYTHONDIR", MarkVariable, Variable}, name) {
			env = append(env, kv)
		}
	}
	temp := s.Temp
	if by == Bubblewrap {
		temp = "/tmp" // it is there, too, and sockets need short paths
	}
	return append(env, "HOME="+s.Home, "TMPDIR="+temp, MarkVariable+"="+string(by), "IPYTHONDIR="+filepath.Join(s.Home, ".ipython"))
}

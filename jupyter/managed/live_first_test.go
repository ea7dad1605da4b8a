package managed

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"easel/internal/require"
)

// TestLiveEnvironment covers the life of an environment: an interrupted installation, the
// packages that are installed later, and an update beside a server that is running.
func TestLiveEnvironment(t *testing.T) {
	if testing.Short() {
		t.Skip("for make nightly; e2e/python/test_managed.py makes an environment, too")
	}
	liveEnv(t) // fills the installer's cache
	rec := &recorder{}
	j := New(Config{DataDir: t.TempDir(), RootDir: t.TempDir(), Report: rec.report})
	for _, moment := range []string{"installing Downloading", "installing Installing"} {
		p := startPlayer(t, j.cfg, "")
		p.until(t, moment)
		p.kill()
		if _, err := os.Stat(j.dir.file("env.json")); err == nil {
			t.Errorf("killed at %q, an environment is in use", moment)
		}
	}
	s := start(t, j)
	firstEnv := j.dir.env
	waitFor(t, "the end of what was half built", func() bool {
		found, _ := filepath.Glob(j.dir.file("env-*"))
		return len(found) == 1
	})
	id, _ := startKernel(t, s)
	wheel := filepath.Join(t.TempDir(), "easel_probe-1.0-py3-none-any.whl")
	require.NoError(t, os.WriteFile(wheel, makeWheel(t), 0o600))
	// The kernel has been started before pandas is there, and waits for it.
	var version string
	eval(t, s, id, "import matplotlib, pandas", "pandas.__version__", &version)
	waitFor(t, "the other packages", func() bool { return j.Status().Later == nil && Python(j.cfg.DataDir) != "" })
	require.NoError(t, Add(t.Context(), j.cfg.DataDir, []string{wheel}, func(string) {}))
	var lab bool
	r, err := j.dir.readRecord()
	require.NoError(t, err)
	eval(t, s, id, "import urllib.request\nlab = lambda url: urllib.request.urlopen(url).status == 200", "lab('"+j.Server().String()+"/lab?token="+r.Token+"')", &lab)
	if !lab {
		t.Error("there is no JupyterLab")
	}
	if err := j.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(j.dir.file("install.json")); err == nil {
		t.Error("install.json is still there")
	}

	// A newer Easel has other requirements. Its environment is built while a kernel runs in
	// the old one, which is removed at the next start. What the user has added for all sessions is kept.
	st, err := j.dir.readStamp()
	if err != nil || !st.Warm || st.Partial {
		t.Fatalf("stamp %+v, %v: want a warm and complete one", st, err)
	}
	st.Requirements = "older"
	require.NoError(t, j.dir.writeStamp(st))
	s = start(t, j)
	id, _ = startKernel(t, s)
	eval(t, s, id, "precious = 42", "precious", new(int))
	waitFor(t, "the new environment", func() bool { return Python(j.cfg.DataDir) != "" && j.Status().Later == nil })
	var where string
	eval(t, s, id, "import scipy.stats; assert precious == 42", "scipy.__file__", &where)
	if !strings.HasPrefix(where, firstEnv) {
		t.Errorf("the kernel has SciPy from %s, want %s", where, firstEnv)
	}
	if err := j.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	s = start(t, j)
	id, _ = startKernel(t, s)
	eval(t, s, id, "import easel_probe, pandas", "easel_probe.__file__", &where)
	if strings.HasPrefix(where, firstEnv) || !strings.HasPrefix(where, j.dir.env) {
		t.Errorf("the user's package is in %s, want %s", where, j.dir.env)
	}
	waitFor(t, "the end of the old environment", func() bool { _, err := os.Stat(firstEnv); return os.IsNotExist(err) })
	if err := j.Stop(t.Context()); err != nil {
		t.Error(err)
	}
}

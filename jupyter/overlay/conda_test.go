package overlay

import (
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"easel/internal/require"
)

// activation returns what activating an environment sets, without PATH.
func activation(t *testing.T, prefix string) map[string]string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("its scripts are those of cmd.exe")
	}
	m := &Maker{Dir: t.TempDir()}
	env := m.activated(t.Context(), interpreter{Prefix: prefix}, os.Getenv("PATH"))
	delete(env, "PATH")
	return env
}

func TestActivation(t *testing.T) {
	prefix := filepath.Join(t.TempDir(), "my envs", "envs", "geo")
	write(t, filepath.Join(prefix, "share/gdal/x"), "")
	write(t, filepath.Join(prefix, "etc/conda/env_vars.d/proj.json"), `{"PROJ_NETWORK": "ON", "TOKEN": "of a package"}`)
	write(t, filepath.Join(prefix, "conda-meta/state"), `{"env_vars": {"TOKEN": "a$b", "GONE": "***unset***"}}`)
	write(t, filepath.Join(prefix, "etc/conda/activate.d/gdal.sh"), `#!/bin/sh
if [ -n "$GDAL_DATA" ]; then
    export _CONDA_SET_GDAL_DATA="$GDAL_DATA"
fi
if [ -d "$CONDA_PREFIX/Library/share/gdal" ]; then
    export GDAL_DATA="$CONDA_PREFIX/Library/share/gdal"
elif [ -d "$CONDA_PREFIX/share/gdal" ]; then
    export GDAL_DATA=$CONDA_PREFIX/share/gdal
fi
echo activated
local=1
export LINES_OF="two
lines"
`)
	write(t, filepath.Join(prefix, "etc/conda/activate.d/later.sh"), `export LATER="$TOKEN, after $GDAL_DATA"`)
	data := filepath.Join(prefix, "share/gdal")
	want := map[string]string{
		"CONDA_PREFIX": prefix, "CONDA_DEFAULT_ENV": "geo", "CONDA_SHLVL": "1", "PROJ_NETWORK": "ON", "TOKEN": "a$b",
		"GDAL_DATA": data, "LINES_OF": "two\nlines", "LATER": "a$b, after " + data,
	}
	if diff := cmp.Diff(want, activation(t, prefix)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	env := (&Maker{Dir: t.TempDir()}).env(t.Context(), interpreter{Prefix: prefix, path: filepath.Join(prefix, "bin", "python")}, "")
	if env["TOKEN"] != "a$$b" {
		t.Errorf("TOKEN is %q, and Jupyter would replace a variable in it", env["TOKEN"])
	}
	if first, _, _ := strings.Cut(env["PATH"], string(os.PathListSeparator)); first != filepath.Join(prefix, "bin") {
		t.Errorf("PATH begins with %s", first)
	}

	// A script that ends the shell costs what the scripts set, nothing else.
	write(t, filepath.Join(prefix, "etc/conda/activate.d/bad.sh"), "exit 3\n")
	for _, name := range []string{"GDAL_DATA", "LINES_OF", "LATER"} {
		delete(want, name)
	}
	if diff := cmp.Diff(want, activation(t, prefix)); diff != "" {
		t.Errorf("with a bad script, -want +got:\n%s", diff)
	}
}

func TestActivationOfPixi(t *testing.T) {
	root := filepath.Join(t.TempDir(), "proj")
	write(t, filepath.Join(root, "setup.sh"), "export FROM_SCRIPT=$MODE\n")
	write(t, filepath.Join(root, "pixi.toml"), `
[workspace]
name = "proj"
[activation]
scripts = ["setup.sh", "../outside.sh"]
env = { MODE = "plain", DATA = "$PIXI_PROJECT_ROOT/data", COUNT = 3 }
[target.unix.activation.env]
SYSTEM = "unix"
[target.win-64.activation.env]
SYSTEM = "windows"
[feature.gpu.activation.env]
MODE = "gpu"
[environments]
fast = ["gpu"]
bare = { features = ["gpu"], no-default-feature = true }
`)
	for name, want := range map[string]map[string]string{
		"default": {"MODE": "plain", "DATA": root + "/data", "SYSTEM": "unix", "FROM_SCRIPT": "plain"},
		"fast":    {"MODE": "gpu", "DATA": root + "/data", "SYSTEM": "unix", "FROM_SCRIPT": "gpu"},
		"bare":    {"MODE": "gpu"},
	} {
		prefix := filepath.Join(root, ".pixi", "envs", name)
		got := activation(t, prefix)
		maps.Copy(want, map[string]string{
			"CONDA_PREFIX": prefix, "CONDA_DEFAULT_ENV": name, "CONDA_SHLVL": "1", "PIXI_PROJECT_ROOT": root, "PIXI_ENVIRONMENT_NAME": name,
		})
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: -want +got:\n%s", name, diff)
		}
	}
	// Without a pixi.toml, pyproject.toml has it.
	require.NoError(t, os.Rename(filepath.Join(root, "pixi.toml"), filepath.Join(root, "x")))
	write(t, filepath.Join(root, "pyproject.toml"), "[tool.pixi.activation.env]\nMODE = 'project'\n")
	if got := activation(t, filepath.Join(root, ".pixi", "envs", "default")); got["MODE"] != "project" {
		t.Errorf("of pyproject.toml: %q", got)
	}
}

package overlay

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"easel/internal/system"
)

// conda reports whether the environment is conda's or pixi's.
func (p interpreter) conda() bool {
	_, err := os.Stat(filepath.Join(p.Prefix, "conda-meta"))
	return err == nil && !p.Venv
}

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

// activationLimit is for the scripts of packages. Those of compilers take tenths of a second.
const activationLimit = 10 * time.Second

// activated returns the variables that activating an environment sets: the environment's own,
// then what the scripts of its packages change. They run as they would in the user's shell.
func (m *Maker) activated(ctx context.Context, py interpreter, path string) map[string]string {
	prefix := py.Prefix
	env := condaVariables(prefix)
	env["PATH"] = path
	scripts := system.Glob(prefix, "etc/conda/activate.d/*.sh")
	if p, ok := pixiOf(prefix); ok {
		maps.Copy(env, p.variables(env))
		scripts = append(scripts, p.scripts()...)
	}
	if len(scripts) == 0 || py.confined || runtime.GOOS == "windows" { // there, they are programs of cmd.exe
		return env
	}
	ctx, cancel := context.WithTimeout(ctx, activationLimit)
	defer cancel()
	changed, err := m.source(ctx, scripts, env)
	if err != nil {
		m.log().WarnContext(ctx, "the scripts that activate an environment have no effect", "prefix", prefix, "err", err)
	}
	maps.Copy(env, changed)
	return env
}

// condaVariables are those that conda and the environment's files set without any script.
func condaVariables(prefix string) map[string]string {
	env := map[string]string{"CONDA_PREFIX": prefix, "CONDA_DEFAULT_ENV": condaName(prefix), "CONDA_SHLVL": "1"}
	for _, file := range system.Glob(prefix, "etc/conda/env_vars.d/*.json") {
		var packages map[string]string
		readJSON(file, &packages)
		maps.Copy(env, packages)
	}
	var state struct {
		Variables map[string]string `json:"env_vars"` // of "conda env config vars set"
	}
	readJSON(filepath.Join(prefix, "conda-meta", "state"), &state)
	maps.Copy(env, state.Variables)
	maps.DeleteFunc(env, func(_, value string) bool { return value == "***unset***" })
	return env
}

// readJSON leaves into as it is if there is no such file.
func readJSON(path string, into any) {
	if text, err := system.ReadRegular(path, 1<<20); err == nil {
		_ = json.Unmarshal(text, into) // conda itself ignores what it cannot read
	}
}

// source runs scripts in a shell with these variables, and returns which variables they change.
func (m *Maker) source(ctx context.Context, scripts []string, env map[string]string) (map[string]string, error) {
	before := map[string]string{}
	for _, kv := range pythonEnv(os.Environ()) {
		if name, value, _ := strings.Cut(kv, "="); !strings.HasPrefix(name, "EASEL_") {
			before[name] = value
		}
	}
	maps.Copy(before, env)
	environ := make([]string, 0, len(before))
	for name, value := range before {
		environ = append(environ, name+"="+value)
	}
	shell, _ := exec.LookPath("bash") // some packages' scripts need it
	run := []string{cmp.Or(shell, "/bin/sh"), "-c", `for f do . "$f" >&2; done; exec env -0`, "activate"}
	out, err := m.run(ctx, environ, nil, append(run, scripts...)...)
	if err != nil {
		return nil, err
	}
	changed := map[string]string{}
	for kv := range strings.SplitSeq(string(out), "\x00") {
		name, value, ok := strings.Cut(kv, "=")
		if old, known := before[name]; ok && (!known || old != value) && !slices.Contains(shells, name) &&
			!strings.HasPrefix(name, "BASH_FUNC_") {
			changed[name] = value
		}
	}
	return changed, nil
}

// shells are the variables that a shell sets itself.
var shells = []string{"_", "SHLVL", "PWD", "OLDPWD"}

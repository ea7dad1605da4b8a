package project

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"easel/internal/system"
)

// askLimit is how long a program may take to answer. A slow one is not worth the wait: people
// wait for a session meanwhile.
const askLimit = 2 * time.Second

// ask returns what a tool prints about a folder, or "". The tool is the user's, never one in the
// project. It is not asked if the folder has an environment: it would answer that, and some
// versions run its Python for that.
func (f *finder) ask(ctx context.Context, folder, tool string, args ...string) string {
	if f.project.Confined || exists(filepath.Join(folder, ".venv")) {
		return ""
	}
	path, err := exec.LookPath(tool)
	if err != nil {
		if path, err = exec.LookPath(filepath.Join(userDirsHere().home, ".local", "bin", tool)); err != nil {
			return ""
		}
	}
	if f.isOwn(path) {
		return ""
	}
	out := run(ctx, folder, path, args...)
	if !filepath.IsAbs(out) && out != "" {
		return filepath.Join(folder, out)
	}
	return out
}

// isOwn reports whether a program is in the project's folders, where anybody may have put it.
func (f *finder) isOwn(path string) bool {
	return within(path, f.folders[len(f.folders)-1])
}

// run returns what a program prints, without spaces around it, or "" if it fails.
func run(ctx context.Context, dir, path string, args ...string) string {
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, args...) //nolint:gosec // a tool that the user has installed
	cmd.Dir = dir
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { // an active environment is not the project's
		return strings.HasPrefix(v, "VIRTUAL_ENV=") || strings.HasPrefix(v, "CONDA_PREFIX=") || strings.HasPrefix(v, "PYTHONHOME=") ||
			strings.HasPrefix(v, "PYTHONPATH=")
	})
	cmd.Env = append(cmd.Env, "PIPENV_DONT_LOAD_ENV=1", "PIPENV_VERBOSITY=-1", "NO_COLOR=1")
	system.OwnSession(cmd)
	cmd.Cancel = func() error { return system.KillGroup(cmd.Process.Pid) }
	cmd.WaitDelay = askLimit
	out, err := cmd.Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

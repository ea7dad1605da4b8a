package overlay

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"easel/internal/system"
)

//go:embed python/link.py
var linker string

const scratchPrefix = ".new-"

// unneeded are requirements of ipykernel without which kernels run: Easel neither debugs nor
// completes with them, and they are two thirds of its size.
var unneeded = []string{"debugpy", "jedi", "parso"}

// fill puts ipykernel into a directory.
func (m *Maker) fill(ctx context.Context, py interpreter, dir string, report func(string)) (linked bool, err error) {
	if m.link(ctx, py, dir) {
		return true, nil
	}
	if err := ctx.Err(); err != nil {
		return false, context.Cause(ctx)
	}
	if py.confined {
		return false, &Error{
			Python: py.path, Reason: "ipykernel must be downloaded for it, and Easel does not run the Python of a project with a sandbox for that", Command: py.remedy(),
		}
	}
	report("Downloading ipykernel for Python " + py.release())
	return false, m.download(ctx, py, dir)
}

// link fills a directory from Easel's own environment, if its packages fit.
func (m *Maker) link(ctx context.Context, py interpreter, dir string) bool {
	easel := ""
	if m.Easel != nil {
		easel = m.Easel()
	}
	if easel == "" {
		return false
	}
	own, err := m.examine(ctx, easel, "")
	if err == nil && (own.Version[1] != py.Version[1] || !slices.Equal(own.Platform, py.Platform)) {
		return false
	}
	if err == nil {
		order, _ := json.Marshal(map[string]any{ // strings only
			"installed": py.Installed, "requirements": py.needs(wanted), "without": unneeded, "target": dir,
		})
		_, err = m.run(ctx, pythonEnv(os.Environ()), order, easel, "-I", "-c", linker)
	}
	if err != nil {
		m.log().InfoContext(ctx, "Easel's own ipykernel does not fit", "python", py.path, "why", err)
		return false
	}
	return true
}

// download fills a directory with uv.
func (m *Maker) download(ctx context.Context, py interpreter, dir string) error {
	uv, environ, err := m.UV(ctx)
	if err != nil {
		return m.cannot(ctx, py, "ipykernel cannot be downloaded", err)
	}
	scratch, err := os.MkdirTemp(m.Dir, scratchPrefix)
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(scratch) }()
	constraints, overrides := filepath.Join(scratch, "constraints.txt"), filepath.Join(scratch, "overrides.txt")
	without := strings.Join(unneeded, " ; sys_platform == 'none'\n") + " ; sys_platform == 'none'\n"
	if err := errors.Join(os.WriteFile(constraints, py.constraints(), 0o600), os.WriteFile(overrides, []byte(without), 0o600)); err != nil {
		return err
	}
	quick := withoutPatience(environ)
	install := func(floor string, more ...string) error {
		argv := slices.Concat([]string{
			uv, "pip", "install", "--quiet", "--python", py.path, "--target", dir, "--only-binary", ":all:",
			"--constraint", constraints, "--override", overrides,
		}, more, py.needs(floor))
		_, err := m.run(ctx, quick, nil, argv...)
		if err != nil && ctx.Err() == nil && !unreachable(err) && strings.Contains(err.Error(), "Request failed after") {
			_, err = m.run(ctx, environ, nil, argv...) // the network breaks now and then
		}
		return err
	}
	if install(wanted, "--offline") == nil {
		return nil // uv has it from another time, so this needs no network
	}
	err = install(wanted)
	if unsolvable(err) {
		err = install(fallback)
	}
	switch {
	case err == nil:
		return nil
	case unsolvable(err):
		return m.cannot(ctx, py, "no ipykernel fits what is installed there", err)
	}
	return m.cannot(ctx, py, "ipykernel cannot be downloaded", err)
}

// withoutPatience returns environ in which uv repeats a request once. Without a network, its own three
// times take ten seconds. What the user has set stays.
func withoutPatience(environ []string) []string {
	const retries = "UV_HTTP_RETRIES="
	if slices.ContainsFunc(environ, func(kv string) bool { return strings.HasPrefix(kv, retries) }) {
		return environ
	}
	return append(slices.Clone(environ), retries+"1")
}

// unreachable reports whether uv found no way to the index.
func unreachable(err error) bool { return strings.Contains(err.Error(), "client error (Connect)") }

// unsolvable reports whether uv found that no versions fit together. Without a network, it
// knows no versions.
func unsolvable(err error) bool {
	return err != nil && strings.Contains(err.Error(), "No solution found") && !offline(err)
}

// offline reports whether the user's settings make uv work without a network.
func offline(err error) bool { return strings.Contains(err.Error(), "network was disabled") }

// cannot returns the error of an environment that gets no ipykernel.
func (m *Maker) cannot(ctx context.Context, py interpreter, why string, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if !unsolvable(err) {
		why += " (" + cause(err) + ")"
	}
	return &Error{Python: py.path, Reason: why, Command: py.remedy(), Err: err}
}

// cause returns the innermost cause that uv names, or the first line.
func cause(err error) string {
	if offline(err) {
		return "uv is offline"
	}
	best := firstLine(err.Error())
	for line := range strings.Lines(err.Error()) {
		line = strings.TrimSpace(line)
		for _, mark := range []string{"Caused by: ", "cause: "} {
			if _, after, ok := strings.Cut(line, mark); ok && strings.HasPrefix(line, mark) {
				best = after
			}
		}
	}
	return strings.TrimPrefix(best, "error: ")
}

// replaceDir renames a complete directory to its final name.
func replaceDir(from, to string) error {
	if err := os.Chmod(from, 0o755); err != nil { //nolint:gosec // the directory above is the user's only
		return err
	}
	if err := os.RemoveAll(to); err != nil {
		return err
	}
	return system.Rename(from, to)
}

func touch(path string) error {
	now := time.Now()
	return os.Chtimes(path, now, now)
}

// removeUnused removes what no kernel has started with since a time, and what an interrupted
// Prepare has left behind.
func (m *Maker) removeUnused(before time.Time) error {
	found, err := os.ReadDir(m.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, f := range found {
		info, statErr := f.Info()
		if statErr != nil || !f.IsDir() {
			continue
		}
		if info.ModTime().Before(before) {
			if removeErr := os.RemoveAll(filepath.Join(m.Dir, f.Name())); removeErr != nil {
				err = errors.Join(err, fmt.Errorf("an unused overlay: %w", removeErr))
			}
		}
	}
	return err
}

package vlconvert

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"easel/internal/system"
	"easel/ui/core/render"
)

const (
	probeLimit = 20 * time.Second
	// recheck is the time after which an interpreter that failed is probed again.
	recheck = 2 * time.Second
	// hasPackage exits with status 3 if the package is missing.
	hasPackage = "import importlib.util, sys; sys.exit(0 if importlib.util.find_spec('vl_convert') else 3)"
)

// A probe is the cached result of asking an interpreter.
type probe struct {
	python string
	at     time.Time
	err    error
}

// Available returns nil if the interpreter exists and has vl-convert-python. It runs the
// interpreter to find out, and caches the result.
func (e *Engine) Available() error {
	_, err := e.interpreter()
	return err
}

// interpreter returns the path of the Python to draw with, or an UnavailableError.
func (e *Engine) interpreter() (string, error) {
	python := e.cfg.Python()
	if python == "" && e.cfg.Installing != nil && e.cfg.Installing() {
		return "", &render.UnavailableError{
			Lacks:  render.LacksYet,
			Reason: "the package that draws charts is still being installed",
			Remedy: "wait until Easel has installed it",
		}
	}
	if python == "" || !exists(python) {
		return "", &render.UnavailableError{
			Lacks:  render.LacksPython,
			Reason: "Easel's Python environment, which draws charts, is not installed",
			Remedy: "start Easel's own Jupyter once, which installs it",
		}
	}
	e.probing.Lock()
	defer e.probing.Unlock()
	if p := e.probed; p.python == python && (p.err == nil || time.Since(p.at) < recheck) {
		return python, p.err
	}
	err := ask(python)
	e.probed = probe{python, time.Now(), err}
	return python, err
}

// forget clears the cached probe, because the interpreter may have changed.
func (e *Engine) forget() {
	e.probing.Lock()
	defer e.probing.Unlock()
	e.probed = probe{}
}

// ask runs an interpreter to find out whether it has the package.
func ask(python string) error {
	ctx, cancel := context.WithTimeout(context.Background(), probeLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, python, "-I", "-B", "-c", hasPackage)
	cmd.Env = environ("")
	system.Tie(cmd)
	out, err := cmd.CombinedOutput()
	if err == nil {
		return nil
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == 3 {
		return missing(python)
	}
	said, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	return &render.UnavailableError{
		Reason: fmt.Sprintf("the Python that draws charts (%s) does not run: %v %.200s", python, err, said),
		Remedy: "restart Easel, which repairs its environment",
	}
}

func missing(python string) error {
	return &render.UnavailableError{
		Reason: "the Python environment that draws charts lacks the package vl-convert-python",
		Remedy: "restart Easel, which updates its environment, or run " + python + " -m pip install vl-convert-python",
	}
}

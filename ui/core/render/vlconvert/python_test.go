//go:build unix

package vlconvert

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"easel/internal/require"
	"easel/jupyter/jupytertest"
	"easel/ui/core/render"
)

// script writes a program that replaces an interpreter.
func script(t *testing.T, path, body string) {
	t.Helper()
	// Do not write it in place, because a program that is open for writing cannot run.
	next := path + ".next"
	require.NoError(t, os.WriteFile(next, []byte("#!/bin/sh\n"+body+"\n"), 0o700))
	require.NoError(t, os.Rename(next, path))
}

func TestUnavailable(t *testing.T) {
	python := filepath.Join(t.TempDir(), "python")
	e := New(Config{Python: func() string { return python }})
	check := func(reason, remedy string) {
		t.Helper()
		_, err := e.Draw(t.Context(), figure(svgType, `<svg/>`))
		for _, err := range []error{e.Available(), err} {
			u, ok := errors.AsType[*render.UnavailableError](err)
			if !ok || !strings.Contains(u.Reason, reason) || !strings.Contains(u.Remedy, remedy) {
				t.Errorf("%v, want %q; %q", err, reason, remedy)
			}
		}
	}
	check("is not installed", "start Easel's own Jupyter")
	script(t, python, "exit 3")
	check("lacks the package vl-convert-python", python+" -m pip install")
	script(t, python, "echo no such library >&2; exit 1")
	e.forget()
	check("does not run: exit status 1 no such library", "restart Easel")
	script(t, python, `case "$4" in -c) exit 0;; *) [ "$3" = -c ] || exit 1;; esac`)
	e.forget()
	if err := e.Available(); err != nil {
		t.Error(err)
	}
	if _, err := e.Draw(t.Context(), figure(svgType, `<svg/>`)); err == nil || !strings.Contains(err.Error(), "does not start") {
		t.Errorf("%v of a worker that ends at once", err)
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}

// TestLiveAvailableLater checks that the package is found if it is installed while Easel runs.
func TestLiveAvailableLater(t *testing.T) {
	real := jupytertest.Python(t)
	python := filepath.Join(t.TempDir(), "python")
	script(t, python, "exit 3")
	e := newEngine(t, func(c *Config) { c.Python = func() string { return python } })
	if err := e.Available(); err == nil {
		t.Fatal("available without the package")
	}
	script(t, python, `exec `+real+` "$@"`)
	e.probed.at = e.probed.at.Add(-time.Hour)
	draw(t, e, figure(svgType, `<svg width="9" height="9"/>`))
	// Another environment replaces the worker.
	first := e.current()
	other := filepath.Join(t.TempDir(), "python")
	script(t, other, `exec `+real+` "$@"`)
	python = other
	draw(t, e, figure(svgType, `<svg width="9" height="9"/>`))
	if e.current() == first || !first.dead() {
		t.Error("the worker of the old environment draws")
	}
}

// TestLivePackageIsMissing checks that the engine becomes unavailable if the package is removed
// after it was found.
func TestLivePackageIsMissing(t *testing.T) {
	real := jupytertest.Python(t)
	python := filepath.Join(t.TempDir(), "python")
	script(t, python, `[ "$3" = -c ] && exit 0; exec `+real+` -I -B -S "$3" "$4"`) // -S: without packages
	e := newEngine(t, func(c *Config) { c.Python = func() string { return python } })
	_, err := e.Draw(t.Context(), figure(svgType, `<svg/>`))
	if u, ok := errors.AsType[*render.UnavailableError](err); !ok || !strings.Contains(u.Reason, "lacks the package") {
		t.Error(err)
	}
}

func TestEnviron(t *testing.T) {
	for _, name := range []string{"HTTPS_PROXY", "http_proxy", "EASEL_TOKEN", "OPENAI_API_KEY", "PYTHONPATH", "LD_PRELOAD"} {
		t.Setenv(name, "secret")
	}
	t.Setenv("TZ", "Asia/Tokyo")
	env := environ("/tmp/x")
	if strings.Contains(strings.Join(env, "\n"), "secret") || !slices.Contains(env, "TZ=Asia/Tokyo") || !slices.Contains(env, "TMPDIR=/tmp/x") {
		t.Errorf("%q", env)
	}
}

//go:build headless && unix

package main

import (
	"os"
	"path/filepath"
	"testing"

	"easel/internal/require"
	"easel/ui/core/settings"
)

// TestAnInstalledEaselWithAWindowIsPreferred covers the bundle of a client, whose program
// has no window.
func TestAnInstalledEaselWithAWindowIsPreferred(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	t.Setenv("HOME", t.TempDir())
	was := systemPlaces
	defer func() { systemPlaces = was }()
	systemPlaces = nil
	program := filepath.Join(dir, "easel")
	for says, want := range map[string]string{
		"easel 0.1.0 (commit 0123, linux/amd64)":                   program,
		"easel 0.1.0 (commit 0123, linux/amd64, without a window)": "",
		"Easel, a drawing program":                                 "",
	} {
		require.NoError(t, os.WriteFile(program, []byte("#!/bin/sh\necho '"+says+"'\n"), 0o700))
		if got := installed(t.Context(), settings.Options{}); got != want {
			t.Errorf("%s: got %q, want %q", says, got, want)
		}
		if got := installed(t.Context(), settings.Options{Headless: true}); got != "" {
			t.Errorf("with --headless: %q", got)
		}
	}
}

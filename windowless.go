//go:build headless

package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"easel/ui/core/settings"
)

// hasWindow is false: the build tag headless leaves out everything that needs a display, so
// that the program needs no C compiler and no graphics library.
const hasWindow = false

// runWindow is never called, because nothing asks a build without a window for one.
func (*easel) runWindow(context.Context, bool, func()) error {
	return errors.New("this build of Easel has no window")
}

// explain does nothing: there is no window to show an error in.
func explain(settings.Options, error) {}

// systemPlaces are the paths of an Easel that is installed for all users. Tests replace them.
var systemPlaces = []string{"/Applications/Easel.app/Contents/MacOS/easel", "/usr/bin/easel"}

// installed returns the path of an Easel with a window that is installed on this machine, or
// "". A program without one that has to start Easel starts that instead, so that a bundle of
// a client shows plots to the user.
func installed(ctx context.Context, o settings.Options) string {
	if o.Headless {
		return ""
	}
	var places []string
	if path, err := exec.LookPath("easel"); err == nil {
		places = append(places, path)
	}
	if home, err := os.UserHomeDir(); err == nil {
		places = append(places, filepath.Join(home, "Applications", "Easel.app", "Contents", "MacOS", "easel"),
			filepath.Join(home, ".local", "bin", "easel"))
	}
	places = append(places, systemPlaces...)
	if dir := os.Getenv("LOCALAPPDATA"); dir != "" {
		places = append(places, filepath.Join(dir, "Programs", "Easel", "easel.exe"))
	}
	for _, path := range places {
		if _, err := os.Stat(path); err == nil && showsWindows(ctx, path) {
			return path
		}
	}
	return ""
}

// showsWindows reports whether a program is an Easel with a window.
func showsWindows(ctx context.Context, path string) bool {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, path, "version").Output() //nolint:gosec // where Easel is installed
	return err == nil && strings.HasPrefix(string(out), "easel ") && !strings.Contains(string(out), windowless)
}

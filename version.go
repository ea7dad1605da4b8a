package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
)

// The linker sets these; scripts/version prints them. FyneApp.toml has the same version.
var (
	version = "0.1.0"
	commit  = "" // hash
	date    = "" // of the commit, RFC 3339 in UTC
)

// windowless marks a program without a window in the output of `easel version`.
const windowless = "without a window"

// versionLine returns the output of `easel version`.
func versionLine() string {
	commit, date := commit, date
	if info, ok := debug.ReadBuildInfo(); ok && commit == "" { // built by go build, without the Makefile
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				commit = s.Value
			case "vcs.time":
				date = s.Value
			}
		}
	}
	about := []string{runtime.GOOS + "/" + runtime.GOARCH}
	if !hasWindow {
		about = append(about, windowless)
	}
	if commit != "" {
		about = append([]string{"commit " + commit[:min(12, len(commit))], date}, about...)
	}
	return fmt.Sprintf("easel %s (%s)", version, strings.Join(about, ", "))
}

package main

import (
	_ "embed" // for FyneApp.toml
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
)

// The linker sets these; scripts/version prints them.
var (
	version string
	commit  string // hash
	date    string // of the commit, RFC 3339 in UTC
)

// released is the file with the version of the latest release, or of the first one. Nothing else contains a version.
//
//go:embed FyneApp.toml
var released string

func init() {
	if version == "" { // built by go build, without the Makefile
		version = releasedVersion()
	}
}

// releasedVersion returns the version of FyneApp.toml.
func releasedVersion() string {
	_, rest, _ := strings.Cut(released, "\nVersion = \"")
	v, _, _ := strings.Cut(rest, "\"")
	return v
}

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

package main

import (
	"os"
	"regexp"
	"testing"

	"easel/internal/require"
)

func TestVersionLine(t *testing.T) {
	was := [...]string{version, commit, date}
	defer func() { version, commit, date = was[0], was[1], was[2] }()
	version, commit, date = "1.2.3-dev.4", "0123456789abcdef0123", "2026-11-25T20:40:00Z"
	want := regexp.MustCompile(`^easel 1\.2\.3-dev\.4 \(commit 0123456789ab, 2026-11-25T20:40:00Z, \w+/\w+(, without a window)?\)$`)
	if got := versionLine(); !want.MatchString(got) {
		t.Errorf("got %q", got)
	}
	commit, date = "", ""
	if got := versionLine(); !regexp.MustCompile(`^easel 1\.2\.3-dev\.4 \(.*\w+/\w+.*\)$`).MatchString(got) {
		t.Errorf("without a commit: %q", got)
	}
}

// TestTheVersionIsTheSameEverywhere compares the places that contain the version.
func TestTheVersionIsTheSameEverywhere(t *testing.T) {
	for file, pattern := range map[string]string{
		"FyneApp.toml": `(?m)^Version = "(.*)"$`,
		"CHANGELOG.md": `(?m)^## \[(\d.*)\]`,
		"packaging/linux/io.github.easel.Easel.metainfo.xml": `<release version="(.*?)"`,
	} {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		m := regexp.MustCompile(pattern).FindSubmatch(text)
		if m == nil || string(m[1]) != version {
			t.Errorf("%s: %q", file, m)
		}
	}
}

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

// TestTheVersion compares the version with the changelog, which names versions, too. What changed since the latest release is
// under Unreleased, and the version of FyneApp.toml is the newest one below.
func TestTheVersion(t *testing.T) {
	if !regexp.MustCompile(`^\d+\.\d+\.\d+$`).MatchString(releasedVersion()) {
		t.Fatalf("FyneApp.toml: %q", releasedVersion())
	}
	text, err := os.ReadFile("CHANGELOG.md")
	require.NoError(t, err)
	headings := regexp.MustCompile(`(?m)^## (.*)$`).FindAllStringSubmatch(string(text), -1)
	if len(headings) > 0 && headings[0][1] == "[Unreleased]" {
		headings = headings[1:]
	}
	for i, h := range headings {
		m := regexp.MustCompile(`^\[(\d+\.\d+\.\d+)\] - \d{4}-\d\d-\d\d$`).FindStringSubmatch(h[1])
		if m == nil || i == 0 && m[1] != releasedVersion() {
			t.Errorf("CHANGELOG.md: heading %q; FyneApp.toml has %q", h[1], releasedVersion())
		}
	}
}

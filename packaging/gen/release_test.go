package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"easel/internal/require"
)

// A repository is a small one in a temporary directory, with what scripts/release needs.
type repository struct {
	t   *testing.T
	dir string
}

func newRepository(t *testing.T) repository {
	t.Helper()
	r := repository{t, t.TempDir()}
	for _, path := range []string{"scripts/release", "scripts/version", "FyneApp.toml"} {
		data, err := os.ReadFile(filepath.Join("../..", path))
		require.NoError(t, err)
		r.write(path, string(data))
	}
	r.replace("FyneApp.toml", releasedLine(t, r.read("FyneApp.toml")), `Version = "0.1.0"`)
	r.write(projectFile, "# OWNER stands for the account.\nREPOSITORY=https://github.com/OWNER/easel\nPYPI_NAME=easel-mcp\n")
	r.write("CHANGELOG.md", "# Changelog\n\n## [Unreleased]\n\n- All is new.\n\n### Plots\n\n- More.\n")
	r.git("init", "-q", "-b", "main")
	r.commit()
	return r
}

// releasedLine returns the line of FyneApp.toml that has the version.
func releasedLine(t *testing.T, text string) string {
	t.Helper()
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "Version = ") {
			return strings.TrimSpace(line)
		}
	}
	t.Fatal("FyneApp.toml has no version")
	return ""
}

func (r repository) write(path, text string) {
	r.t.Helper()
	require.NoError(r.t, os.MkdirAll(filepath.Dir(filepath.Join(r.dir, path)), 0o755))
	require.NoError(r.t, os.WriteFile(filepath.Join(r.dir, path), []byte(text), 0o755))
}

func (r repository) read(path string) string {
	r.t.Helper()
	data, err := os.ReadFile(filepath.Join(r.dir, path))
	require.NoError(r.t, err)
	return string(data)
}

func (r repository) replace(path, old, text string) {
	r.t.Helper()
	r.write(path, strings.ReplaceAll(r.read(path), old, text))
}

// run runs a program in the repository and returns what it prints, and whether it succeeded.
func (r repository) run(name string, args ...string) (string, bool) {
	r.t.Helper()
	c := exec.CommandContext(r.t.Context(), name, args...)
	c.Dir = r.dir
	c.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "EASEL_VERSION=",
		"GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=ada@example.org", "GIT_COMMITTER_NAME=Ada", "GIT_COMMITTER_EMAIL=ada@example.org")
	out, err := c.CombinedOutput()
	return strings.TrimSpace(string(out)), err == nil
}

func (r repository) git(args ...string) string {
	r.t.Helper()
	out, ok := r.run("git", args...)
	if !ok {
		r.t.Fatalf("git %q: %s", args, out)
	}
	return out
}

func (r repository) commit() {
	r.t.Helper()
	r.git("add", "-A")
	r.git("commit", "-q", "-m", "a change")
}

// version returns the version of the current commit.
func (r repository) version() string {
	r.t.Helper()
	out, _ := r.run("scripts/version")
	v, _, _ := strings.Cut(out, " ")
	return v
}

func TestRelease(t *testing.T) {
	r := newRepository(t)
	if out, ok := r.run("scripts/release", "0.2.0"); ok || !strings.Contains(out, "OWNER") {
		t.Fatalf("with a placeholder for the account: %s", out)
	}
	r.replace(projectFile, "com/OWNER", "com/ada")
	if out, ok := r.run("scripts/release", "0.2.0"); ok || !strings.Contains(out, "commit your changes") {
		t.Fatalf("with changes: %s", out)
	}
	r.commit()
	if got := r.version(); got != "0.1.0-dev.2" {
		t.Errorf("before: version %s", got)
	}
	if out, ok := r.run("scripts/release", "0.0.9"); ok || !strings.Contains(out, "older") {
		t.Errorf("an older version: %s", out)
	}
	if out, ok := r.run("scripts/release", "0.2.0"); !ok {
		t.Fatal(out)
	}
	changelog := r.read("CHANGELOG.md")
	if got, want := changelog, "# Changelog\n\n## [0.2.0] - "+time.Now().UTC().Format(time.DateOnly)+"\n\n- All is new.\n\n### Plots\n\n- More.\n"; got != want {
		t.Errorf("changelog:\n%s", got)
	}
	if got := releases(changelog, "0.2.0", time.Now()); got != `    <release version="0.2.0" date="`+time.Now().UTC().Format(time.DateOnly)+`"/>` {
		t.Errorf("releases for AppStream: %s", got)
	}
	if got := r.git("describe", "--exact-match") + r.git("status", "--porcelain") + r.git("diff", "--name-only", "HEAD~"); got != "v0.2.0CHANGELOG.md\nFyneApp.toml" {
		t.Errorf("tag, status and changed files: %q", got)
	}
	if got := r.version(); got != "0.2.0" {
		t.Errorf("version %s", got)
	}
	if out, _ := r.run("scripts/release", "notes", "0.2.0"); out != "- All is new.\n\n### Plots\n\n- More." {
		t.Errorf("notes: %q", out)
	}
	if out, ok := r.run("scripts/release", "0.2.0"); ok || !strings.Contains(out, "the tag v0.2.0 exists") {
		t.Errorf("the same version again: %s", out)
	}
	if out, ok := r.run("scripts/release", "0.3.0"); ok || !strings.Contains(out, "[Unreleased]") {
		t.Errorf("without changes: %s", out)
	}

	// What follows is newer.
	r.replace("CHANGELOG.md", "# Changelog\n", "# Changelog\n\n## [Unreleased]\n\n- One more.\n")
	if got := r.version(); got != "0.2.1-dev.3+changed" {
		t.Errorf("with changes: version %s", got)
	}
	r.commit()
	if got := r.version(); got != "0.2.1-dev.4" {
		t.Errorf("after: version %s", got)
	}
	want := `    <release version="0.2.1~dev.4" date="2001-09-09" type="development"/>` + "\n" + `    <release version="0.2.0" date=`
	if got := releases(r.read("CHANGELOG.md"), "0.2.1-dev.4", time.Unix(1e9, 0).UTC()); !strings.HasPrefix(got, want) {
		t.Errorf("releases for AppStream: %s", got)
	}
}

// TestReleasesComeFromMain refuses a release of another branch, and of a main that lacks commits of the published one.
func TestReleasesComeFromMain(t *testing.T) {
	r := newRepository(t)
	r.replace(projectFile, "com/OWNER", "com/ada")
	r.commit()
	r.git("update-ref", "refs/remotes/origin/main", "HEAD")
	r.git("reset", "-q", "--hard", "HEAD~")
	if out, ok := r.run("scripts/release", "0.2.0"); ok || !strings.Contains(out, "origin/main") {
		t.Errorf("behind: %s", out)
	}
	r.git("switch", "-q", "-c", "other")
	if out, ok := r.run("scripts/release", "0.2.0"); ok || !strings.Contains(out, "branch main") {
		t.Errorf("another branch: %s", out)
	}
}

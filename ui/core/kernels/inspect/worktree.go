package inspect

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"time"

	"easel/internal/system"
	"easel/mcphost/catalog"
)

// A WorkTree is what git says of the directory of a kernel on this machine. The zero WorkTree says
// nothing.
type WorkTree struct {
	directory string
	commit    string // "" if git did not answer
	dirty     bool   // files that git knows differ from the commit
	until     time.Time
}

// Of reports whether t is of a directory.
func (t WorkTree) Of(directory string) bool { return t.commit != "" && t.directory == directory }

// Complete adds what git says to what the kernel has said.
func (t WorkTree) Complete(env *catalog.Environment) {
	if t.Of(env.Directory) {
		env.Commit, env.Dirty = t.commit, &t.dirty
	}
}

// Now returns what git says of the directory that a kernel is in. It is zero if the kernel is on
// another machine; that is also so if it has read another commit there.
func (t WorkTree) Now(ctx context.Context, env Environment) WorkTree {
	host, err := os.Hostname()
	if err != nil || env.Commit == "" || !strings.EqualFold(host, env.Host) {
		return WorkTree{}
	}
	if t.Of(env.Directory) && t.commit == env.Commit && time.Now().Before(t.until) {
		return t
	}
	if t = readTree(ctx, env.Directory); t.commit != env.Commit {
		return WorkTree{}
	}
	return t
}

// slowGit is how long git may take for each plot. If it takes longer, as in a large repository, it
// runs for a thirtieth of the time.
const slowGit = 200 * time.Millisecond

// readTree asks git.
func readTree(ctx context.Context, directory string) WorkTree {
	t, began := WorkTree{directory: directory}, time.Now()
	git, err := exec.LookPath("git")
	if err != nil {
		return t
	}
	// It takes no lock and does not start the program that a repository may name as its monitor.
	//nolint:gosec // git itself, with a directory as its argument
	c := exec.CommandContext(ctx, git, "--no-optional-locks", "-c", "core.fsmonitor=false", "-C", directory,
		"status", "--porcelain=v2", "--branch", "--untracked-files=no")
	c.WaitDelay = time.Second
	system.HideWindow(c)
	out, err := c.Output()
	if err != nil {
		return t
	}
	for line := range strings.Lines(string(out)) {
		if id, ok := strings.CutPrefix(line, "# branch.oid "); ok {
			t.commit = strings.TrimSpace(id)
		}
		t.dirty = t.dirty || !strings.HasPrefix(line, "#")
	}
	if took := time.Since(began); took > slowGit {
		t.until = began.Add(30 * took)
	}
	return t
}

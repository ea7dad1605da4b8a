package record

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"time"

	"easel/internal/system"
	"easel/ui/core/kernels/inspect"
)

// A workTree is what git says of a directory.
type workTree struct {
	directory string
	commit    string // "" if git did not answer
	dirty     bool   // files that git knows differ from the commit
	until     time.Time
}

// slowGit is how long git may take for each plot. If it takes longer, as in a large repository, it
// runs for a thirtieth of the time.
const slowGit = 200 * time.Millisecond

// now returns what git says now. commit is what the kernel has read.
func (t workTree) now(ctx context.Context, directory, commit string) workTree {
	began := time.Now()
	if t.directory == directory && t.commit == commit && began.Before(t.until) {
		return t
	}
	t = workTree{directory: directory}
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

// local reports whether a kernel that has answered so is on this machine, by its name.
func local(env inspect.Environment) bool {
	name, err := os.Hostname()
	return err == nil && env.Key != "" && strings.EqualFold(name, env.Host)
}

package inspect

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
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
	changes   string // hash of these differences; "" if there are none or too many
	failed    bool   // git did not answer in time
	until     time.Time
}

// Of reports whether t is of a directory.
func (t WorkTree) Of(directory string) bool { return t.commit != "" && t.directory == directory }

// Complete adds what git says to what the kernel has said.
func (t WorkTree) Complete(env *catalog.Environment) {
	if t.Of(env.Directory) {
		env.Commit, env.Dirty, env.DirtyHash = t.commit, &t.dirty, t.changes
	}
}

// Now returns what git says of the directory that a kernel is in. It is zero if the kernel is on
// another machine; that is also so if it has read another commit there. A change of notebook, the kernel's
// own if it has one, does not count: its cells are recorded, and Easel itself saves it.
func (t WorkTree) Now(ctx context.Context, env Environment, notebook string) WorkTree {
	host, err := os.Hostname()
	if err != nil || env.Commit == "" || !strings.EqualFold(host, env.Host) {
		return WorkTree{}
	}
	if t.directory == env.Directory && (t.failed || t.commit == env.Commit) && time.Now().Before(t.until) {
		return t
	}
	if t = readTree(ctx, env.Directory, notebook); !t.failed && t.commit != env.Commit {
		return WorkTree{}
	}
	return t
}

// slowGit is how long git may take for each plot. If it takes longer, as in a large repository, it
// runs for a thirtieth of the time.
const slowGit = 200 * time.Millisecond

// gitLimit is how long git may take at all. The environment is stored without what it says then.
const gitLimit = 5 * time.Second

// readTree asks git. A change of notebook does not count.
func readTree(ctx context.Context, directory, notebook string) WorkTree {
	t, began := WorkTree{directory: directory}, time.Now()
	ctx, cancel := context.WithTimeout(ctx, gitLimit)
	defer cancel()
	git, err := exec.LookPath("git")
	if err != nil {
		return t
	}
	off, err := withoutFilters(ctx, git, directory)
	if err != nil {
		return t
	}
	// It takes no lock and does not start the programs that a repository may name: its monitor, its
	// filters, also those of submodules, and what would fetch objects that a partial clone lacks.
	//nolint:gosec // git itself, with a directory as its argument
	c := exec.CommandContext(ctx, git, "--no-optional-locks", "-c", "core.fsmonitor=false", "-C", directory,
		"status", "--porcelain=v2", "-z", "--branch", "--untracked-files=no", "--ignore-submodules=dirty")
	c.WaitDelay = time.Second
	c.Env = append(append(os.Environ(), "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none"), off...) // git before 2.45 knows only the latter
	system.HideWindow(c)
	out, err := c.Output()
	if err != nil {
		t.failed = ctx.Err() != nil
		t.until = began.Add(30 * time.Since(began))
		return t
	}
	var changed []string
	for entry := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		switch id, ok := strings.CutPrefix(entry, "# branch.oid "); {
		case ok:
			t.commit = id
		case entry != "" && !strings.HasPrefix(entry, "# "):
			changed = append(changed, entry)
		}
	}
	top := topOf(directory)
	changed = slices.DeleteFunc(changed, func(entry string) bool { return isNotebook(top, entry, notebook) })
	if t.dirty = len(changed) > 0; t.dirty {
		t.changes = hashChanges(ctx, top, changed)
	}
	if took := time.Since(began); took > slowGit {
		t.until = began.Add(30 * took)
	}
	return t
}

// withoutFilters returns environment variables that turn off the filters that a repository itself
// defines. Git would run them to compare files. The user's own, such as that of Git LFS, stay.
func withoutFilters(ctx context.Context, git, directory string) (environ []string, err error) {
	//nolint:gosec // git itself, with a directory as its argument
	c := exec.CommandContext(ctx, git, "-C", directory, "config", "--null", "--show-scope", "--name-only", "--get-regexp", `^filter\.`)
	c.WaitDelay = time.Second
	system.HideWindow(c)
	out, err := c.Output()
	if e, ok := errors.AsType[*exec.ExitError](err); ok && e.ExitCode() == 1 { // there are none
		return nil, nil
	}
	n := 0
	for pair := range slices.Chunk(strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"), 2) {
		if len(pair) < 2 || pair[0] == "system" || pair[0] == "global" {
			continue
		}
		value := ""
		if strings.HasSuffix(pair[1], ".required") {
			value = "false"
		}
		environ = append(environ, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", n, pair[1]), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", n, value))
		n++
	}
	if n > 0 {
		environ = append(environ, fmt.Sprintf("GIT_CONFIG_COUNT=%d", n))
	}
	return environ, err
}

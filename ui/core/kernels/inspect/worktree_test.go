package inspect

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"easel/internal/require"
)

// TestUncommittedChangesHaveAHash: two states of one file with changes differ.
func TestUncommittedChangesHaveAHash(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("there is no git")
	}
	dir := t.TempDir()
	run := func(args ...string) {
		t.Helper()
		args = append([]string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@example.org"}, args...)
		if out, err := exec.CommandContext(t.Context(), git, args...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	write := func(name, text string) {
		t.Helper()
		require.NoError(t, os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	file, other := filepath.Join("src", "売上 モデル.py"), "plain.py"
	write(file, "first\n")
	write(other, "other\n")
	run("init", "-q")
	run("add", ".")
	run("commit", "-qm", "first")
	seen := make(map[string]string)
	state := func(name, as string) {
		t.Helper()
		tree := readTree(t.Context(), filepath.Join(dir, "src"), "")
		if tree.commit == "" || tree.dirty == (tree.changes == "") {
			t.Fatalf("%s: got %+v", name, tree)
		}
		if was, ok := seen[tree.changes]; ok != (as != "") || was != as {
			t.Errorf("%s is as %q, want %q", name, was, as)
		}
		if as == "" {
			seen[tree.changes] = name
		}
	}
	state("clean", "")
	write(file, "second\n")
	state("changed", "")
	write(file, "third!\n") // as long
	state("changed again", "")
	write(file, "second\n")
	state("changed back", "changed")
	run("add", ".")
	state("staged", "")
	run("mv", other, "renamed.py")
	state("renamed", "")
	write("renamed.py", "more\n")
	state("renamed and changed", "")
	run("reset", "-q", "--hard")
	state("reset", "clean")
	write(file, strings.Repeat("x", mostChangedBytes+1))
	if tree := readTree(t.Context(), dir, ""); !tree.dirty || tree.changes != "" {
		t.Errorf("too much: got %+v", tree)
	}
}

// TestAKernelsNotebookIsNoChange: Easel saves it, with each cell that runs. Other changes count.
func TestAKernelsNotebookIsNoChange(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("there is no git")
	}
	dir := t.TempDir()
	link := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Symlink(dir, link))
	write := func(name, text string) {
		t.Helper()
		require.NoError(t, os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	own, checkpoint, other := "work/売上 a.ipynb", "work/.ipynb_checkpoints/売上 a-checkpoint.ipynb", "work/b.ipynb"
	for _, name := range []string{own, checkpoint, other, "a.py"} {
		write(name, "{}")
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qm", "first"}} {
		if out, err := exec.CommandContext(t.Context(), git, append([]string{"-C", dir}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	dirty := func() bool {
		t.Helper()
		tree := readTree(t.Context(), filepath.Join(dir, "work"), filepath.Join(link, own))
		if tree.commit == "" || tree.dirty == (tree.changes == "") {
			t.Fatalf("got %+v", tree)
		}
		return tree.dirty
	}
	write(own, "{ }")
	write(checkpoint, "{ }")
	if dirty() {
		t.Error("its own notebook counts")
	}
	for _, name := range []string{other, "a.py"} {
		write(name, "{ }")
		if !dirty() {
			t.Errorf("%s does not count", name)
		}
		write(name, "{}")
	}
	if dirty() {
		t.Error("what was changed back counts")
	}
}

// TestGitRunsNothingOfARepository checks that a repository whose settings name programs, as one that
// was downloaded may, runs none of them when Easel looks at it.
func TestGitRunsNothingOfARepository(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("there is no git")
	}
	dir := t.TempDir()
	ran := filepath.Join(dir, "ran")
	write := func(name, text string) {
		t.Helper()
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	write("a.txt", "first\n")
	for _, args := range [][]string{{"init", "-q"}, {"add", "a.txt"}, {"-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qm", "first"}} {
		if out, err := exec.CommandContext(t.Context(), git, append([]string{"-C", dir}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	touch := `"touch '` + ran + `'; cat"`
	write(".gitattributes", "*.txt filter=a=b\n")
	write("a.txt", "other\n")
	for _, program := range []string{"clean", "process"} {
		write(".git/config", "[core]\n\tfsmonitor = "+touch+"\n[filter \"a=b\"]\n\trequired = true\n\t"+program+" = "+touch+"\n")
		if tree := readTree(t.Context(), dir, ""); tree.commit == "" || !tree.dirty {
			t.Errorf("%s: got %+v", program, tree)
		}
		if _, err := os.Stat(ran); err == nil {
			t.Errorf("%s was run", program)
		}
	}
	// Git fetches what a partial clone lacks, with a program that the repository may name.
	write(".git/config", "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tpartialClone = origin\n"+
		"[remote \"origin\"]\n\tpromisor = true\n\turl = "+dir+"\n\tuploadpack = "+touch+"\n")
	objects, err := filepath.Glob(filepath.Join(dir, ".git", "objects", "??"))
	if err != nil || len(objects) == 0 {
		t.Fatal(objects, err)
	}
	for _, o := range objects {
		require.NoError(t, os.RemoveAll(o))
	}
	_ = readTree(t.Context(), dir, "")
	if _, err := os.Stat(ran); err == nil {
		t.Error("a fetch was run")
	}
}

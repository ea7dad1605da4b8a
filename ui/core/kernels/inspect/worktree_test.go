package inspect

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

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
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
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
		if tree := readTree(t.Context(), dir); tree.commit == "" || !tree.dirty {
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
		if err := os.RemoveAll(o); err != nil {
			t.Fatal(err)
		}
	}
	_ = readTree(t.Context(), dir)
	if _, err := os.Stat(ran); err == nil {
		t.Error("a fetch was run")
	}
}

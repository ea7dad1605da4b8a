package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestUninstallQuitsEaselAndKeepsTheLibrary removes what Easel can create again from under
// a running Easel, then everything.
func TestUninstallQuitsEaselAndKeepsTheLibrary(t *testing.T) {
	e := launch(t, options{})
	exists := func(name string) bool {
		_, err := os.Stat(filepath.Join(e.data, name))
		return err == nil
	}
	uninstall := func(args ...string) string {
		p := start(t, cleanEnv(t.TempDir(), false), binary(t), append([]string{"uninstall", "--data-dir", e.data}, args...)...)
		if code := p.end(t); code != 0 {
			t.Errorf("exit code %d:\n%s", code, p.out.String())
		}
		return p.out.String()
	}
	if out := uninstall(); !strings.Contains(out, "Nothing was deleted") || !exists("easel.json") {
		t.Errorf("without an answer:\n%s", out)
	}
	if out := uninstall("--yes"); !strings.Contains(out, "still in") {
		t.Errorf("with --yes:\n%s", out)
	}
	e.end(t) // it has quit
	for _, name := range []string{"easel.json", "easel.lock", "logs", "jupyter"} {
		if exists(name) {
			t.Errorf("%s is left", name)
		}
	}
	for _, name := range []string{"library/library.jsonl", "token"} {
		if !exists(name) {
			t.Errorf("%s is gone", name)
		}
	}
	if out := uninstall("--yes", "--all"); !strings.Contains(out, "Deleted") || exists(".") {
		t.Errorf("with --all:\n%s", out)
	}
}

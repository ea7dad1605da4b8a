package e2e

import (
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"easel/internal/require"
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

// TestWindowSaysThatTheLibraryIsNewer starts Easel on a library of a later version, as from
// a menu. The library is not changed.
func TestWindowSaysThatTheLibraryIsNewer(t *testing.T) {
	if os.Getenv("DISPLAY") == "" {
		t.Skip("there is no display; make test makes one")
	}
	data := t.TempDir()
	journal := filepath.Join(data, "library", "library.jsonl")
	newer := `{"easel_library":1,"schema":9999}`
	line := fmt.Sprintf("%08x %s\n", crc32.Checksum([]byte(newer), crc32.MakeTable(crc32.Castagnoli)), newer)
	require.NoError(t, errors.Join(os.Mkdir(filepath.Dir(journal), 0o700), os.WriteFile(journal, []byte(line), 0o600)))
	p := start(t, cleanEnv(t.TempDir(), true), binary(t), "--data-dir", data)
	var window string
	eventually(t, "the window", func() bool { window = visible(t, p.Process.Pid); return window != "" })
	eventually(t, "the window's text", func() bool { return distinct(screen(t, "newer")) > 8 })
	// Through the window manager: the window may close before a key sent to it is released.
	xdo(t, "windowfocus", "--sync", window)
	xdo(t, "key", "alt+F4")
	if code := p.end(t); code == 0 || !strings.Contains(p.out.String(), "newer version") {
		t.Errorf("exit code %d:\n%s", code, p.out.String())
	}
	if now, err := os.ReadFile(journal); err != nil || string(now) != line {
		t.Errorf("the journal is %q, %v", now, err)
	}
}

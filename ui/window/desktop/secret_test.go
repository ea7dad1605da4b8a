package desktop

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"easel/internal/require"
)

func TestOpenSecretKeepsItOutOfTheArguments(t *testing.T) {
	dir := t.TempDir()
	var shown string
	const address = `http://127.0.0.1:5149/api/swagger#token=a</script>"b`
	require.NoError(t, openSecret(dir, address, func(path string) error { shown = path; return nil }))
	if strings.Contains(shown, "token") || filepath.Dir(shown) != dir {
		t.Errorf("the browser is given %q", shown)
	}
	info, err := os.Stat(shown)
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	page, err := os.ReadFile(shown)
	if err != nil || !strings.Contains(string(page), `location.replace("http://127.0.0.1:5149/api/swagger#token=a`) || strings.Contains(string(page), `a</script>"`) {
		t.Errorf("the page is %s, %v", page, err)
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "other.html"), nil, 0o600))
	SweepSecrets(dir)
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 || left[0].Name() != "other.html" {
		t.Errorf("left: %v, %v", left, err)
	}
}

func TestOpenSecretLeavesNothingWhenItFails(t *testing.T) {
	dir := t.TempDir()
	failed := errors.New("no browser")
	if err := openSecret(dir, "http://a/#token=x", func(string) error { return failed }); !errors.Is(err, failed) {
		t.Errorf("got %v", err)
	}
	if err := openSecret(dir, "file:///etc/passwd", func(string) error { return nil }); err == nil {
		t.Error("a file was opened")
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

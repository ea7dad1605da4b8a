//go:build unix

package remote

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"easel/internal/require"
)

// start runs the script with a program that says what it gets, and should have that size, in a home
// directory.
func start(t *testing.T, home, program string, size int, environ ...string) string {
	t.Helper()
	system, err := exec.CommandContext(t.Context(), "uname", "-sm").Output()
	require.NoError(t, err)
	if program != "missing" {
		dir := filepath.Join(home, ".cache", "easel")
		require.NoError(t, os.MkdirAll(dir, 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "agent-1"), []byte(program), 0o700))
	}
	script := "umask 027\n" + assign("owner", "it's me") + assign("names", strings.TrimSpace(string(system))+" agent-1 "+strconv.Itoa(size)+"\n") + startScript
	c := exec.CommandContext(t.Context(), "sh", "-c", script)
	c.Env = append([]string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}, environ...)
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return strings.TrimSpace(string(out))
}

// TestStartLeavesTheUsersSettings checks that what the script sets for itself does not reach the
// kernels: the files that they write in a project would be closed to the user's group, and R and
// sort would not know the user's language.
func TestStartLeavesTheUsersSettings(t *testing.T) {
	const program = "#!/bin/sh\necho \"$(umask) ${LC_ALL-unset} $1 $2 ${3-none}\"\n"
	home := filepath.Join(t.TempDir(), "my home 売上")
	if got, want := start(t, home, program, len(program)), "0027 unset serve-projects it's me "; strings.TrimSpace(got) != strings.TrimSpace(want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := start(t, home, program, len(program), "LC_ALL=ja_JP.UTF-8"), "0027 ja_JP.UTF-8 serve-projects it's me"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestStartCopiesAgain checks that a program of which a crash of that machine has left only a part is
// copied again.
func TestStartCopiesAgain(t *testing.T) {
	home := t.TempDir()
	for _, program := range []string{"missing", "", "#!/bin/sh\n"} {
		if got := start(t, home, program, 100); !strings.HasPrefix(got, "easel-missing ") || !strings.HasSuffix(got, " "+home+"/.cache/easel") {
			t.Errorf("%q: got %q", program, got)
		}
	}
}

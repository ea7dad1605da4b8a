//go:build unix

package remote

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"easel/internal/require"
	"easel/jupyter/tunnel"
)

// local makes ssh run scripts on this machine, with a home directory of its own.
func local(t *testing.T) (home string) {
	t.Helper()
	bin, home := t.TempDir(), t.TempDir()
	script := fmt.Sprintf("#!/bin/sh\nfor last; do :; done\nHOME='%s' XDG_CACHE_HOME= exec sh -c \"$last\"\n", home)
	require.NoError(t, os.WriteFile(filepath.Join(bin, "ssh"), []byte(script), 0o700))
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	return home
}

// TestCopyTellsThatItLives checks that a slow link, over which the end of a file takes longer than any
// answer may, does not count as silent: the script says that it is still at work.
func TestCopyTellsThatItLives(t *testing.T) {
	t.Run("the script", func(t *testing.T) {
		dir := t.TempDir()
		c := exec.CommandContext(t.Context(), "sh", "-c", assign("dir", dir)+assign("name", "agent-1")+"size=4\nbeat=0.01\n"+copyScript)
		in, err := c.StdinPipe()
		require.NoError(t, err)
		out, err := c.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, c.Start())
		_, _ = fmt.Fprint(in, "ab")
		said := make([]byte, len("easel-copying\n"))
		if _, err := out.Read(said); err != nil || string(said) != "easel-copying\n" {
			t.Fatalf("got %q, %v", said, err)
		}
		_, _ = fmt.Fprint(in, "cd")
		_ = in.Close()
		var rest bytes.Buffer
		_, _ = rest.ReadFrom(out)
		if err := c.Wait(); err != nil || !strings.HasSuffix(rest.String(), "easel-copied\n") {
			t.Errorf("got %q, %v", rest.String(), err)
		}
		if text, err := os.ReadFile(filepath.Join(dir, "agent-1")); err != nil || string(text) != "abcd" {
			t.Errorf("got %q, %v", text, err)
		}
		if left, _ := os.ReadDir(dir); len(left) != 1 {
			t.Errorf("%v is left", left)
		}
	})
	t.Run("this side", func(t *testing.T) {
		local(t)
		cfg := Config{Address: tunnel.Address{Host: "x"}}
		err := cfg.send(context.Background(), "echo easel-copying; cat >/dev/null; echo easel-copying; echo easel-copied", strings.NewReader("abc"), func(int64) {})
		if err != nil {
			t.Error(err)
		}
	})
}

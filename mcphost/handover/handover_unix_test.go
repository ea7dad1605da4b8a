//go:build linux || darwin || freebsd

package handover

import (
	"bufio"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"easel/internal/require"
	"easel/mcphost/catalog"
)

// TestOnlyThisUserMayAsk checks that the peer's user counts, whatever the modes of the socket
// and its directory let through.
func TestOnlyThisUserMayAsk(t *testing.T) {
	l, _ := serving(t, t.TempDir(), func(context.Context, catalog.ShowWindowIn) error { return nil })
	c, err := dial(t.Context(), l.Address)
	require.NoError(t, err)
	defer c.Close()
	if err := checkPeer(c, os.Geteuid()); err != nil {
		t.Errorf("this user is refused: %v", err)
	}
	if err := checkPeer(c, os.Geteuid()+1); !errors.Is(err, errForeign) {
		t.Errorf("another user: %v, want errForeign", err)
	}
}

// TestASocketThatACrashLeftIsReplaced also checks that a file of another kind is not.
func TestASocketThatACrashLeftIsReplaced(t *testing.T) {
	dir := t.TempDir()
	left, err := listen(filepath.Join(dir, socketFile))
	require.NoError(t, err)
	defer left.Close() // a crash would not remove it either
	l, _ := serving(t, dir, func(context.Context, catalog.ShowWindowIn) error { return nil })
	if l.Address != filepath.Join(dir, socketFile) {
		t.Errorf("it listens at %s", l.Address)
	}
	if err := Send(t.Context(), l.Address, catalog.ShowWindowIn{}); err != nil {
		t.Error(err)
	}

	dir = t.TempDir()
	name := filepath.Join(dir, socketFile)
	require.NoError(t, os.WriteFile(name, []byte("mine"), 0o600))
	l, _ = serving(t, dir, func(context.Context, catalog.ShowWindowIn) error { return nil })
	if b, err := os.ReadFile(name); l.Address == name || err != nil || string(b) != "mine" {
		t.Errorf("it listens at %s, and the file has %q, %v", l.Address, b, err)
	}
}

func TestARequestIsBounded(t *testing.T) {
	shown := false
	l, stop := serving(t, t.TempDir(), func(context.Context, catalog.ShowWindowIn) error {
		shown = true
		return nil
	})
	for name, request := range map[string]string{"too long": strings.Repeat(" ", maxRequest) + "{}\n", "no JSON": "show\n", "of another kind": "[]\n"} {
		c, err := dial(t.Context(), l.Address)
		require.NoError(t, err)
		_, _ = c.Write([]byte(request)) // it may hang up before it has read everything
		if line, _ := bufio.NewReader(c).ReadString('\n'); strings.Contains(line, "true") {
			t.Errorf("%s: it answered %s", name, line)
		}
		c.Close()
	}
	stop()
	if shown {
		t.Error("the window was shown")
	}
}

//go:build unix

package remote

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/gofrs/flock"
)

// TestAnAgentKillsNoOtherProcess checks that an agent that waits for another one's lock kills that
// agent, but no process that has got the id of an earlier one.
func TestAnAgentKillsNoOtherProcess(t *testing.T) {
	dir := t.TempDir()
	lock := flock.New(filepath.Join(dir, "agent.lock"))
	if ok, err := lock.TryLock(); !ok {
		t.Fatal(err)
	}
	other := exec.CommandContext(t.Context(), "sleep", "600")
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		_ = other.Wait() // it is killed
		close(ended)
	}()
	for _, text := range []string{fmt.Sprint(other.Process.Pid), fmt.Sprintf("%d %s", other.Process.Pid, myself())} {
		if err := os.WriteFile(filepath.Join(dir, "agent.pid"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		if _, err := (&Agent{dir: dir}).displace(ctx); err == nil {
			t.Error("it has the lock")
		}
		cancel()
		select {
		case <-ended:
			t.Fatalf("another process was killed because of %q", text)
		case <-time.After(50 * time.Millisecond):
		}
	}
	_ = other.Process.Kill()
	<-ended
}

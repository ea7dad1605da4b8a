//go:build unix

package remote

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"easel/internal/require"
	"easel/jupyter/managed"
	"easel/jupyter/tunnel"
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
	require.NoError(t, other.Start())
	ended := make(chan struct{})
	go func() {
		_ = other.Wait() // it is killed
		close(ended)
	}()
	for _, text := range []string{fmt.Sprint(other.Process.Pid), fmt.Sprintf("%d %s", other.Process.Pid, myself())} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "agent.pid"), []byte(text), 0o600))
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

// TestADisplacedConnectionStaysAway checks that two names of one machine do not displace each other's
// agents for ever: an agent tells its Easel that another one takes its place.
func TestADisplacedConnectionStaysAway(t *testing.T) {
	home := local(t)
	self, err := os.Executable()
	require.NoError(t, err)
	connections := make(chan string, 16)
	named := func(host string) *Machine {
		m := New(Config{
			Address: tunnel.Address{Host: host}, Owner: "test", Programs: Programs{Self: self},
			Log: slog.New(told{slog.NewTextHandler(t.Output(), nil), func(message string) { connections <- host + ": " + message }}),
		})
		t.Cleanup(m.Close)
		return m
	}
	one, two := named("one"), named("two")
	find := func(m *Machine) {
		t.Helper()
		if _, err := m.Find(t.Context(), home, nil); err != nil {
			if e, ok := errors.AsType[*Error](err); !ok || e.Kind != NotAProject {
				t.Error(err)
			}
		}
	}
	find(one)
	one.mu.Lock()
	one.hosts = []*Host{one.Host(managed.ProjectServer{Root: home, Name: "x"}, quiet, nothing)} // as if it ran
	one.mu.Unlock()
	find(two)
	const connected, gone = ": connected to Easel's program on another machine", ": no connection to Easel's program on another machine"
	got := []string{<-connections, <-connections, <-connections}
	slices.Sort(got)
	if want := []string{"one" + connected, "one" + gone, "two" + connected}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	select { // the first attempt would come after a second
	case got := <-connections:
		t.Errorf("got %q", got)
	case <-time.After(3 * time.Second):
	}
}

// told tells the messages of connections to a test.
type told struct {
	slog.Handler
	tell func(string)
}

func (h told) Handle(ctx context.Context, r slog.Record) error {
	if strings.Contains(r.Message, "connect") {
		h.tell(r.Message)
	}
	return h.Handler.Handle(ctx, r)
}

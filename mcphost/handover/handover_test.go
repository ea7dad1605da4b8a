package handover

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"easel/internal/require"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
)

// serving returns a listener of dataDir that serves with show until the test ends.
func serving(t *testing.T, dataDir string, show func(context.Context, catalog.ShowWindowIn) error) (l *Listener, stop func()) {
	t.Helper()
	l, err := Listen(dataDir)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan struct{})
	go func() {
		defer close(served)
		l.Serve(ctx, slog.New(slog.DiscardHandler), show)
	}()
	stop = func() {
		cancel()
		<-served
	}
	t.Cleanup(stop)
	return l, stop
}

func TestASecondStartHandsOverItsDisplay(t *testing.T) {
	long := filepath.Join(t.TempDir(), strings.Repeat("d", 120)) // longer than a socket's path may be
	require.NoError(t, os.Mkdir(long, 0o700))
	for name, dir := range map[string]string{"short": t.TempDir(), "long": long} {
		t.Run(name, func(t *testing.T) {
			want := catalog.ShowWindowIn{Env: map[string]string{"DISPLAY": ":7"}, Hidden: true}
			var got catalog.ShowWindowIn
			l, stop := serving(t, dir, func(_ context.Context, in catalog.ShowWindowIn) error {
				got = in
				return nil
			})
			if runtime.GOOS != "windows" {
				if info, err := os.Stat(l.Address); err != nil || info.Mode().Perm() != 0o600 {
					t.Errorf("the socket: %v, %v; want mode 0600", info, err)
				}
				if info, err := os.Stat(filepath.Dir(l.Address)); dir == long && (err != nil || info.Mode().Perm() != 0o700) {
					t.Errorf("its directory: %v, %v; want mode 0700", info, err)
				}
			}
			require.NoError(t, Send(t.Context(), l.Address, want))
			stop()
			if got.Hidden != want.Hidden || !maps.Equal(got.Env, want.Env) {
				t.Errorf("got %+v, want %+v", got, want)
			}
			if err := Send(t.Context(), l.Address, want); err == nil {
				t.Error("it answered after its end")
			}
			if runtime.GOOS != "windows" {
				if _, err := os.Lstat(l.Address); !errors.Is(err, os.ErrNotExist) {
					t.Errorf("the socket is left behind: %v", err)
				}
			}
		})
	}
}

func TestARefusalSaysWhy(t *testing.T) {
	l, _ := serving(t, t.TempDir(), func(context.Context, catalog.ShowWindowIn) error {
		return &tool.Error{Code: tool.NotExecutable, Detail: "There is no window.", Hint: "Start another."}
	})
	err := Send(t.Context(), l.Address, catalog.ShowWindowIn{})
	if no, ok := errors.AsType[*RefusedError](err); !ok || no.Detail != "There is no window. Start another." {
		t.Errorf("got %v", err)
	}
}

// TestRequestsOfOthersAreRefused sends lines that no Easel writes.
func TestRequestsOfOthersAreRefused(t *testing.T) {
	l, _ := serving(t, t.TempDir(), func(context.Context, catalog.ShowWindowIn) error {
		t.Error("the window was shown")
		return nil
	})
	for _, line := range []string{"", `"show"`, "[{}]", `{"env": ["DISPLAY"]}`, `{"hidden": 1}`, "{", "\x00\xff\xfe", "GET / HTTP/1.1\r"} {
		c, err := dial(t.Context(), l.Address)
		require.NoError(t, err)
		_, err = c.Write([]byte(line + "\n"))
		var got answer
		if err = errors.Join(err, json.NewDecoder(c).Decode(&got), c.Close()); err != nil || got.Success || !strings.Contains(got.Detail, "JSON object in one line") {
			t.Errorf("%q: %+v, %v", line, got, err)
		}
	}
}

// TestEndingAnswersNobodyForever ends while a request is shown, and while another never
// arrives: Serve returns.
func TestEndingAnswersNobodyForever(t *testing.T) {
	begun := make(chan struct{})
	l, stop := serving(t, t.TempDir(), func(ctx context.Context, _ catalog.ShowWindowIn) error {
		close(begun)
		<-ctx.Done()
		return ctx.Err()
	})
	silent, err := dial(t.Context(), l.Address)
	require.NoError(t, err)
	defer silent.Close()
	sent := make(chan error, 1)
	go func() { sent <- Send(context.WithoutCancel(t.Context()), l.Address, catalog.ShowWindowIn{}) }()
	<-begun
	stop()
	if err := <-sent; err == nil {
		t.Error("the window was shown")
	}
}

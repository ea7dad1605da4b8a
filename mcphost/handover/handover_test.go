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
		l.Serve(ctx, slog.New(slog.DiscardHandler), Handlers{Show: show})
	}()
	stop = func() {
		cancel()
		<-served
	}
	t.Cleanup(stop)
	return l, stop
}

// transferOf returns a handler that refuses to import, and exports with a progress. It exports to /waits
// until the other end leaves, and then closes left.
func transferOf(left chan struct{}) func(context.Context, Transfer, func(done, all int64)) (string, error) {
	return func(ctx context.Context, in Transfer, progress func(done, all int64)) (string, error) {
		switch {
		case in.Command != nil:
			return in.Command.Name + string(in.Command.In), nil
		case in.Import != "":
			return "", errors.New(in.Import + " is not there")
		case in.Export == "/waits":
			progress(1, 2)
			<-ctx.Done()
			close(left)
			return "", ctx.Err()
		}
		return "exported to " + in.Export, nil
	}
}

func TestALibraryIsTransferred(t *testing.T) {
	left := make(chan struct{})
	l, err := Listen(t.TempDir())
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan struct{})
	go func() {
		defer close(served)
		l.Serve(ctx, slog.New(slog.DiscardHandler), Handlers{Transfer: transferOf(left), every: 1})
	}()
	if done, err := SendTransfer(t.Context(), l.Address, Transfer{Export: "/a.zip"}, nil); err != nil || done != "exported to /a.zip" {
		t.Errorf("got %q, %v", done, err)
	}
	command := Transfer{Command: &Command{Name: "assistants", In: json.RawMessage(`{"add":"x"}`)}}
	if done, err := SendTransfer(t.Context(), l.Address, command, nil); err != nil || done != `assistants{"add":"x"}` {
		t.Errorf("got %q, %v", done, err)
	}
	_, err = SendTransfer(t.Context(), l.Address, Transfer{Import: "/b.zip"}, nil)
	if no, ok := errors.AsType[*RefusedError](err); !ok || no.Detail != "/b.zip is not there" {
		t.Errorf("got %v", err)
	}
	leaving, leave := context.WithCancel(t.Context())
	_, err = SendTransfer(leaving, l.Address, Transfer{Export: "/waits"}, func(done, all int64) {
		if done != 1 || all != 2 {
			t.Errorf("progress %d of %d", done, all)
		}
		leave()
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	<-left
	stop()
	<-served
}

// TestAnOlderEaselTransfersNothing, and takes the request for one to show its window.
func TestAnOlderEaselTransfersNothing(t *testing.T) {
	old, err := Listen(t.TempDir())
	require.NoError(t, err)
	defer old.Close()
	go func() {
		c, err := old.net.Accept()
		if err == nil {
			_ = json.NewDecoder(c).Decode(new(catalog.ShowWindowIn))
			_, _ = c.Write([]byte(`{"success":true}` + "\n"))
			_ = c.Close()
		}
	}()
	if _, err := SendTransfer(t.Context(), old.Address, Transfer{Export: "/a.zip"}, nil); err == nil || !strings.Contains(err.Error(), "too old") {
		t.Errorf("got %v", err)
	}
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

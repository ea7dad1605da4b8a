package jupyter

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"easel/internal/require"
	"easel/jupyter/connection"
	"easel/jupyter/jupytertest"
	"easel/jupyter/wire"
)

const goodConnection = `{"transport": "tcp", "ip": "127.0.0.1", "shell_port": 1, "control_port": 2, "iopub_port": 3,
	"stdin_port": 4, "hb_port": 5, "key": "k", "signature_scheme": "hmac-sha256", "kernel_name": "python3"}`

func writeConnection(t *testing.T, dir, id, text string) string {
	t.Helper()
	file := filepath.Join(dir, "kernel-"+id+".json")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	return file
}

func TestTheConnectionFile(t *testing.T) {
	dir := t.TempDir()
	s, err := New("http://127.0.0.1:1", "", WithRuntimeDir(dir))
	require.NoError(t, err)
	file := writeConnection(t, dir, "good", goodConnection)
	if got := s.connectionFile("good"); got != file {
		t.Errorf("got %q", got)
	}
	want := connection.File{
		Transport: "tcp", IP: "127.0.0.1", ShellPort: 1, ControlPort: 2, IOPubPort: 3, StdinPort: 4, Key: "k", SignatureScheme: "hmac-sha256",
		KernelName: "python3",
	}
	if got, err := readConnection(file); got != want || err != nil {
		t.Errorf("got %+v, %v", got, err)
	}
	for name, text := range map[string]string{
		"is no JSON":       "{",
		"is for ipc":       strings.Replace(goodConnection, "tcp", "ipc", 1),
		"is for elsewhere": strings.Replace(goodConnection, "127.0.0.1", "192.0.2.1", 1),
		"has no address":   strings.Replace(goodConnection, "127.0.0.1", "elsewhere", 1),
		"signs otherwise":  strings.Replace(goodConnection, "sha256", "sha512", 1),
		"encrypts":         strings.Replace(goodConnection, `"key"`, `"curve_publickey": "p", "key"`, 1),
	} {
		t.Run("of no use if it "+name, func(t *testing.T) {
			file := writeConnection(t, dir, "bad", text)
			if got, err := readConnection(file); err == nil {
				t.Errorf("got %+v", got)
			}
			if got := s.connectionFile("bad"); got != "" {
				t.Errorf("got %q", got)
			}
		})
	}
	t.Run("of no use if it is not there", func(t *testing.T) {
		sub := filepath.Join(dir, "kernel-x")
		require.NoError(t, os.Mkdir(sub, 0o700))
		_ = writeConnection(t, dir, "up", goodConnection)
		for _, id := range []string{"missing", "x/../kernel-up", "../" + filepath.Base(dir) + "/kernel-good", ""} {
			if got := s.connectionFile(id); got != "" {
				t.Errorf("%q: got %q", id, got)
			}
		}
		elsewhere, _ := New("http://127.0.0.1:1", "")
		if got := elsewhere.connectionFile("good"); got != "" {
			t.Errorf("of another server: got %q", got)
		}
	})
}

// TestAServerThatDoesNotAgreePassesMessagesOn checks that a server that does not know
// Easel's subprotocol forwards messages as usual, even if the connection file can be
// read.
func TestAServerThatDoesNotAgreePassesMessagesOn(t *testing.T) {
	srv := jupytertest.NewServer(t)
	fake := srv.AddKernel("python3")
	dir := t.TempDir()
	_ = writeConnection(t, dir, fake.ID, goodConnection)
	s, err := New(srv.URL, srv.Token, WithRuntimeDir(dir))
	require.NoError(t, err)
	k, err := s.follow(within(t), fake.ID, FollowOptions{}, quick())
	require.NoError(t, err)
	defer func() { _ = k.Close() }()
	if k.OwnSockets() {
		t.Error("the kernel's sockets are asked")
	}
	if err := k.Probe(within(t)); err != nil {
		t.Error(err)
	}
}

func TestSocketsTakeWhatIsToBeSent(t *testing.T) {
	s := newSockets("", quick(), nil, nil)
	large := &wire.Message{Channel: wire.Shell, Content: make(json.RawMessage, writeLimit+1)}
	if err := s.send(t.Context(), large); !errors.Is(err, ErrRequestTooLarge) {
		t.Errorf("too large: %v", err)
	}
	for range cap(s.out) { // until the kernel is connected
		require.NoError(t, s.send(t.Context(), new(wire.Message)))
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	gaveUp := errors.New("gave up")
	cancel(gaveUp)
	if err := s.send(ctx, new(wire.Message)); !errors.Is(err, gaveUp) {
		t.Errorf("with a full queue: %v", err)
	}
}

package jupyter

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"easel/internal/require"
	"easel/jupyter/jupytertest"
	"easel/jupyter/wire"
)

func TestLiveAClientThatDoesNotAskUsesTheWebsocket(t *testing.T) {
	real, s := overSockets(t)
	k := start(t, s)
	if !k.OwnSockets() {
		t.Fatal("the server passes the messages on")
	}
	stranger, err := New(real.URL, real.Token)
	require.NoError(t, err)
	other := join(t, stranger, k.ID())
	if other.OwnSockets() {
		t.Error("the kernel's sockets are used")
	}
	if o := run(t, other, "6*7"); string(o.forms[0]["text/plain"]) != `"42"` {
		t.Errorf("got %+v", o)
	}
}

func TestLiveALostWebsocketCostsNoMessage(t *testing.T) {
	_, s := overSockets(t)
	p := jupytertest.NewProxy(t, s.URL().String())
	through, err := New(p.URL, s.token.token, WithRuntimeDir(s.runtimeDir))
	require.NoError(t, err)
	k := start(t, through, func(tune *connectionParameters) {
		tune.ping, tune.silence = 500*time.Millisecond, 10*time.Second
	})
	meanwhile, after := filepath.Join(t.TempDir(), "meanwhile"), filepath.Join(t.TempDir(), "after")
	id, err := k.Execute(live(t), ExecuteRequest{Code: fmt.Sprintf(`
import os, time
print('before', flush=True)
while not os.path.exists(%q): time.sleep(.01)
print('meanwhile', flush=True)
while not os.path.exists(%q): time.sleep(.01)
print('after', flush=True)`, meanwhile, after)})
	require.NoError(t, err)
	collect(t, k, id, func(o outcome) bool { return o.stdout == "before\n" })
	p.Sleep()
	collect(t, k, id, func(o outcome) bool { return slices.Contains(o.words, "connection lost") })
	if _, err := k.Execute(live(t), ExecuteRequest{Code: "1"}); !errors.Is(err, ErrDisconnected) {
		t.Errorf("a request while nobody tells what becomes of the kernel: %v", err)
	}
	touch(t, meanwhile)
	o := collect(t, k, id, func(o outcome) bool { return o.stdout != "" })
	if o.stdout != "meanwhile\n" || slices.Contains(o.words, "connection restored") {
		t.Errorf("while the websocket is down: %q, %q", o.stdout, o.words)
	}
	p.Wake()
	collect(t, k, id, func(o outcome) bool { return slices.Contains(o.words, "connection restored") })
	touch(t, after)
	o = collect(t, k, id, func(o outcome) bool {
		return slices.Contains(o.words, "idle") && slices.Contains(o.words, "execute_reply")
	})
	if o.stdout != "after\n" || o.reply.Status != wire.ReplyOK {
		t.Errorf("after it: %+v", o)
	}
}

// TestLiveUnreachableSocketsAreReplacedByTheServer checks that messages go through the server if the kernel's
// sockets cannot be connected although there is a connection file.
func TestLiveUnreachableSocketsAreReplacedByTheServer(t *testing.T) {
	real, _ := overSockets(t)
	dir := t.TempDir()
	s, err := New(real.URL, real.Token, WithRuntimeDir(dir))
	require.NoError(t, err)
	model, err := s.StartKernel(live(t), StartKernelRequest{Name: "python3"})
	require.NoError(t, err)
	nobody := jupytertest.FreePort(t)
	writeConnection(t, dir, model.ID, fmt.Sprintf(
		`{"transport": "tcp", "ip": "127.0.0.1", "shell_port": %d, "control_port": %d, "iopub_port": %d}`, nobody, nobody, nobody))
	k := join(t, s, model.ID, func(tune *connectionParameters) { tune.sockets = 300 * time.Millisecond })
	if k.OwnSockets() {
		t.Error("the kernel's sockets are used")
	}
	if o := run(t, k, "6*7"); string(o.forms[0]["text/plain"]) != `"42"` {
		t.Errorf("got %+v", o)
	}
}

// TestLiveAMessageThatIsTooLargeIsReported checks that a message that is too large is reported with its parent, and
// that the sockets stay open.
func TestLiveAMessageThatIsTooLargeIsReported(t *testing.T) {
	_, s := overSockets(t)
	k := start(t, s, func(tune *connectionParameters) { tune.readLimit = 100_000 })
	id, err := k.Execute(live(t), ExecuteRequest{Code: "from IPython.display import display, JSON\ndisplay(JSON({'a': 'x' * 200_000}))"})
	require.NoError(t, err)
	// The reply comes over another socket. It may arrive before the message that is too
	// large.
	var o outcome
	told := false
	for ctx := live(t); !told || !slices.Contains(o.words, "idle") || !slices.Contains(o.words, "execute_reply"); {
		in, err := k.Next(ctx)
		switch {
		case err != nil:
			t.Fatalf("told %v, after %q: %v", told, o.words, err)
		case in.Err == nil && in.Message != nil && in.Message.ParentID() == id:
			o.add(t, in)
		case in.Err != nil:
			told = true
			if !errors.Is(in.Err, ErrMessageTooLarge) || in.Message.ParentID() != id || in.Message.Type() != "display_data" {
				t.Errorf("got %v of %+v", in.Err, in.Message)
			}
		}
	}
	if o := run(t, k, "6*7"); string(o.forms[0]["text/plain"]) != `"42"` {
		t.Errorf("got %+v", o)
	}
}

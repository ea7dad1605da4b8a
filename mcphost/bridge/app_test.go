package bridge_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"easel/eventbus"
	"easel/internal/require"
	"easel/mcphost"
	"easel/mcphost/bridge"
	"easel/mcphost/catalog"
	"easel/mcphost/instance"
	"easel/mcphost/tool"
)

// patience is how long a test waits for something that must happen.
const patience = time.Minute

// An app is an Easel without a window and without Jupyter.
type app struct {
	bus    *eventbus.Bus
	calls  chan tool.Caller // of execute_code
	ended  chan string      // holders of clients that have ended
	quit   func()
	notify func()
}

// startApp starts an app in dir. The code "hold" runs until it is cancelled or the app
// ends.
func startApp(t *testing.T, dir string) *app {
	t.Helper()
	a := &app{bus: eventbus.New(), calls: make(chan tool.Caller, 16), ended: make(chan string, 16)}
	lock, err := instance.Lock(t.Context(), dir)
	require.NoError(t, err)
	token, err := instance.Token(dir)
	require.NoError(t, err)
	h, err := mcphost.New(mcphost.Config{
		Bus: a.bus, Tools: catalog.All(), Name: "easel", Version: "1", Token: func() string { return token },
		SessionsFile: filepath.Join(dir, "sessions.json"),
	})
	require.NoError(t, err)
	catalog.ExecuteCode.Handle(a.bus, func(ctx context.Context, in catalog.ExecuteCodeIn) (catalog.Execution, error) {
		c := tool.CallerFrom(ctx)
		a.calls <- c
		out := catalog.Execution{Result: catalog.OK, ExecutionID: "e", Status: "ok", Stdout: "line 1\nline 2", Images: []catalog.Image{}}
		if c.Progress != nil {
			c.Progress(tool.Progress{Done: 1, Message: "half"})
		}
		if in.Code == "hold" {
			select {
			case <-c.Cancelled:
				out.Status = "cancelled"
			case <-ctx.Done():
				return out, context.Cause(ctx)
			}
		}
		return out, nil
	}, nil)
	catalog.ClientEnded.Handle(a.bus, func(_ context.Context, holder string) (struct{}, error) {
		a.ended <- holder
		return struct{}{}, nil
	}, nil)
	require.NoError(t, h.Listen(t.Context()))
	require.NoError(t, lock.Publish(instance.Runtime{URL: h.URL(), Port: h.Port(), Token: token}))
	ctx, stop := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- h.Serve(ctx) }()
	a.quit = sync.OnceFunc(func() {
		stop()
		if err := <-served; err != nil {
			t.Errorf("Serve: %v", err)
		}
		_ = a.bus.Close(context.Background())
		if err := lock.Close(); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(a.quit)
	a.notify = func() {
		catalog.Changes.Notify(a.bus, catalog.Change{Name: catalog.ImageAdded, Object: catalog.Image{ResourceURI: "jupyter://sessions/s/images/i.png"}})
	}
	return a
}

// A client is an MCP client at the other end of the bridge's pipes.
type client struct {
	t     *testing.T
	in    *io.PipeWriter
	lines chan map[string]any
	done  chan error
	stop  context.CancelFunc
}

func startBridge(t *testing.T, c bridge.Config) *client {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	c.In, c.Out = inR, outW
	if c.Start == nil { // the test starts it
		c.Start = func(ctx context.Context) (r instance.Runtime, err error) {
			for r, err = instance.Find(ctx, c.DataDir); err != nil && ctx.Err() == nil; r, err = instance.Find(ctx, c.DataDir) {
				time.Sleep(50 * time.Millisecond)
			}
			return r, err
		}
	}
	c.Log = slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelDebug}))
	ctx, stop := context.WithCancel(context.Background())
	k := &client{t: t, in: inW, lines: make(chan map[string]any, 100), done: make(chan error, 1), stop: stop}
	go func() {
		err := bridge.Run(ctx, c)
		_ = outW.Close()
		k.done <- err
	}()
	go func() {
		defer close(k.lines)
		s := bufio.NewScanner(outR)
		s.Buffer(nil, 16<<20)
		for s.Scan() {
			var m map[string]any
			if err := json.Unmarshal(s.Bytes(), &m); err != nil || m["jsonrpc"] != "2.0" {
				t.Errorf("standard output carries %q: not a message", s.Text())
				continue
			}
			k.lines <- m
		}
	}()
	t.Cleanup(func() {
		_ = inW.Close()
		stop()
		for range k.lines {
		}
	})
	return k
}

func (k *client) send(format string, args ...any) {
	k.t.Helper()
	if _, err := fmt.Fprintf(k.in, format+"\n", args...); err != nil {
		k.t.Fatal(err)
	}
}

// until reads messages until fits accepts one.
func (k *client) until(what string, fits func(map[string]any) bool) map[string]any {
	k.t.Helper()
	late := time.After(patience)
	for {
		select {
		case m, ok := <-k.lines:
			if !ok {
				k.t.Fatalf("the bridge ended while the test waited for %s", what)
			}
			if fits(m) {
				return m
			}
			k.t.Logf("before %s: %v", what, m)
		case <-late:
			k.t.Fatalf("no %s", what)
		}
	}
}

func (k *client) answer(id int) map[string]any {
	k.t.Helper()
	return k.until(fmt.Sprintf("answer to %d", id), func(m map[string]any) bool { return m["id"] == float64(id) })
}

func (k *client) notification(method string) map[string]any {
	k.t.Helper()
	return k.until(method, func(m map[string]any) bool { return m["method"] == method })
}

const initialize = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"outer","version":"7"}}}`

func (k *client) initialize() {
	k.t.Helper()
	k.send("%s", initialize)
	if v := at(k.answer(0), "result", "protocolVersion"); v != "2025-06-18" {
		k.t.Fatalf("negotiated %v", v)
	}
	k.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

func at(m any, path ...string) any {
	for _, p := range path {
		o, _ := m.(map[string]any)
		m = o[p]
	}
	return m
}

func call(id int, code, meta string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"execute_code","arguments":{"session_id":"s","code":%q}%s}}`, id, code, meta)
}

func (a *app) caller(t *testing.T) tool.Caller {
	t.Helper()
	select {
	case c := <-a.calls:
		return c
	case <-time.After(patience):
		t.Fatal("the call did not arrive")
		return tool.Caller{}
	}
}

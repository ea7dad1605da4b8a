package mcphost

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"easel/eventbus"
	"easel/internal/require"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
)

const testToken = "test-token-0123456789abcdef"

// A rig is a host with fake bodies, serving on a free port.
type rig struct {
	*Host
	bus *eventbus.Bus
	log *logBuffer
	end func() // ends it early

	mu      sync.Mutex
	figure  *catalog.ReadImageOut // instead of any picture; set before it is read
	callers []tool.Caller         // of every tool call
	hold    chan struct{}         // the code "hold" waits for it
	held    chan tool.Caller
	conns   int           // open connections of the host
	closed  chan struct{} // one slot: a connection was closed
}

// A logBuffer keeps what is logged.
type logBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func newRig(t *testing.T, change ...func(*Config)) *rig {
	t.Helper()
	r := &rig{bus: eventbus.New(), log: &logBuffer{}, hold: make(chan struct{}), held: make(chan tool.Caller, 16), closed: make(chan struct{}, 1)}
	c := Config{
		Bus: r.bus, Tools: catalog.All(), Name: "easel", Version: "1.2.3", Instructions: "Draw.",
		Token: func() string { return testToken },
		Log:   slog.New(slog.NewTextHandler(r.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	for _, f := range change {
		f(&c)
	}
	var err error
	if r.Host, err = New(c); err != nil {
		t.Fatal(err)
	}
	r.server.ConnState = r.count(r.server.ConnState)
	r.handle()
	require.NoError(t, r.Listen(t.Context()))
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	served := make(chan error, 1)
	go func() { served <- r.Serve(ctx) }()
	r.end = sync.OnceFunc(func() {
		stop()
		if err := <-served; err != nil {
			t.Errorf("Serve: %v", err)
		}
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := r.bus.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(r.end)
	return r
}

// count counts the open connections and then calls do.
func (r *rig) count(do func(net.Conn, http.ConnState)) func(net.Conn, http.ConnState) {
	return func(c net.Conn, s http.ConnState) {
		do(c, s)
		r.mu.Lock()
		defer r.mu.Unlock()
		switch s {
		case http.StateNew:
			r.conns++
		case http.StateClosed:
			r.conns--
			select {
			case r.closed <- struct{}{}:
			default:
			}
		default:
		}
	}
}

// awaitDisconnect waits until the host has noticed that all connections are closed.
func (r *rig) awaitDisconnect(t *testing.T) {
	t.Helper()
	late := time.After(patience)
	for {
		r.mu.Lock()
		n := r.conns
		r.mu.Unlock()
		if n == 0 {
			return
		}
		select {
		case <-r.closed:
		case <-late:
			t.Fatalf("%d connections are open", n)
		}
	}
}

func (r *rig) lastCaller() tool.Caller {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.callers[len(r.callers)-1]
}

// do sends a request with the token. Header lines, as "Name: value", replace the default
// ones.
func (r *rig) do(t *testing.T, method, path, body string, header ...string) (*reply, []byte) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, r.URL()+path, strings.NewReader(body))
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+testToken)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for _, h := range header {
		k, v, _ := strings.Cut(h, ": ")
		switch {
		case k == "Host":
			req.Host = v
		case v == "":
			req.Header.Del(k)
		default:
			req.Header.Set(k, v)
		}
	}
	res, err := client.Do(req)
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	b, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	got := &reply{res.StatusCode, res.Header, res.Request}
	r.checkDocumented(t, got, b)
	return got, b
}

// A reply is a response that has been read to its end.
type reply struct {
	StatusCode int
	Header     http.Header
	Request    *http.Request
}

// client keeps no connections, so that tests do not depend on each other.
var client = &http.Client{
	Transport:     &http.Transport{DisableKeepAlives: true},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	Timeout:       patience,
}

package mcphttp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// newHandler serves one tool, whose body is run.
func newHandler(t *testing.T, c Config, run func(ctx context.Context, c *Call)) *Handler {
	t.Helper()
	s := server.NewMCPServer("test", "1", server.WithResourceCapabilities(true, true))
	s.AddTool(mcp.NewTool("run"), func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		run(ctx, CallFrom(ctx))
		return mcp.NewToolResultText("done"), nil
	})
	c.Server = s
	return New(c)
}

func post(h http.Handler, body string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequestWithContext(context.Background(), http.MethodPost, "/mcp", strings.NewReader(body))
	for _, l := range header {
		k, v, _ := strings.Cut(l, ": ")
		r.Header.Set(k, v)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

const (
	initialize = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`
	callRun    = `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"run"}}`
)

func begin(t *testing.T, h http.Handler) (session string) {
	t.Helper()
	id := post(h, initialize).Header().Get("Mcp-Session-Id")
	if id == "" {
		t.Fatal("no session")
	}
	return "Mcp-Session-Id: " + id
}

// TestCancelMayOvertakeItsRequest covers a cancellation on a different connection than
// its request.
func TestCancelMayOvertakeItsRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cancelled := 0
		h := newHandler(t, Config{}, func(ctx context.Context, c *Call) {
			select {
			case <-c.Cancelled():
				cancelled++
			case <-time.After(time.Minute):
			}
		})
		s := begin(t, h)
		cancel := func(id int) {
			post(h, fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, id), s)
		}
		cancel(1)
		time.Sleep(time.Second)
		post(h, fmt.Sprintf(callRun, 1), s)
		if cancelled != 1 {
			t.Error("a cancel that came first was forgotten")
		}
		cancel(2)
		time.Sleep(time.Hour) // it was for another request
		post(h, fmt.Sprintf(callRun, 2), s)
		if cancelled != 1 {
			t.Error("a cancel of an hour ago cancelled a request")
		}
		cancel(3)
		post(h, fmt.Sprintf(callRun, 3), "Mcp-Session-Id: "+newID(sessionPrefix))
		if cancelled != 1 {
			t.Error("a cancel reached another session")
		}
	})
}

// TestExplicitCancelIsToldBeforeTheContextEnds checks that a body that waits for its
// context can tell why it ended.
func TestExplicitCancelIsToldBeforeTheContextEnds(t *testing.T) {
	for range 100 {
		entered := make(chan struct{})
		h := newHandler(t, Config{}, func(ctx context.Context, c *Call) {
			close(entered)
			<-ctx.Done()
			select {
			case <-c.Cancelled():
			default:
				t.Error("the context ended first")
			}
		})
		s := begin(t, h)
		done := make(chan struct{})
		go func() {
			defer close(done)
			post(h, fmt.Sprintf(callRun, 1), s)
		}()
		<-entered
		post(h, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, s)
		<-done
	}
}

// TestCancelMayComeAfterItsConnectionIsLost covers the Go SDK, which closes the
// connection of a call before it sends the cancellation.
func TestCancelMayComeAfterItsConnectionIsLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var cancelled bool
		var took time.Duration
		h := newHandler(t, Config{}, func(ctx context.Context, c *Call) {
			began := time.Now()
			<-ctx.Done()
			took = time.Since(began)
			select {
			case <-c.Cancelled():
				cancelled = true
			default:
				cancelled = false
			}
		})
		s := begin(t, h)
		for _, after := range []time.Duration{lateFor / 2, 2 * lateFor} {
			ctx, drop := context.WithCancel(t.Context())
			r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/mcp", strings.NewReader(fmt.Sprintf(callRun, 1)))
			r.Header.Set("Mcp-Session-Id", strings.TrimPrefix(s, "Mcp-Session-Id: "))
			var wg sync.WaitGroup
			wg.Go(func() { h.ServeHTTP(httptest.NewRecorder(), r) })
			synctest.Wait()
			drop()
			time.Sleep(after)
			post(h, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, s)
			wg.Wait()
			if want := after < lateFor; cancelled != want || took > lateFor {
				t.Errorf("a cancel %v after the connection: cancelled %v, the call ended after %v", after, cancelled, took)
			}
			time.Sleep(time.Minute)
		}
	})
}

func TestIdleSessionsAreDroppedAndComeBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHandler(t, Config{IdleTTL: time.Hour}, func(context.Context, *Call) {})
		s := begin(t, h)
		for range 5 {
			begin(t, h)
		}
		time.Sleep(2 * time.Hour)
		post(h, fmt.Sprintf(callRun, 1), s)
		if n := len(h.sessions); n != 1 {
			t.Errorf("%d sessions are kept, want the one in use", n)
		}
	})
}

func TestWhatNobodyHearsIsKeptOnce(t *testing.T) {
	s := newSession("x", time.Now())
	for i := range 1000 {
		s.push("list", notification("list_changed", nil))
		s.push(fmt.Sprint("uri", i), notification("updated", map[string]any{"uri": i}))
	}
	if n := len(s.pending); n != pendingLimit {
		t.Errorf("%d wait, want %d", n, pendingLimit)
	}
	l := s.listen()
	if n := len(l.queue); n != pendingLimit || len(s.pending) != 0 {
		t.Errorf("the stream starts with %d", n)
	}
	older := l
	l = s.listen()
	s.push("list", notification("list_changed", nil))
	if len(l.queue) != 1 || len(older.queue) != pendingLimit {
		t.Error("the newest stream must hear it, and only that")
	}
	for range queueDepth { // it does not read, but the older one does
		s.push("list", notification("list_changed", nil))
	}
	if len(older.queue) != pendingLimit+1 {
		t.Errorf("the older stream has %d", len(older.queue))
	}
}

// TestPanicIsAnAnswer checks that a bug outside the tool's body does not end Easel.
func TestPanicIsAnAnswer(t *testing.T) {
	h := newHandler(t, Config{}, func(context.Context, *Call) { panic("boom") })
	if w := post(h, fmt.Sprintf(callRun, 1)); !strings.Contains(w.Body.String(), "-32603") || strings.Contains(w.Body.String(), "boom") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestCloseEndsCallsWithItsCause(t *testing.T) {
	why := errors.New("closing")
	entered := make(chan struct{})
	h := newHandler(t, Config{}, func(ctx context.Context, _ *Call) {
		close(entered)
		<-ctx.Done()
		if !errors.Is(context.Cause(ctx), why) {
			t.Errorf("ended by %v", context.Cause(ctx))
		}
	})
	var wg sync.WaitGroup
	wg.Go(func() {
		if w := post(h, fmt.Sprintf(callRun, 1)); !strings.Contains(w.Body.String(), "done") {
			t.Errorf("%d %s", w.Code, w.Body)
		}
	})
	<-entered
	h.Close(why)
	h.Close(nil)
	wg.Wait()
	if w := post(h, fmt.Sprintf(callRun, 1)); w.Code != http.StatusServiceUnavailable {
		t.Errorf("afterwards: %d", w.Code)
	}
}

// TestStreamsBeat checks that an idle stream sends comments.
func TestStreamsBeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHandler(t, Config{Heartbeat: 10 * time.Second}, func(_ context.Context, c *Call) {
			c.Notify("first", nil)
			time.Sleep(35 * time.Second)
		})
		w := post(h, fmt.Sprintf(callRun, 1))
		b, _ := io.ReadAll(w.Body)
		if n := strings.Count(string(b), ": working\n\n"); n != 3 {
			t.Errorf("%d beats in 35 s, want 3:\n%s", n, b)
		}
		if !strings.Contains(string(b), `"method":"first"`) || !strings.HasSuffix(strings.TrimSpace(string(b)), `}`) {
			t.Errorf("%s", b)
		}
	})
}

// A brokenPipe is a response whose client is gone: writing fails from the nth write on.
type brokenPipe struct {
	*httptest.ResponseRecorder
	left int
}

func (w *brokenPipe) Write(b []byte) (int, error) {
	if w.left--; w.left < 0 {
		return 0, errors.New("broken pipe")
	}
	return w.ResponseRecorder.Write(b)
}

// TestNothingIsLostWithAStream checks that the next stream gets what a stream could not
// send, and that a session from before a restart is told that the list may have changed.
func TestNothingIsLostWithAStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHandler(t, Config{}, func(context.Context, *Call) {})
		for _, session := range []string{begin(t, h), "Mcp-Session-Id: " + newID(sessionPrefix)} {
			id := strings.TrimPrefix(session, "Mcp-Session-Id: ")
			listen := func(w http.ResponseWriter) (stop func()) {
				ctx, cancel := context.WithCancel(t.Context())
				r := httptest.NewRequestWithContext(ctx, http.MethodGet, "/mcp", nil)
				r.Header.Set("Mcp-Session-Id", id)
				done := make(chan struct{})
				go func() {
					h.ServeHTTP(w, r)
					close(done)
				}()
				synctest.Wait()
				return func() {
					cancel()
					<-done
				}
			}
			gone := &brokenPipe{httptest.NewRecorder(), 1} // only the first comment is written
			stop := listen(gone)
			s, ok := h.session(id)
			if !ok {
				t.Fatal("no session")
			}
			for i := range 3 {
				s.SubscribeToResource(fmt.Sprint("r", i))
				h.Updated(fmt.Sprint("r", i))
			}
			h.Broadcast(mcp.MethodNotificationResourcesListChanged)
			synctest.Wait()
			stop()
			next := httptest.NewRecorder()
			listen(next)()
			for _, want := range []string{`"r0"`, `"r1"`, `"r2"`, "list_changed"} {
				if n := strings.Count(next.Body.String(), want); n != 1 {
					t.Errorf("%s came %d times: %s", want, n, next.Body)
				}
			}
		}
	})
}

// TestAStreamThatIsGoneTakesNothing checks that the next stream gets what a closed one
// would still write.
func TestAStreamThatIsGoneTakesNothing(t *testing.T) {
	h := newHandler(t, Config{}, func(context.Context, *Call) {})
	id := strings.TrimPrefix(begin(t, h), "Mcp-Session-Id: ")
	h.Broadcast(mcp.MethodNotificationResourcesListChanged)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for range 50 { // both are ready at the same time, and select may choose either
		r := httptest.NewRequestWithContext(gone, http.MethodGet, "/mcp", nil)
		r.Header.Set("Mcp-Session-Id", id)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if strings.Contains(w.Body.String(), "list_changed") {
			t.Fatalf("it was written to a closed stream: %s", w.Body)
		}
	}
	s, ok := h.session(id)
	if !ok || len(s.pending) != 1 {
		t.Errorf("%d wait for the next stream, want 1", len(s.pending))
	}
}

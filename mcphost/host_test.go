package mcphost

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"easel/eventbus"
	"easel/internal/require"
	"easel/mcphost/catalog"
	"easel/mcphost/openapi"
)

// TestShutdownIsQuick shuts down a host with every kind of stream and call open.
func TestShutdownIsQuick(t *testing.T) {
	before := runtime.NumGoroutine()
	r := newRig(t)
	s := r.initialize(t, "x")
	mcpStream := r.open(t, "GET", "/mcp", "", "Mcp-Session-Id: "+s)
	events := r.open(t, "GET", "/api/events", "")
	body, header := modernRequest("subscriptions/listen", `{"notifications":{"resourcesListChanged":true}}`)
	listen := r.open(t, "POST", "/mcp", body, header...)
	_, done := r.post(t, `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"execute_code","arguments":{"session_id":"s","code":"hold"}}}`, "Mcp-Session-Id: "+s)
	c := r.caller(t)
	rest := make(chan string, 1)
	go func() {
		req, _ := http.NewRequestWithContext(context.Background(), "POST", r.URL()+"/api/execute/execute_code", strings.NewReader(`{"session_id":"s","code":"hold"}`))
		req.Header.Set("X-API-Key", testToken)
		req.Header.Set("Content-Type", "application/json")
		res, err := client.Do(req)
		if err != nil {
			rest <- err.Error()
			return
		}
		b, _ := io.ReadAll(res.Body)
		_ = res.Body.Close()
		rest <- string(b)
	}()
	r.caller(t)
	unused := r.dial(t) // as browsers do, to have it when they want it

	r.end() // fails if something had to be cut off
	mcpStream.ends()
	events.ends()
	listen.ends()
	_ = unused.SetReadDeadline(time.Now().Add(patience))
	if n, err := unused.Read(make([]byte, 1)); n != 0 || os.IsTimeout(err) {
		t.Errorf("a connection on which nothing was asked: %d bytes, %v", n, err)
	}
	for what, answer := range map[string]string{"MCP": <-done, "REST": <-rest} {
		if !strings.Contains(answer, "SHUTTING_DOWN") {
			t.Errorf("the %s call at work was answered %s", what, answer)
		}
	}
	isClosed(t, c.Cancelled, false, "the end of Easel is no cancel")

	// No goroutine is left. Those of connections need a moment to see their end.
	for end := time.Now().Add(patience); time.Now().Before(end); {
		if runtime.NumGoroutine() <= before {
			return
		}
		runtime.Gosched()
		select {
		case <-time.After(10 * time.Millisecond):
		case <-t.Context().Done():
		}
	}
	buf := make([]byte, 1<<20)
	t.Errorf("%d goroutines, %d before:\n%s", runtime.NumGoroutine(), before, buf[:runtime.Stack(buf, true)])
}

func TestSlowBodyIsCutOff(t *testing.T) {
	r := newRig(t)
	r.guard.bodyTimeout = time.Second
	conn := r.dial(t)
	_, _ = fmt.Fprintf(conn, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{", testToken)
	_ = conn.SetReadDeadline(time.Now().Add(patience))
	b, err := io.ReadAll(conn)
	if err != nil || !strings.Contains(string(b), "400 Bad Request") || !strings.Contains(string(b), "did not arrive") {
		t.Errorf("got %q, %v", b, err)
	}
	// The deadline of a body is not one of the call.
	_, done := r.post(t, `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"execute_code","arguments":{"session_id":"s","code":"hold"}}}`)
	c := r.caller(t)
	select {
	case b := <-done:
		t.Errorf("the call ended: %s", b)
	case <-c.Cancelled:
		t.Error("the call was cancelled")
	case <-time.After(2 * r.guard.bodyTimeout):
	}
	r.hold <- struct{}{}
	if b := <-done; !strings.Contains(b, `\"status\":\"ok\"`) {
		t.Errorf("got %s", b)
	}
}

// TestAnAnswerThatIsNotReadIsCutOff: it must not stay in memory for good. One that
// is read at once comes whole, over the same connection several times.
func TestAnAnswerThatIsNotReadIsCutOff(t *testing.T) {
	r := newRig(t)
	r.guard.writeTimeout = time.Second
	const size = 40 << 20 // more than a socket holds
	body := fmt.Sprintf(`{"session_id":"s","code":"print %d"}`, size)
	conn := r.dial(t)
	_, _ = fmt.Fprintf(conn, "POST /api/execute/execute_code HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", testToken, len(body), body)
	first := make([]byte, 100)
	if _, err := io.ReadFull(conn, first); err != nil || !strings.Contains(string(first), "200 OK") {
		t.Fatalf("%q, %v", first, err)
	}
	<-time.After(3 * r.guard.writeTimeout) // nobody reads
	_ = conn.SetReadDeadline(time.Now().Add(patience))
	if n, err := io.Copy(io.Discard, conn); n >= size || os.IsTimeout(err) {
		t.Errorf("%d bytes came all the same, %v", n, err)
	}
	keep := &http.Client{}
	defer keep.CloseIdleConnections()
	for range 3 {
		// A short answer: a machine that stalls for longer than the deadline must not
		// do so in the middle of it.
		req, err := http.NewRequestWithContext(t.Context(), "GET", r.URL()+"/api/info/session_list", nil)
		require.NoError(t, err)
		req.Header.Set("X-API-Key", testToken)
		res, err := keep.Do(req)
		require.NoError(t, err)
		_, err = io.Copy(io.Discard, res.Body)
		_ = res.Body.Close()
		if err != nil || res.StatusCode != 200 {
			t.Errorf("%d, %v", res.StatusCode, err)
		}
		<-time.After(2 * r.guard.writeTimeout) // the deadline of one answer is not the next one's
	}
}

func TestHealthAnswersBeforeAnythingIsReady(t *testing.T) {
	bus := eventbus.New()
	h, err := New(Config{Bus: bus, Tools: catalog.All(), Version: "9", Token: func() string { return testToken }})
	require.NoError(t, err)
	require.NoError(t, h.Listen(t.Context()))
	ctx, stop := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- h.Serve(ctx) }()
	defer func() {
		stop()
		if err := <-served; err != nil {
			t.Error(err)
		}
	}()
	r := &rig{Host: h, bus: bus, log: &logBuffer{}}
	res, b := r.do(t, "GET", "/api/health", "", "Authorization: ")
	var got openapi.Health
	if err := json.Unmarshal(b, &got); err != nil || res.StatusCode != 200 || got.Version != "9" || got.Ready || got.Window != "starting" {
		t.Errorf("%d %s, %v", res.StatusCode, b, err)
	}
	r.initialize(t, "early")
}

// TestHealthNamesServersOnlyWithTheToken checks that a program without the token learns
// nothing of the user.
func TestHealthNamesServersOnlyWithTheToken(t *testing.T) {
	r := newRig(t)
	for header, servers := range map[string]bool{"Authorization: ": false, "Authorization: Bearer wrong": false, "X-API-Key: ": true} {
		res, b := r.do(t, "GET", "/api/health", "", header)
		var got map[string]any
		if err := json.Unmarshal(b, &got); err != nil || res.StatusCode != 200 || got["ready"] != true || got["window"] != "none" || got["name"] != "easel" {
			t.Errorf("%s: %d %s, %v", header, res.StatusCode, b, err)
		}
		if _, ok := got["servers"]; ok != servers || !servers && len(got) != 5 {
			t.Errorf("%s: %s", header, b)
		}
	}
}

// TestANewTokenEndsOldClients: streams of every kind end, with nothing more on
// them, and the old token opens nothing; the new one does, for the same session too.
func TestANewTokenEndsOldClients(t *testing.T) {
	var token atomic.Pointer[string]
	old, fresh := testToken, "another-token-0123456789"
	token.Store(&old)
	r := newRig(t, func(c *Config) { c.Token = func() string { return *token.Load() } })
	s := r.initialize(t, "x")
	session := r.open(t, "GET", "/mcp", "", "Mcp-Session-Id: "+s)
	session.line(": listening")
	events := r.open(t, "GET", "/api/events", "")
	events.line(": Easel")
	body, header := modernRequest("subscriptions/listen", `{"notifications":{"resourcesListChanged":true}}`)
	listen := r.open(t, "POST", "/mcp", body, header...)
	listen.line("notifications/subscriptions/acknowledged")

	token.Store(&fresh)
	r.EndStreams()
	session.ends()
	events.ends()
	listen.line(`"result"`)
	listen.ends()
	for path, h := range map[string]string{"/mcp": "Mcp-Session-Id: " + s, "/api/events": "", "/tools": "", "/api/resources": ""} {
		if res, _ := r.do(t, "GET", path, "", append([]string{}, h)...); res.StatusCode != http.StatusUnauthorized {
			t.Errorf("GET %s with the old token: %d", path, res.StatusCode)
		}
	}
	if res, _ := r.do(t, "GET", "/tools", "", "Authorization: Bearer "+fresh); res.StatusCode != http.StatusOK {
		t.Errorf("with the new token: %d", res.StatusCode)
	}
	r.open(t, "GET", "/mcp", "", "Mcp-Session-Id: "+s, "Authorization: Bearer "+fresh).line(": listening")
}

// TestAStreamDoesNotSlipPastANewToken: the guard lets a client in, the token
// changes and all streams are ended, and only then the client's stream opens.
func TestAStreamDoesNotSlipPastANewToken(t *testing.T) {
	var token atomic.Pointer[string]
	old, fresh := testToken, "another-token-0123456789"
	token.Store(&old)
	r := newRig(t, func(c *Config) { c.Token = func() string { return *token.Load() } })
	s := r.initialize(t, "x")
	token.Store(&fresh)
	r.EndStreams()
	listen, modern := modernRequest("subscriptions/listen", `{"notifications":{"resourcesListChanged":true}}`)
	for _, c := range []struct {
		method, path, body string
		header             []string
	}{
		{"GET", "/api/events", "", nil},
		{"GET", "/mcp", "", []string{"Mcp-Session-Id: " + s}},
		{"POST", "/mcp", listen, modern},
	} {
		req := httptest.NewRequestWithContext(t.Context(), c.method, c.path, strings.NewReader(c.body))
		req.Header.Set("Authorization", "Bearer "+old)
		req.Header.Set("Content-Type", "application/json")
		for _, h := range c.header {
			k, v, _ := strings.Cut(h, ": ")
			req.Header.Set(k, v)
		}
		w := httptest.NewRecorder()
		r.echo.ServeHTTP(w, req) // behind the guard
		if w.Code != http.StatusUnauthorized {
			t.Errorf("%s %s: %d %s", c.method, c.path, w.Code, w.Body)
		}
	}
	catalog.Changes.Notify(r.bus, catalog.Change{Name: catalog.ImageAdded, Object: testImage("s1", 1)}) // nobody is left to hear it
}

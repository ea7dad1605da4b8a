package mcphost

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"easel/eventbus"
	"easel/mcphost/catalog"
	"easel/mcphost/openapi"
)

func nothingBus() *eventbus.Bus { return eventbus.New() }

func TestListensOnBothLoopbacks(t *testing.T) {
	r := newRig(t)
	for _, host := range []string{"127.0.0.1", "::1"} {
		if host == "::1" && !hasIPv6(t) {
			continue
		}
		req, err := http.NewRequestWithContext(t.Context(), "GET", "http://"+net.JoinHostPort(host, strconv.Itoa(r.Port()))+"/api/health", nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.StatusCode != 200 {
			t.Errorf("%s: %d", host, res.StatusCode)
		}
	}
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range addrs {
		ip := a.(*net.IPNet).IP
		if ip.IsLoopback() || ip.To4() == nil {
			continue
		}
		d := net.Dialer{Timeout: time.Second}
		conn, err := d.DialContext(t.Context(), "tcp", net.JoinHostPort(ip.String(), strconv.Itoa(r.Port())))
		if err == nil {
			_ = conn.Close()
			t.Errorf("it listens on %s", ip)
		}
	}
}

func hasIPv6(t *testing.T) bool {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp6", "[::1]:0")
	if err != nil {
		return false
	}
	_ = l.Close()
	return true
}

func TestTakesTheNextFreePort(t *testing.T) {
	taken, err := new(net.ListenConfig).Listen(t.Context(), "tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = taken.Close() }()
	want := taken.Addr().(*net.TCPAddr).Port
	r := newRig(t, func(c *Config) { c.Port = want })
	if r.Port() == want || r.Port() == 0 {
		t.Errorf("port %d", r.Port())
	}
	note := r.PortNote()
	if !strings.Contains(note, strconv.Itoa(want)) || !strings.Contains(note, strconv.Itoa(r.Port())) {
		t.Errorf("the note %q must name both ports", note)
	}
	if runtime.GOOS == "linux" && !strings.Contains(note, "(pid ") {
		t.Errorf("the note %q does not say who has the port", note)
	}
	if newRig(t).PortNote() != "" {
		t.Error("a note about nothing")
	}
	other := newRig(t)
	again := newRig(t, func(c *Config) { c.Port, c.introduction = other.Port(), patience })
	if !strings.Contains(again.PortNote(), "another Easel") {
		t.Errorf("beside another Easel: %q", again.PortNote())
	}
}

func TestAFixedPortIsThatOrNone(t *testing.T) {
	taken, err := new(net.ListenConfig).Listen(t.Context(), "tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = taken.Close() }()
	port := taken.Addr().(*net.TCPAddr).Port
	h, err := New(Config{Bus: eventbus.New(), Token: func() string { return testToken }, Port: port, PortFixed: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = h.Shutdown(t.Context()) }()
	err = h.Listen(t.Context())
	if err == nil || !strings.HasPrefix(err.Error(), fmt.Sprintf("port %d is taken by ", port)) || h.Port() != 0 {
		t.Errorf("it listens on %d: %v", h.Port(), err)
	}
}

func TestTakesTheNextPortWhereLocalhostWouldLeadElsewhere(t *testing.T) {
	if !hasIPv6(t) {
		t.Skip("this machine has no IPv6")
	}
	taken, err := new(net.ListenConfig).Listen(t.Context(), "tcp6", "[::1]:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = taken.Close() }()
	want := taken.Addr().(*net.TCPAddr).Port
	if r := newRig(t, func(c *Config) { c.Port = want }); r.Port() == want {
		t.Errorf("took %d, which is somebody else's on ::1", want)
	}
}

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
	spare := r.dial(t) // browsers open connections in advance

	r.end() // fails if a connection had to be closed by force
	mcpStream.ends()
	events.ends()
	listen.ends()
	_ = spare.SetReadDeadline(time.Now().Add(patience))
	if n, err := spare.Read(make([]byte, 1)); n != 0 || os.IsTimeout(err) {
		t.Errorf("a connection on which nothing was asked: %d bytes, %v", n, err)
	}
	for what, answer := range map[string]string{"MCP": <-done, "REST": <-rest} {
		if !strings.Contains(answer, "SHUTTING_DOWN") {
			t.Errorf("the %s call at work was answered %s", what, answer)
		}
	}
	isClosed(t, c.Cancelled, false, "the end of Easel is no cancel")

	// No goroutine is left. Those of connections need a moment to end.
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
	if testing.Short() {
		t.Skip("takes the deadline's time")
	}
	r := newRig(t)
	r.bodyTimeout = time.Second
	conn := r.dial(t)
	_, _ = fmt.Fprintf(conn, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{", testToken)
	_ = conn.SetReadDeadline(time.Now().Add(patience))
	b, err := io.ReadAll(conn)
	if err != nil || !strings.Contains(string(b), "400 Bad Request") || !strings.Contains(string(b), "did not arrive") {
		t.Errorf("got %q, %v", b, err)
	}
	// The deadline for a body does not apply to the call.
	_, done := r.post(t, `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"execute_code","arguments":{"session_id":"s","code":"hold"}}}`)
	c := r.caller(t)
	select {
	case b := <-done:
		t.Errorf("the call ended: %s", b)
	case <-c.Cancelled:
		t.Error("the call was cancelled")
	case <-time.After(2 * r.bodyTimeout):
	}
	r.hold <- struct{}{}
	if b := <-done; !strings.Contains(b, `\"status\":\"ok\"`) {
		t.Errorf("got %s", b)
	}
}

// TestAnAnswerThatIsNotReadIsCutOff checks that an unread answer does not stay in memory
// forever, and that answers that are read arrive completely, several times over the same
// connection.
func TestAnAnswerThatIsNotReadIsCutOff(t *testing.T) {
	r := newRig(t)
	r.writeTimeout = time.Second
	const size = 40 << 20 // more than a socket buffers
	body := fmt.Sprintf(`{"session_id":"s","code":"print %d"}`, size)
	conn := r.dial(t)
	_, _ = fmt.Fprintf(conn, "POST /api/execute/execute_code HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", testToken, len(body), body)
	first := make([]byte, 100)
	if _, err := io.ReadFull(conn, first); err != nil || !strings.Contains(string(first), "200 OK") {
		t.Fatalf("%q, %v", first, err)
	}
	<-time.After(3 * r.writeTimeout) // nobody reads
	_ = conn.SetReadDeadline(time.Now().Add(patience))
	if n, err := io.Copy(io.Discard, conn); n >= size || os.IsTimeout(err) {
		t.Errorf("%d bytes came all the same, %v", n, err)
	}
	keep := &http.Client{}
	defer keep.CloseIdleConnections()
	for range 3 {
		// Use a short answer: the machine may stall for longer than the deadline, but
		// not in the middle of it.
		req, err := http.NewRequestWithContext(t.Context(), "GET", r.URL()+"/api/info/session_list", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("X-API-Key", testToken)
		res, err := keep.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_, err = io.Copy(io.Discard, res.Body)
		_ = res.Body.Close()
		if err != nil || res.StatusCode != 200 {
			t.Errorf("%d, %v", res.StatusCode, err)
		}
		<-time.After(2 * r.writeTimeout) // the deadline of one answer does not apply to the next
	}
}

func TestEvents(t *testing.T) {
	r := newRig(t)
	s := r.open(t, "GET", "/api/events", "")
	s.line(": Easel")
	im := testImage("s1", 1)
	catalog.Changes.Notify(r.bus, catalog.Change{Name: catalog.ImageAdded, Object: im})
	first := strings.TrimPrefix(s.line("id: "), "id: ")
	if l := s.line("event: "); l != "event: image.added" {
		t.Error(l)
	}
	var got catalog.Image
	if err := json.Unmarshal([]byte(strings.TrimPrefix(s.line("data: "), "data: ")), &got); err != nil || got.ResourceURI != im.ResourceURI {
		t.Errorf("%+v, %v", got, err)
	}
	s.close()
	s.ends()
	for i := range 3 {
		catalog.Changes.Notify(r.bus, catalog.Change{Name: catalog.ViewChanged, Object: i})
	}
	s = r.open(t, "GET", "/api/events", "", "Last-Event-ID: "+first)
	for i := range 3 {
		s.line("event: view.changed")
		if l := s.line("data: "); l != "data: "+strconv.Itoa(i) {
			t.Errorf("resumed: %s, want %d", l, i)
		}
	}
	for _, last := range []string{"0-1", "nonsense", first + "000", "-"} {
		s := r.open(t, "GET", "/api/events", "", "Last-Event-ID: "+last)
		s.line("event: reset")
		catalog.Changes.Notify(r.bus, catalog.Change{Name: catalog.SettingsChanged})
		s.line("event: settings.changed")
	}
	r.EndStreams()
	s.ends()
}

func TestHealthAnswersBeforeAnythingIsReady(t *testing.T) {
	bus := eventbus.New()
	h, err := New(Config{Bus: bus, Tools: catalog.All(), Version: "9", Token: func() string { return testToken }})
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Listen(t.Context()); err != nil {
		t.Fatal(err)
	}
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

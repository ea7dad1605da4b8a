package mcphost

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"easel/mcphost/catalog"
)

// TestANewTokenEndsOldClients checks that streams of every kind end without further
// events, and that only the new token is accepted, also for the same session.
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

// TestAStreamDoesNotSlipPastANewToken covers this order: the guard admits a client, the
// token changes and all streams are ended, and then the client's stream opens.
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
		r.echo.ServeHTTP(w, req) // without the guard
		if w.Code != http.StatusUnauthorized {
			t.Errorf("%s %s: %d %s", c.method, c.path, w.Code, w.Body)
		}
	}
	catalog.Changes.Notify(r.bus, catalog.Change{Name: catalog.ImageAdded, Object: testImage("s1", 1)}) // nobody must receive it
}

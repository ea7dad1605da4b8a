package e2e

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// TestWhoMayCall checks which requests are accepted, according to their token, Host, Origin,
// content type and size.
func TestWhoMayCall(t *testing.T) {
	e := launch(t, options{})
	tests := map[string]struct {
		method, path string
		change       func(*http.Request)
		status       int
		code         string
	}{
		"no token":           {"POST", "/api/execute/session_create", func(r *http.Request) { r.Header.Del("Authorization") }, 401, "UNAUTHORIZED"},
		"wrong token":        {"GET", "/api/resources", func(r *http.Request) { r.Header.Set("Authorization", "Bearer x") }, 401, "UNAUTHORIZED"},
		"no token for MCP":   {"POST", "/mcp", func(r *http.Request) { r.Header.Del("Authorization") }, 401, ""},
		"no token for SSE":   {"GET", "/api/events", func(r *http.Request) { r.Header.Del("Authorization") }, 401, "UNAUTHORIZED"},
		"token in the query": {"GET", "/api/resources?token=" + e.Token, func(r *http.Request) { r.Header.Del("Authorization") }, 401, "UNAUTHORIZED"},
		"X-API-Key": {"GET", "/api/resources", func(r *http.Request) {
			r.Header.Del("Authorization")
			r.Header.Set("X-API-Key", e.Token)
		}, 200, ""},
		"foreign host":              {"GET", "/api/health", func(r *http.Request) { r.Host = "evil.example" }, 403, "FORBIDDEN"},
		"look-alike host":           {"GET", "/api/health", func(r *http.Request) { r.Host = "localhost.evil.example" }, 403, "FORBIDDEN"},
		"any address":               {"GET", "/api/health", func(r *http.Request) { r.Host = "0.0.0.0" }, 403, "FORBIDDEN"},
		"foreign origin":            {"GET", "/api/resources", func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") }, 403, "FORBIDDEN"},
		"foreign origin for MCP":    {"POST", "/mcp", func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") }, 403, ""},
		"null origin":               {"GET", "/api/resources", func(r *http.Request) { r.Header.Set("Origin", "null") }, 403, "FORBIDDEN"},
		"foreign before the token":  {"GET", "/api/resources", func(r *http.Request) { r.Host = "evil.example"; r.Header.Del("Authorization") }, 403, "FORBIDDEN"},
		"our own origin":            {"GET", "/api/resources", func(r *http.Request) { r.Header.Set("Origin", e.URL) }, 200, ""},
		"a form":                    {"POST", "/api/execute/session_create", func(r *http.Request) { r.Header.Set("Content-Type", "text/plain") }, 415, "UNSUPPORTED_MEDIA_TYPE"},
		"no content type":           {"POST", "/api/execute/session_create", func(r *http.Request) { r.Header.Del("Content-Type") }, 415, "UNSUPPORTED_MEDIA_TYPE"},
		"a wrong method":            {"DELETE", "/api/execute/session_create", nil, 405, "METHOD_NOT_ALLOWED"},
		"an unknown address":        {"GET", "/api/nothing", nil, 404, ""},
		"health without token":      {"GET", "/api/health", func(r *http.Request) { r.Header.Del("Authorization") }, 200, ""},
		"the page without token":    {"GET", "/", func(r *http.Request) { r.Header.Del("Authorization") }, 200, ""},
		"the document without one":  {"GET", "/api/v1/openapi.json", func(r *http.Request) { r.Header.Del("Authorization") }, 200, ""},
		"Swagger's without one":     {"GET", "/api/swagger/", func(r *http.Request) { r.Header.Del("Authorization") }, 200, ""},
		"settings want the token":   {"GET", "/api/resources/settings", func(r *http.Request) { r.Header.Del("Authorization") }, 401, "UNAUTHORIZED"},
		"the list wants the token":  {"GET", "/tools", func(r *http.Request) { r.Header.Del("Authorization") }, 401, "UNAUTHORIZED"},
		"tools with the token":      {"GET", "/tools", nil, 200, ""},
		"history with the token":    {"GET", "/api/resources/history", nil, 200, ""},
		"the state with the token":  {"GET", "/api/resources/state", nil, 200, ""},
		"old document's address":    {"GET", "/swagger/v1/swagger.json", nil, 0, ""},
		"older document's address":  {"GET", "/api/openapi.json", nil, 0, ""},
		"Swagger's short address":   {"GET", "/swagger", nil, 0, ""},
		"resources, short address":  {"GET", "/resources", nil, 200, ""},
		"settings, with the token":  {"GET", "/api/resources/settings", nil, 200, ""},
		"sessions, a short info":    {"GET", "/api/info/session_list", nil, 200, ""},
		"no such problem":           {"GET", "/api/info/nothing", nil, 404, "TOOL_NOT_FOUND"},
		"execute is not for info":   {"GET", "/api/info/session_create", nil, 404, "TOOL_NOT_FOUND"},
		"a broken body":             {"POST", "/api/execute/session_create", func(r *http.Request) { setBody(r, []byte("{")) }, 400, "VALIDATION_ERROR"},
		"a body that is no object":  {"POST", "/api/execute/session_create", func(r *http.Request) { setBody(r, []byte("[]")) }, 400, "VALIDATION_ERROR"},
		"a body over eight megs":    {"POST", "/api/execute/execute_code", func(r *http.Request) { setBody(r, bytes.Repeat([]byte(" "), 9<<20)) }, 413, "PAYLOAD_TOO_LARGE"},
		"one over eight megs (MCP)": {"POST", "/mcp", func(r *http.Request) { setBody(r, bytes.Repeat([]byte(" "), 9<<20)) }, 413, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var body any
			if tt.method == http.MethodPost {
				body = map[string]any{}
			}
			req := e.request(t, tt.method, tt.path, body)
			if tt.change != nil {
				tt.change(req)
			}
			r, raw := do(t, req)
			if tt.status == 0 { // a redirect
				if r.StatusCode/100 != 3 || r.Header.Get("Location") == "" {
					t.Errorf("got %s, want a redirect", r.Status)
				}
				return
			}
			if r.StatusCode != tt.status {
				t.Fatalf("got %s, want %d: %.300s", r.Status, tt.status, raw)
			}
			if r.StatusCode == http.StatusUnauthorized && !strings.HasPrefix(r.Header.Get("WWW-Authenticate"), "Bearer") {
				t.Error("no WWW-Authenticate")
			}
			if r.Header.Get("Access-Control-Allow-Origin") != "" {
				t.Error("it allows foreign pages (CORS)")
			}
			if tt.code == "" {
				return
			}
			var problem struct{ Code, Type, Title, Detail string }
			if err := json.Unmarshal(raw, &problem); err != nil || problem.Code != tt.code {
				t.Errorf("got %s, want code %s", raw, tt.code)
			}
			if ct := r.Header.Get("Content-Type"); !strings.HasPrefix(ct, "application/problem+json") {
				t.Errorf("Content-Type %s", ct)
			}
		})
	}
}

func setBody(r *http.Request, b []byte) {
	fresh, err := http.NewRequestWithContext(r.Context(), r.Method, r.URL.String(), bytes.NewReader(b))
	if err != nil {
		panic(err) // cannot happen: the URL is valid
	}
	r.Body, r.ContentLength, r.GetBody = fresh.Body, fresh.ContentLength, fresh.GetBody
}

// TestSwaggerWorksOffline checks that the page refers to no other host.
func TestSwaggerWorksOffline(t *testing.T) {
	e := launch(t, options{})
	r, raw := do(t, e.request(t, http.MethodGet, "/api/swagger/", nil))
	if r.StatusCode != http.StatusOK {
		t.Fatal(r.Status)
	}
	for _, foreign := range []string{"src=\"http", "href=\"http", "//cdn", "unpkg"} {
		if bytes.Contains(raw, []byte(foreign)) {
			t.Errorf("the page has %s", foreign)
		}
	}
	if bytes.Contains(raw, []byte(e.Token)) {
		t.Error("the page has the token")
	}
}

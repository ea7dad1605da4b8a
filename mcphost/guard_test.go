package mcphost

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"easel/internal/require"
	"easel/mcphost/tool"
)

// raw sends bytes unchanged and returns the status and the body of the answer.
func (r *rig) raw(t *testing.T, request string) (*reply, string) {
	t.Helper()
	conn := r.dial(t)
	_ = conn.SetDeadline(time.Now().Add(patience))
	if _, err := io.WriteString(conn, strings.ReplaceAll(request, "\n", "\r\n")); err != nil {
		t.Logf("the host did not read it all: %v", err)
	}
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	b, _ := io.ReadAll(res.Body)
	return &reply{res.StatusCode, res.Header, nil}, string(b)
}

// dial opens a TCP connection.
func (r *rig) dial(t *testing.T) net.Conn {
	t.Helper()
	var d net.Dialer
	conn, err := d.DialContext(t.Context(), "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(r.Port())))
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

func TestGuardRefusesForeignHosts(t *testing.T) {
	r := newRig(t)
	port := r.Port()
	for host, want := range map[string]int{
		"127.0.0.1":                              200,
		"localhost":                              200,
		"LOCALHOST":                              200,
		"[::1]":                                  200,
		fmt.Sprintf("127.0.0.1:%d", port):        200,
		fmt.Sprintf("localhost:%d", port):        200,
		fmt.Sprintf("[::1]:%d", port):            200,
		"":                                       403,
		"evil.example":                           403,
		fmt.Sprintf("evil.example:%d", port):     403,
		"127.0.0.1.evil.example":                 403,
		"localhost.evil.example":                 403,
		"evil-localhost":                         403,
		"localhost.":                             403,
		"127.0.0.1.":                             403,
		"127.0.0.2":                              403,
		"127.1":                                  403,
		"0.0.0.0":                                403,
		"2130706433":                             403,
		"0x7f000001":                             403,
		"[::ffff:127.0.0.1]":                     403,
		"[::]":                                   403,
		"::1":                                    403,
		"192.168.0.1":                            403,
		fmt.Sprintf("localhost:%d", port+1):      403,
		"localhost:":                             403,
		fmt.Sprintf("localhost:0%d", port):       403,
		fmt.Sprintf("localhost:%d:%d", port, 80): 403,
		"user@localhost":                         403,
		"localhost/x":                            403,
		"localhost#x":                            403,
		"[localhost]":                            403,
		"[127.0.0.1]":                            403,
		"[::1":                                   403,
		"::1]":                                   403,
	} {
		res, _ := r.raw(t, "GET /tools HTTP/1.1\nHost: "+host+"\nAuthorization: Bearer "+testToken+"\nConnection: close\n\n")
		if host != "" && strings.ContainsAny(host, "@/#") && res.StatusCode == 400 {
			continue // net/http rejects it before the guard
		}
		if res.StatusCode != want {
			t.Errorf("Host %q: %d, want %d", host, res.StatusCode, want)
		}
	}
	// HTTP/1.0 does not require Host, but the guard does.
	if res, _ := r.raw(t, "GET / HTTP/1.0\n\n"); res.StatusCode != 403 {
		t.Errorf("no Host: %d, want 403", res.StatusCode)
	}
	// An absolute request target overrides Host.
	if res, _ := r.raw(t, "GET http://evil.example/tools HTTP/1.1\nHost: localhost\nAuthorization: Bearer "+testToken+"\nConnection: close\n\n"); res.StatusCode != 403 {
		t.Errorf("absolute target: %d, want 403", res.StatusCode)
	}
}

func TestGuardRefusesForeignOrigins(t *testing.T) {
	r := newRig(t)
	port := r.Port()
	for origin, want := range map[string]int{
		"":                                       200,
		fmt.Sprintf("http://127.0.0.1:%d", port): 200,
		fmt.Sprintf("http://localhost:%d", port): 200,
		fmt.Sprintf("http://[::1]:%d", port):     200,
		"null":                                   403,
		"http://127.0.0.1":                       403,
		fmt.Sprintf("http://127.0.0.1:%d", port+1):             403,
		fmt.Sprintf("https://127.0.0.1:%d", port):              403,
		fmt.Sprintf("http://evil.example:%d", port):            403,
		fmt.Sprintf("http://127.0.0.1:%d.evil.example", port):  403,
		fmt.Sprintf("http://localhost.evil.example:%d", port):  403,
		fmt.Sprintf("http://127.0.0.1:%d@evil.example", port):  403,
		fmt.Sprintf("http://evil.example@127.0.0.1:%d", port):  403,
		fmt.Sprintf("http://127.0.0.1:%d/path", port):          403,
		fmt.Sprintf("http://127.0.0.1:%d http://evil.x", port): 403,
		"file://":                              403,
		"chrome-extension:":                    403,
		"http://0.0.0.0:" + strconv.Itoa(port): 403,
	} {
		res, _ := r.do(t, "GET", "/tools", "", "Origin: "+origin)
		if res.StatusCode != want {
			t.Errorf("Origin %q: %d, want %d", origin, res.StatusCode, want)
		}
		for name := range res.Header {
			if strings.HasPrefix(name, "Access-Control-") {
				t.Errorf("Origin %q: there is %s, and CORS must not be", origin, name)
			}
		}
	}
	if res, _ := r.raw(t, fmt.Sprintf("GET /tools HTTP/1.1\nHost: localhost\nOrigin: http://localhost:%d\nOrigin: http://evil.example\nAuthorization: Bearer %s\nConnection: close\n\n", port, testToken)); res.StatusCode != 403 {
		t.Errorf("two Origins: %d, want 403", res.StatusCode)
	}
	if res, _ := r.raw(t, "GET /tools HTTP/1.1\nHost: localhost\nOrigin: \nAuthorization: Bearer "+testToken+"\nConnection: close\n\n"); res.StatusCode != 403 {
		t.Errorf("an empty Origin: %d, want 403", res.StatusCode)
	}
	// A browser sends a preflight request before it sends JSON to another origin. It
	// must be rejected.
	if res, _ := r.do(t, "OPTIONS", "/api/execute/session_create", "", "Origin: http://evil.example", "Authorization: "); res.StatusCode != 403 {
		t.Errorf("preflight: %d, want 403", res.StatusCode)
	}
}

func TestGuardWantsTheToken(t *testing.T) {
	r := newRig(t)
	for name, c := range map[string]struct {
		header    []string
		want      int
		challenge string
	}{
		"bearer":                   {[]string{"Authorization: Bearer " + testToken}, 200, ""},
		"bearer, any case":         {[]string{"Authorization: bearer " + testToken}, 200, ""},
		"API key":                  {[]string{"Authorization: ", "X-API-Key: " + testToken}, 200, ""},
		"none":                     {[]string{"Authorization: "}, 401, `Bearer realm="Easel"`},
		"wrong":                    {[]string{"Authorization: Bearer " + testToken + "x"}, 401, `Bearer realm="Easel", error="invalid_token"`},
		"a prefix":                 {[]string{"Authorization: Bearer " + testToken[:10]}, 401, `Bearer realm="Easel", error="invalid_token"`},
		"empty":                    {[]string{"Authorization: Bearer "}, 401, ""},
		"another scheme":           {[]string{"Authorization: Basic " + testToken}, 401, `Bearer realm="Easel"`},
		"bare":                     {[]string{"Authorization: " + testToken}, 401, `Bearer realm="Easel"`},
		"wrong API key":            {[]string{"Authorization: ", "X-API-Key: x"}, 401, `Bearer realm="Easel", error="invalid_token"`},
		"right beside a wrong one": {[]string{"Authorization: Bearer x", "X-API-Key: " + testToken}, 200, ""},
	} {
		res, b := r.do(t, "GET", "/tools", "", c.header...)
		if res.StatusCode != c.want {
			t.Errorf("%s: %d, want %d", name, res.StatusCode, c.want)
		}
		if got := res.Header.Get("WWW-Authenticate"); c.challenge != "" && got != c.challenge {
			t.Errorf("%s: WWW-Authenticate %q, want %q", name, got, c.challenge)
		}
		if c.want == 401 {
			wantProblem(t, name, res, b, tool.Unauthorized)
		}
	}
	// A token in the query could end up in a log.
	if res, _ := r.do(t, "GET", "/tools?token="+testToken+"&access_token="+testToken, "", "Authorization: "); res.StatusCode != 401 {
		t.Errorf("token in the query: %d, want 401", res.StatusCode)
	}
	if strings.Contains(r.log.String(), testToken) {
		t.Error("the token is in the log")
	}
}

// TestTokenOfNobody checks that without a configured token, every request is rejected,
// including one with an empty token.
func TestTokenOfNobody(t *testing.T) {
	r := newRig(t, func(c *Config) { c.Token = func() string { return "" } })
	for _, h := range []string{"Authorization: ", "Authorization: Bearer ", "X-API-Key: "} {
		if res, _ := r.do(t, "GET", "/tools", "", "Authorization: ", h); res.StatusCode != 401 {
			t.Errorf("%q: %d, want 401", h, res.StatusCode)
		}
	}
}

func TestTokenIsAskedForEverywhereElse(t *testing.T) {
	r := newRig(t)
	for path, want := range map[string]int{
		"/": 200, "/api/health": 200, "/api/v1/openapi.json": 200, "/api/openapi.json": 307, "/swagger/v1/swagger.json": 307,
		"/swagger": 307, "/api/swagger": 200, "/api/swagger/": 200, "/api/swagger/swagger-ui.css": 200, "/problems/DENIED": 200,
		"/tools": 401, "/api/resources": 401, "/resources": 401, "/api/resources/state": 401, "/api/resources/settings": 401, "/api/resources/history": 401,
		"/api/resources/sessions/s1/images/img0001.png": 401, "/api/events": 401, "/api/info/variables": 401, "/mcp": 401, "/nope": 401,
		"/api/swagger/../resources": 401, "/api/swagger/..%2fresources": 401, "/api/swagger/%2e%2e/resources": 401, "//tools": 401,
		"/problems/../tools": 401, "/api/healthx": 401, "/api/health/": 401, "/.well-known/oauth-protected-resource": 401,
	} {
		res, _ := r.raw(t, "GET "+path+" HTTP/1.1\nHost: localhost\nConnection: close\n\n")
		if res.StatusCode != want {
			t.Errorf("GET %s without a token: %d, want %d", path, res.StatusCode, want)
		}
		if got := res.Header.Get("X-Content-Type-Options"); got != "nosniff" {
			t.Errorf("GET %s: X-Content-Type-Options %q", path, got)
		}
	}
	for _, path := range []string{"/", "/api/health", "/api/v1/openapi.json", "/mcp", "/api/execute/session_create", "/tools/session_create/execute"} {
		if res, _ := r.do(t, "POST", path, "{}", "Authorization: "); res.StatusCode != 401 {
			t.Errorf("POST %s without a token: %d, want 401", path, res.StatusCode)
		}
	}
}

func TestGuardRefusesTricksWithThePath(t *testing.T) {
	r := newRig(t)
	for _, path := range []string{
		"/api/resources/sessions/../state", "/api/resources/sessions/s1/images/..%2f..%2f..%2fstate", "/api//resources",
		"/api/resources/./state", "/tools\\x", "/tools%00", "/api/resources/sessions/s1/images/%2e%2e",
	} {
		res, b := r.raw(t, "GET "+path+" HTTP/1.1\nHost: localhost\nAuthorization: Bearer "+testToken+"\nConnection: close\n\n")
		if res.StatusCode != 400 && res.StatusCode != 404 {
			t.Errorf("GET %s: %d %s", path, res.StatusCode, b)
		}
	}
}

func TestGuardWantsJSON(t *testing.T) {
	r := newRig(t)
	for contentType, want := range map[string]int{
		"application/json":                  200,
		"application/json; charset=utf-8":   200,
		"Application/JSON":                  200,
		"":                                  415,
		"text/plain":                        415,
		"text/plain; application/json":      415,
		"application/x-www-form-urlencoded": 415,
		"multipart/form-data; boundary=x":   415,
		"application/jsonx":                 415,
		"application/json, text/plain":      415,
	} {
		res, b := r.do(t, "POST", "/api/execute/session_create", "{}", "Content-Type: "+contentType)
		if res.StatusCode != want {
			t.Errorf("Content-Type %q: %d, want %d", contentType, res.StatusCode, want)
		}
		if want == 415 {
			wantProblem(t, contentType, res, b, tool.UnsupportedMediaType)
		}
	}
	if res, _ := r.do(t, "POST", "/mcp", "{}", "Content-Type: text/plain"); res.StatusCode != 415 {
		t.Errorf("/mcp: %d, want 415", res.StatusCode)
	}
}

// TestEveryPOSTWantsJSON checks that no route, including future ones, accepts a form
// from a foreign page.
func TestEveryPOSTWantsJSON(t *testing.T) {
	r := newRig(t)
	for _, route := range r.echo.Routes() {
		if route.Method != http.MethodPost && route.Method != http.MethodPut && route.Method != http.MethodPatch {
			continue
		}
		path := strings.ReplaceAll(route.Path, ":tool", "x")
		if res, b := r.do(t, route.Method, path, "{}", "Content-Type: text/plain"); res.StatusCode != 415 {
			t.Errorf("%s %s: %d %s, want 415", route.Method, path, res.StatusCode, b)
		}
	}
	for _, method := range []string{"PUT", "PATCH", "DELETE", "POST"} {
		if res, _ := r.do(t, method, "/api/health", "", "Content-Type: "); res.StatusCode != 405 || res.Header.Get("Allow") == "" {
			t.Errorf("%s /api/health: %d, Allow %q", method, res.StatusCode, res.Header.Get("Allow"))
		}
	}
}

func TestGuardBoundsTheBody(t *testing.T) {
	r := newRig(t, func(c *Config) { c.MaxBody = 1 << 20 })
	big := `{"name":"` + strings.Repeat("x", 1<<20) + `"}`
	for _, path := range []string{"/api/execute/session_create", "/mcp", "/tools/session_create/execute"} {
		res, b := r.do(t, "POST", path, big)
		wantProblem(t, path, res, b, tool.PayloadTooLarge)

		// The same without a length: chunked.
		req, err := http.NewRequestWithContext(t.Context(), "POST", r.URL()+path, io.MultiReader(strings.NewReader(big)))
		require.NoError(t, err)
		req.Header.Set("Authorization", "Bearer "+testToken)
		req.Header.Set("Content-Type", "application/json")
		chunked, err := client.Do(req)
		require.NoError(t, err)
		b, _ = io.ReadAll(chunked.Body)
		_ = chunked.Body.Close()
		wantProblem(t, path+" chunked", &reply{chunked.StatusCode, chunked.Header, nil}, b, tool.PayloadTooLarge)
	}
	// A false length costs nothing: the request is rejected before a byte is read.
	res, _ := r.raw(t, "POST /mcp HTTP/1.1\nHost: localhost\nAuthorization: Bearer "+testToken+"\nContent-Type: application/json\nContent-Length: 99999999999\nConnection: close\n\n")
	if res.StatusCode != 413 {
		t.Errorf("a length of 100 GB: %d, want 413", res.StatusCode)
	}
	exact := `{"name":"` + strings.Repeat("x", 1<<20-11) + `"}`
	if res, b := r.do(t, "POST", "/api/execute/session_create", exact); res.StatusCode != 400 {
		t.Errorf("a body of just 1 MiB: %d %s, want the validator's 400", res.StatusCode, b)
	}
}

func TestHEADIsGETWithoutABody(t *testing.T) {
	r := newRig(t)
	for path, want := range map[string]int{
		"/": 200, "/api/health": 200, "/tools": 200, "/api/events": 200, "/mcp": 200, "/nope": 404,
		"/api/resources/sessions/s1/images/img0001.png": 200, "/api/info/variables?" + url.Values{"session_id": {"s"}}.Encode(): 200,
	} {
		res, b := r.do(t, "HEAD", path, "")
		if res.StatusCode != want || len(b) > 0 {
			t.Errorf("HEAD %s: %d with %d bytes, want %d without", path, res.StatusCode, len(b), want)
		}
	}
}

// TestTenThousandBadRequests checks that bad requests do not accumulate anything.
func TestTenThousandBadRequests(t *testing.T) {
	if testing.Short() {
		t.Skip("for make nightly")
	}
	r := newRig(t)
	keep := &http.Client{}
	defer keep.CloseIdleConnections()
	for i := range 10_000 {
		req, err := http.NewRequestWithContext(t.Context(), "POST", r.URL()+"/mcp", strings.NewReader("{"))
		require.NoError(t, err)
		req.Header.Set("Content-Type", "application/json")
		if i%2 == 0 {
			req.Header.Set("Authorization", "Bearer wrong")
		} else {
			req.Header.Set("Authorization", "Bearer "+testToken)
		}
		res, err := keep.Do(req)
		require.NoError(t, err)
		_, _ = io.Copy(io.Discard, res.Body)
		_ = res.Body.Close()
		if want := 401 - i%2; res.StatusCode != want {
			t.Fatalf("request %d: %d, want %d", i, res.StatusCode, want)
		}
	}
	if res, _ := r.do(t, "GET", "/tools", ""); res.StatusCode != 200 {
		t.Errorf("afterwards: %d", res.StatusCode)
	}
}

// TestACallerIsNamedForPeople checks that a browser on our own page is named Swagger UI,
// despite its long User-Agent. Other callers keep their names.
func TestACallerIsNamedForPeople(t *testing.T) {
	r := newRig(t)
	const browser = "User-Agent: Mozilla/5.0 (X11; Linux x86_64) Chrome/156.0"
	for want, header := range map[string][]string{
		"Swagger UI": {browser, "Sec-Fetch-Site: same-origin"},
		"Mozilla/5.0 (X11; Linux x86_64) Chrome/156.0": {browser},
		"curl/8": {"User-Agent: curl/8", "Sec-Fetch-Site: same-origin"},
	} {
		r.do(t, "GET", "/api/info/session_list", "", header...)
		if got := r.lastCaller().Name; got != want {
			t.Errorf("the caller is %q, want %q", got, want)
		}
	}
}

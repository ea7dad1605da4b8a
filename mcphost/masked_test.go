package mcphost

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"easel/internal/mask"
	"easel/internal/require"
	"easel/mcphost/catalog"
)

// Whatever a caller gets has no token in it, however the token came there.
func TestTokensAreMasked(t *testing.T) {
	const chosen = `pa"ss<wörd>&\16` // of a Jupyter server, by its user
	m := mask.New()
	m.Set(mask.Easel, testToken)
	m.Add(mask.Jupyter, chosen)
	r := newRig(t, func(c *Config) { c.Mask = m })
	session := r.initialize(t, "x")
	for want, secret := range map[mask.Kind]string{mask.Easel: testToken, mask.Jupyter: chosen} {
		code := func(word string) string {
			b, err := json.Marshal(map[string]string{"session_id": "s", "code": word + " before " + secret + " " + url.QueryEscape(secret) + " after"})
			require.NoError(t, err)
			return string(b)
		}
		call := func(word, meta string) string {
			return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"execute_code","arguments":` + code(word) + meta + `}}`
		}
		name := strings.ReplaceAll(url.PathEscape(secret), "%5C", "") // a path has no backslash
		for what, c := range map[string]struct{ method, path, body string }{
			"REST":                {"POST", "/api/execute/execute_code", code("echo")},
			"MCP":                 {"POST", "/mcp", call("echo", "")},
			"progress":            {"POST", "/mcp", call("say", `,"_meta":{"progressToken":1}`)},
			"a misspelt name":     {"POST", "/api/execute/execute_code", strings.Replace(code("echo"), `"code"`, `"cod"`, 1)},
			"an unknown address":  {"GET", "/api/" + name, ""},
			"an unknown tool":     {"POST", "/mcp", strings.Replace(call("echo", ""), "execute_code", testToken, 1)},
			"an unknown resource": {"POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"jupyter://` + url.PathEscape(secret) + `"}}`},
			"an error of a tool":  {"GET", "/api/info/get_execution?execution_id=" + url.QueryEscape(secret), ""},
		} {
			t.Run(fmt.Sprintf("%s %s", want, what), func(t *testing.T) {
				_, b := r.do(t, c.method, c.path, c.body, "Mcp-Session-Id: "+session, "Accept: application/json, text/event-stream")
				checkMasked(t, b, secret)
			})
		}
	}
	t.Run("length", func(t *testing.T) { // of an answer that gives it beforehand
		_, b := r.do(t, "POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"execute_code","arguments":{"session_id":"s","code":"echo `+testToken+`"}}}`,
			"Mcp-Session-Id: "+session, "Accept: application/json, text/event-stream")
		if !json.Valid(b) || !bytes.Contains(b, []byte(mask.Easel)) {
			t.Errorf("%s", b)
		}
	})
	t.Run("a picture", func(t *testing.T) {
		if res, b := r.do(t, "GET", "/api/resources/sessions/s1/images/img0001.png", ""); res.StatusCode != http.StatusOK || !bytes.Equal(b, noise(300_000)) {
			t.Errorf("%d, %d bytes", res.StatusCode, len(b))
		}
	})
}

func TestEventsAreMasked(t *testing.T) {
	m := mask.New()
	m.Set(mask.Easel, testToken)
	r := newRig(t, func(c *Config) { c.Mask = m })
	s := r.open(t, "GET", "/api/events", "")
	s.line(": Easel")
	catalog.Changes.Notify(r.bus, catalog.Change{Name: catalog.ExecutionOutput, Object: map[string]string{"text": "x " + testToken}})
	if l := s.line("data: "); l != `data: {"text":"x [Easel's token]"}` {
		t.Error(l)
	}
}

func checkMasked(t *testing.T, b []byte, secret string) {
	t.Helper()
	if bytes.Contains(b, []byte(secret)) || bytes.Contains(b, []byte(url.QueryEscape(secret))) {
		t.Errorf("it has the token: %s", b)
	}
	for line := range bytes.Lines(b) {
		line = bytes.TrimPrefix(bytes.TrimSpace(line), []byte("data: "))
		if !bytes.HasPrefix(line, []byte("{")) {
			continue
		}
		var v any
		if err := json.Unmarshal(line, &v); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		walkStrings(v, func(s string) {
			if strings.Contains(s, secret) {
				t.Errorf("it has the token: %s", s)
			}
			if strings.HasPrefix(s, "{") && !json.Valid([]byte(s)) {
				t.Errorf("no longer JSON: %s", s)
			}
		})
	}
}

func walkStrings(v any, do func(string)) {
	switch v := v.(type) {
	case string:
		do(v)
		var inner any
		if json.Unmarshal([]byte(v), &inner) == nil && inner != any(v) {
			if _, is := inner.(map[string]any); is {
				walkStrings(inner, do)
			}
		}
	case []any:
		for _, x := range v {
			walkStrings(x, do)
		}
	case map[string]any:
		for k, x := range v {
			do(k)
			walkStrings(x, do)
		}
	}
}

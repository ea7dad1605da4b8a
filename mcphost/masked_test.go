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

// What looks secret is masked over MCP and REST, and a count says so, in the result and in the log
// of calls, which has the names. The user's own log has the original.
func TestSecretsAreMasked(t *testing.T) {
	const value = "q7-zx/94\"kk0"
	github := "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
	m := mask.New()
	m.Know([]mask.Secret{{Name: "DB_PASSWORD", Value: value}})
	r := newRig(t, func(c *Config) { c.Mask = m })
	session := r.initialize(t, "x")
	calls := catalog.Activities.Watch(t.Context(), r.bus, 64)
	ended := make(chan catalog.Activity, 64)
	go func() {
		for a, err := range calls {
			if err == nil && !a.Ended.IsZero() {
				ended <- a
			}
		}
	}()
	args := func(word string) string {
		b, err := json.Marshal(map[string]string{"session_id": "s", "code": word + " one " + value + " and\n" + github + " two"})
		require.NoError(t, err)
		return string(b)
	}
	call := func(word, meta string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"execute_code","arguments":` + args(word) + meta + `}}`
	}
	for what, c := range map[string]struct{ path, body string }{
		"REST": {"/api/execute/execute_code", args("echo")}, "the other REST": {"/tools/execute_code/execute", args("echo")},
		"MCP": {"/mcp", call("echo", "")}, "a stream": {"/mcp", call("echo", `,"_meta":{"progressToken":1}`)},
	} {
		t.Run(what, func(t *testing.T) {
			_, b := r.do(t, "POST", c.path, c.body, "Mcp-Session-Id: "+session, "Accept: application/json, text/event-stream")
			checkMasked(t, b, value)
			checkMasked(t, b, github)
			for _, want := range []string{"one [masked: DB_PASSWORD] and", "[masked: GitHub token] two", `"masked`} {
				if !bytes.Contains(b, []byte(want)) {
					t.Errorf("no %s in %s", want, b)
				}
			}
			a := <-ended
			if a.Masked["DB_PASSWORD"] < 1 || a.Masked["GitHub token"] < 1 || !strings.Contains(string(a.Result), github) {
				t.Errorf("the call: %v, %s", a.Masked, a.Result)
			}
		})
	}
	t.Run("nothing to mask", func(t *testing.T) {
		_, b := r.do(t, "POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"execute_code","arguments":{"session_id":"s","code":"echo x"}}}`, "Mcp-Session-Id: "+session)
		if bytes.Contains(b, []byte("masked")) {
			t.Errorf("%s", b)
		}
	})
	t.Run("progress", func(t *testing.T) {
		_, b := r.do(t, "POST", "/mcp", call("say", `,"_meta":{"progressToken":1}`), "Mcp-Session-Id: "+session, "Accept: application/json, text/event-stream")
		checkMasked(t, b, github)
	})
	t.Run("a project whose secrets are shown", func(t *testing.T) {
		for path, body := range map[string]string{"/api/execute/execute_code": args("open"), "/mcp": call("open", "")} {
			_, b := r.do(t, "POST", path, body, "Mcp-Session-Id: "+session)
			if !bytes.Contains(b, []byte(github)) || bytes.Contains(b, []byte("masked")) {
				t.Errorf("%s: %s", path, b)
			}
		}
		m.Set(mask.Easel, testToken)
		if _, b := r.do(t, "POST", "/mcp", strings.Replace(call("open", ""), "one", testToken, 1), "Mcp-Session-Id: "+session); bytes.Contains(b, []byte(testToken)) {
			t.Errorf("Easel's own token is shown: %s", b)
		}
	})
}

// Who has read a mark and sends it back would replace the secret by it.
func TestMarksAreNotWritten(t *testing.T) {
	r := newRig(t)
	for _, mark := range []string{"[masked: DB_PASSWORD]", "[masked: GitHub token]", "[Easel's token]", "[Jupyter token]"} {
		for tool, args := range map[string]string{
			"execute_code": `{"session_id":"s","code":"echo key = '` + mark + `'"}`, "notebook_edit_cell": `{"path":"a.ipynb","index":0,"source":"` + mark + `"}`,
			"notebook_create": `{"path":"a.ipynb","cells":[{"cell_type":"code","source":"` + mark + `"}]}`,
		} {
			res, b := r.do(t, "POST", "/api/execute/"+tool, args)
			if res.StatusCode != http.StatusBadRequest || !bytes.Contains(b, []byte(mark)) || !bytes.Contains(b, []byte("os.environ")) {
				t.Errorf("%s: %d, %s", tool, res.StatusCode, b)
			}
		}
	}
	if res, b := r.do(t, "POST", "/api/execute/execute_code", `{"session_id":"s","code":"echo masked[1]"}`); res.StatusCode != http.StatusOK {
		t.Errorf("%s", b)
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

// TestFiguresAreMasked checks what is fetched as a file: figures and vector pictures are text, and have no tag by which a client
// could keep what was not hidden yet.
func TestFiguresAreMasked(t *testing.T) {
	const value = "q7-zx-94-kk0"
	m := mask.New()
	m.Know([]mask.Secret{{Name: "DB_PASSWORD", Value: value}})
	r := newRig(t, func(c *Config) { c.Mask = m })
	session := r.initialize(t, "x")
	for mime, c := range map[string]struct{ data, want string }{
		"application/vnd.plotly.v1+json": {`{"data":[{"name":"` + value + `"}]}`, `{"data":[{"name":"[masked: DB_PASSWORD]"}]}`},
		"text/html":                      {"<p>" + value + "</p>", "<p>[masked: DB_PASSWORD]</p>"},
		"image/svg+xml":                  {"<svg><text>" + value + "</text></svg>", "<svg><text>[masked: DB_PASSWORD]</text></svg>"},
		"image/png":                      {"PNG " + value, "PNG " + value},
	} {
		r.figure = &catalog.ReadImageOut{Image: testImage("s1", 1), MIMEType: mime, Data: []byte(c.data), ETag: "tag"}
		r.figure.Image.Interactive = "plotly"
		path := "sessions/s1/images/img0001.png"
		head, body := r.do(t, "GET", "/api/resources/"+path, "")
		if string(body) != c.want || (head.Header.Get("ETag") == "") != (c.data != c.want) {
			t.Errorf("%s over REST: %s, %v", mime, body, head.Header)
		}
		if mime == "image/png" {
			continue
		}
		_, body = r.do(t, "POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"jupyter://`+path+`"}}`, "Mcp-Session-Id: "+session)
		if bytes.Contains(body, []byte(value)) || !bytes.Contains(body, []byte("masked: DB_PASSWORD")) {
			t.Errorf("%s over MCP: %s", mime, body)
		}
	}
}

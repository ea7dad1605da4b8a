package mcphost

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"easel/internal/require"
)

const patience = time.Minute

// initialize opens a session for a client with that name and returns its id.
func (r *rig) initialize(t *testing.T, name string) string {
	t.Helper()
	res, b := r.do(t, "POST", "/mcp", fmt.Sprintf(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":%q,"version":"9"}}}`, name))
	id := res.Header.Get("Mcp-Session-Id")
	if res.StatusCode != 200 || id == "" {
		t.Fatalf("initialize: %d %s", res.StatusCode, b)
	}
	if res, _ := r.do(t, "POST", "/mcp", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, "Mcp-Session-Id: "+id); res.StatusCode != 202 {
		t.Fatalf("initialized: %d", res.StatusCode)
	}
	return id
}

// rpc sends a request in a session and returns the answer.
func (r *rig) rpc(t *testing.T, session, method, params string) map[string]any {
	t.Helper()
	header := []string{"Mcp-Session-Id: " + session, "MCP-Protocol-Version: 2025-11-25"}
	res, b := r.do(t, "POST", "/mcp", fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, method, params), header...)
	ms := messages(t, res, b)
	return ms[len(ms)-1]
}

// modernRequest returns a request of protocol 2026-07-28 and its headers.
func modernRequest(method, params string) (body string, header []string) {
	var p map[string]any
	if err := json.Unmarshal([]byte(params), &p); err != nil {
		panic(err)
	}
	meta, _ := p["_meta"].(map[string]any)
	if meta == nil {
		meta = make(map[string]any)
	}
	meta["io.modelcontextprotocol/protocolVersion"] = "2026-07-28"
	meta["io.modelcontextprotocol/clientCapabilities"] = map[string]any{}
	meta["io.modelcontextprotocol/clientInfo"] = map[string]any{"name": "modern", "version": "3"}
	p["_meta"] = meta
	raw, _ := json.Marshal(p)
	header = []string{"MCP-Protocol-Version: 2026-07-28"}
	for k, v := range mcp.StandardHeaders("2026-07-28", mcp.MCPMethod(method), raw) {
		header = append(header, k+": "+v)
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, method, raw), header
}

func (r *rig) modern(t *testing.T, method, params string) map[string]any {
	t.Helper()
	body, header := modernRequest(method, params)
	res, b := r.do(t, "POST", "/mcp", body, header...)
	ms := messages(t, res, b)
	return ms[len(ms)-1]
}

// messages returns the messages of an answer, which is JSON or events.
func messages(t *testing.T, res *reply, body []byte) []map[string]any {
	t.Helper()
	var ms []map[string]any
	add := func(b []byte) {
		var m map[string]any
		if err := json.Unmarshal(b, &m); err != nil {
			t.Fatalf("%d: %s is no message", res.StatusCode, b)
		}
		ms = append(ms, m)
	}
	if res.Header.Get("Content-Type") == "text/event-stream" {
		for line := range strings.Lines(string(body)) {
			if data, ok := strings.CutPrefix(line, "data: "); ok {
				if len(data) > 1<<20 {
					t.Errorf("an event of %d bytes: the official Python client refuses it", len(data))
				}
				add([]byte(data))
			}
		}
	} else {
		add(body)
	}
	if len(ms) == 0 {
		t.Fatalf("%d: no message in %q", res.StatusCode, body)
	}
	return ms
}

// An sse is an open stream of events.
type sse struct {
	t     *testing.T
	close func()
	lines chan string // closed at the end
}

// open opens a stream.
func (r *rig) open(t *testing.T, method, path, body string, header ...string) *sse {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	req, err := http.NewRequestWithContext(ctx, method, r.URL()+path, strings.NewReader(body))
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+testToken)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for _, h := range header {
		k, v, _ := strings.Cut(h, ": ")
		req.Header.Set(k, v)
	}
	res, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(req) //nolint:bodyclose // closed by its reader
	require.NoError(t, err)
	if res.StatusCode != 200 || res.Header.Get("Content-Type") != "text/event-stream" {
		b, _ := io.ReadAll(res.Body)
		t.Fatalf("%s %s: %d %s %s", method, path, res.StatusCode, res.Header.Get("Content-Type"), b)
	}
	s := &sse{t: t, close: cancel, lines: make(chan string, 1000)}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer close(s.lines)
		in := bufio.NewScanner(res.Body)
		in.Buffer(nil, 16<<20)
		for in.Scan() {
			s.lines <- in.Text()
		}
		_ = res.Body.Close()
	}()
	t.Cleanup(func() {
		cancel()
		<-done
	})
	return s
}

// line waits for a line that contains text.
func (s *sse) line(text string) string {
	s.t.Helper()
	late := time.After(patience)
	for {
		select {
		case l, ok := <-s.lines:
			if !ok {
				s.t.Fatalf("the stream ended before %q", text)
			}
			if strings.Contains(l, text) {
				return l
			}
		case <-late:
			s.t.Fatalf("no %q on the stream", text)
		}
	}
}

func (s *sse) ends() {
	s.t.Helper()
	late := time.After(patience)
	for {
		select {
		case _, ok := <-s.lines:
			if !ok {
				return
			}
		case <-late:
			s.t.Fatal("the stream does not end")
		}
	}
}

// blocks returns the blocks of a kind in a result.
func blocks(result any, kind string) []map[string]any {
	var bs []map[string]any
	content, _ := at(result, "content").([]any)
	for _, c := range content {
		if b, _ := c.(map[string]any); b["type"] == kind {
			bs = append(bs, b)
		}
	}
	return bs
}

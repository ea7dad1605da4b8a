package mcphost

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
)

func TestProgressComesInFrontOfItsAnswer(t *testing.T) {
	r := newRig(t)
	s := r.initialize(t, "x")
	const n = 50
	params := fmt.Sprintf(`{"name":"execute_code","arguments":{"session_id":"s","code":"progress %d"},"_meta":{"progressToken":7}}`, n)
	check := func(t *testing.T, res *reply, b []byte) {
		t.Helper()
		ms := messages(t, res, b)
		if len(ms) != n+1 {
			t.Fatalf("%d messages, want %d: %s", len(ms), n+1, b)
		}
		last := -1.0
		for i, m := range ms[:n] {
			p := at(m, "params", "progress").(float64)
			if m["method"] != "notifications/progress" || at(m, "params", "progressToken") != 7.0 || p <= last || at(m, "params", "message") != fmt.Sprintf("line %d", i) {
				t.Fatalf("message %d: %v", i, m)
			}
			last = p
		}
		if object(t, ms[n])["success"] != true {
			t.Errorf("the answer: %v", ms[n])
		}
	}
	for i := range 20 { // mcp-go's own transport lost one in twenty
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			res, b := r.do(t, "POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":`+params+`}`, "Mcp-Session-Id: "+s)
			check(t, res, b)
			body, header := modernRequest("tools/call", params)
			res, b = r.do(t, "POST", "/mcp", body, header...)
			check(t, res, b)
		})
	}
	t.Run("not for a client that takes only JSON", func(t *testing.T) {
		res, b := r.do(t, "POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":`+params+`}`, "Mcp-Session-Id: "+s, "Accept: application/json")
		if res.Header.Get("Content-Type") != "application/json" {
			t.Errorf("got %s: %s", res.Header.Get("Content-Type"), b)
		}
	})
	t.Run("not for one that did not ask", func(t *testing.T) {
		res, b := r.do(t, "POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"execute_code","arguments":{"session_id":"s","code":"progress 3"}}}`, "Mcp-Session-Id: "+s)
		if res.Header.Get("Content-Type") != "application/json" {
			t.Errorf("got %s: %s", res.Header.Get("Content-Type"), b)
		}
	})
}

// post starts a request. drop closes its connection.
func (r *rig) post(t *testing.T, body string, header ...string) (drop func(), done <-chan string) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	answers := make(chan string, 1)
	go func() {
		req, err := http.NewRequestWithContext(ctx, "POST", r.URL()+"/mcp", strings.NewReader(body))
		if err != nil {
			answers <- err.Error()
			return
		}
		req.Header.Set("Authorization", "Bearer "+testToken)
		req.Header.Set("Content-Type", "application/json")
		for _, h := range header {
			k, v, _ := strings.Cut(h, ": ")
			req.Header.Set(k, v)
		}
		res, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(req)
		if err != nil {
			answers <- err.Error()
			return
		}
		b, _ := io.ReadAll(res.Body)
		_ = res.Body.Close()
		answers <- string(b)
	}()
	t.Cleanup(cancel)
	return cancel, answers
}

func (r *rig) caller(t *testing.T) tool.Caller {
	t.Helper()
	select {
	case c := <-r.held:
		return c
	case <-time.After(patience):
		t.Fatal("the call did not arrive")
		return tool.Caller{}
	}
}

func isClosed(t *testing.T, c <-chan struct{}, want bool, what string) {
	t.Helper()
	if want {
		select {
		case <-c:
		case <-time.After(patience):
			t.Errorf("%s: not cancelled", what)
		}
		return
	}
	select {
	case <-c:
		t.Errorf("%s: cancelled", what)
	default:
	}
}

func TestCancelIsExplicit(t *testing.T) {
	r := newRig(t)
	const hold = `{"name":"execute_code","arguments":{"session_id":"s","code":"hold"}}`
	legacy := `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":` + hold + `}`
	modern, modernHeader := modernRequest("tools/call", hold)

	t.Run("by notifications/cancelled", func(t *testing.T) {
		s := r.initialize(t, "x")
		_, done := r.post(t, legacy, "Mcp-Session-Id: "+s)
		c := r.caller(t)
		other := r.initialize(t, "other")
		for _, from := range []string{other, ""} { // nobody else may cancel it
			r.do(t, "POST", "/mcp", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}`, "Mcp-Session-Id: "+from)
			isClosed(t, c.Cancelled, false, "by a stranger")
		}
		r.do(t, "POST", "/mcp", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5,"reason":"enough"}}`, "Mcp-Session-Id: "+s)
		isClosed(t, c.Cancelled, true, "by its client")
		<-done
	})
	for name, test := range map[string]struct {
		body   string
		header []string
		want   bool
	}{
		"a lost connection with sessions cancels nothing": {legacy, nil, false},
		"a closed stream without sessions cancels":        {modern, modernHeader, true},
		"a bridge's lost connection cancels nothing":      {modern, append(slices.Clone(modernHeader), "Easel-Bridge: b"), false},
	} {
		t.Run(name, func(t *testing.T) {
			ends := catalog.Activities.Watch(t.Context(), r.bus, 10)
			drop, done := r.post(t, test.body, test.header...)
			c := r.caller(t)
			drop()
			<-done
			for a, err := range ends {
				if !a.Ended.IsZero() || err != nil {
					break
				}
			}
			isClosed(t, c.Cancelled, test.want, name)
		})
	}
	t.Run("one client cannot cancel another's request of the same id", func(t *testing.T) {
		_, done := r.post(t, modern, modernHeader...)
		c := r.caller(t)
		drop, done2 := r.post(t, modern, modernHeader...)
		c2 := r.caller(t)
		drop()
		<-done2
		isClosed(t, c2.Cancelled, true, "the one")
		isClosed(t, c.Cancelled, false, "the other")
		r.hold <- struct{}{}
		if b := <-done; !strings.Contains(b, `\"status\":\"ok\"`) {
			t.Errorf("the other's answer: %s", b)
		}
	})
}

func TestToolsAreListedAsDeclared(t *testing.T) {
	r := newRig(t)
	s := r.initialize(t, "x")
	res, b := r.do(t, "POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, "Mcp-Session-Id: "+s)
	tools := at(messages(t, res, b)[0], "result", "tools").([]any)
	if len(tools) != len(catalog.All()) {
		t.Fatalf("%d tools, want %d", len(tools), len(catalog.All()))
	}
	for i, d := range catalog.All() {
		spec := d.Spec()
		if at(tools[i], "name") != spec.Name || at(tools[i], "title") != spec.Title {
			t.Errorf("tool %d is %v, want %s: the catalog's order", i, at(tools[i], "name"), spec.Name)
		}
		if at(tools[i], "annotations", "readOnlyHint") != spec.ReadOnly() {
			t.Errorf("%s: %v", spec.Name, at(tools[i], "annotations"))
		}
		out, ok := at(tools[i], "outputSchema").(map[string]any)
		if ok == spec.Pictures {
			t.Errorf("%s: an output schema %v, pictures %v", spec.Name, ok, spec.Pictures)
		}
		if !ok {
			continue
		}
		if len(at(out, "properties").(map[string]any)) != 1 || out["additionalProperties"] != nil {
			t.Errorf("%s: the output schema must be bare and open: %v", spec.Name, out)
		}
	}
	_, b = r.do(t, "POST", "/mcp?toolsets=gallery", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, "Mcp-Session-Id: "+s)
	if strings.Contains(string(b), "execute_code") {
		t.Errorf("the toolset gallery has execute_code")
	}
	_, b = r.do(t, "POST", "/mcp?toolsets=gallery", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"execute_code"}}`, "Mcp-Session-Id: "+s)
	if !strings.Contains(string(b), "TOOL_NOT_FOUND") {
		t.Errorf("a tool that is not listed was called: %s", b)
	}
	m := r.rpc(t, s, "tools/call", `{"name":"nope"}`)
	if at(m, "error", "code") != -32602.0 || at(m, "error", "data", "code") != "TOOL_NOT_FOUND" {
		t.Errorf("an unknown tool is a protocol error: %v", m)
	}
}

func TestASessionOutlivesARestart(t *testing.T) {
	file := filepath.Join(t.TempDir(), "sessions.json")
	keep := func(c *Config) { c.SessionsFile = file }
	r := newRig(t, keep)
	s, gone := r.initialize(t, "stubborn"), r.initialize(t, "gone")
	r.rpc(t, s, "resources/subscribe", `{"uri":"easel://settings"}`)
	r.rpc(t, s, "resources/subscribe", `{"uri":"easel://state"}`)
	r.rpc(t, s, "resources/unsubscribe", `{"uri":"easel://state"}`)
	if res, _ := r.do(t, "DELETE", "/mcp", "", "Mcp-Session-Id: "+gone); res.StatusCode != 200 {
		t.Errorf("DELETE: %d", res.StatusCode)
	}
	if res, _ := r.do(t, "POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, "Mcp-Session-Id: "+gone); res.StatusCode != 404 {
		t.Errorf("a deleted session: %d, want 404", res.StatusCode)
	}
	r.end()
	r = newRig(t, keep)
	r.rpc(t, s, "tools/call", `{"name":"session_create"}`)
	if c := r.lastCaller(); c.Name != "stubborn" || c.Version != "9" || c.Session != s {
		t.Errorf("after the restart: %+v", c)
	}
	stream := r.open(t, "GET", "/mcp", "", "Mcp-Session-Id: "+s)
	stream.line("notifications/resources/list_changed") // it has missed the changes in the meantime
	catalog.Changes.Notify(r.bus, catalog.Change{Name: catalog.SettingsChanged})
	stream.line("easel://settings") // its subscription from before the restart
	for _, id := range []string{"mcp-session-1", "easel-", "easel-zz", strings.Repeat("x", 5000)} {
		if res, _ := r.do(t, "POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, "Mcp-Session-Id: "+id); res.StatusCode != 404 {
			t.Errorf("a session %.20s that was never ours: %d, want 404", id, res.StatusCode)
		}
	}
}

func TestTransportRefusesWhatIsNoMCP(t *testing.T) {
	r := newRig(t)
	good, header := modernRequest("tools/list", `{}`)
	without := func(name string) []string {
		return slices.DeleteFunc(slices.Clone(header), func(h string) bool { return strings.HasPrefix(strings.ToLower(h), strings.ToLower(name)+":") })
	}
	for name, c := range map[string]struct {
		body   string
		header []string
		status int
		code   float64
	}{
		"no JSON":                         {"{", nil, 400, -32700},
		"a batch":                         {`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, nil, 400, -32600},
		"nothing":                         {`{"jsonrpc":"2.0"}`, nil, 400, -32600},
		"id null":                         {`{"jsonrpc":"2.0","id":null,"method":"ping"}`, nil, 400, -32600},
		"a version nobody knows":          {`{"jsonrpc":"2.0","id":1,"method":"ping"}`, []string{"MCP-Protocol-Version: 1999-01-01"}, 400, -32022},
		"an unknown method":               {`{"jsonrpc":"2.0","id":1,"method":"nope"}`, nil, 200, -32601},
		"JSON-RPC 1":                      {`{"jsonrpc":"1.0","id":1,"method":"ping"}`, nil, 200, -32600},
		"modern, no version header":       {good, without("MCP-Protocol-Version"), 400, -32020},
		"modern, no method header":        {good, without("Mcp-Method"), 400, -32020},
		"modern, another method header":   {good, append(without("Mcp-Method"), "Mcp-Method: tools/call"), 400, -32020},
		"modern, header without body":     {`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, header, 400, -32602},
		"modern, a version of the future": {strings.ReplaceAll(good, "2026-07-28", "2099-01-01"), append(without("MCP-Protocol-Version"), "MCP-Protocol-Version: 2099-01-01"), 400, -32022},
		"modern, a version of the future and no _meta": {`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, append(without("MCP-Protocol-Version"), "MCP-Protocol-Version: 2099-01-01"), 400, -32022},
		"modern, Last-Event-ID":                        {good, append(slices.Clone(header), "Last-Event-ID: 1"), 400, -32020},
		"modern, ping":                                 {strings.ReplaceAll(good, "tools/list", "ping"), append(without("Mcp-Method"), "Mcp-Method: ping"), 404, -32601},
	} {
		res, b := r.do(t, "POST", "/mcp", c.body, c.header...)
		m := messages(t, res, b)[0]
		if res.StatusCode != c.status || at(m, "error", "code") != c.code {
			t.Errorf("%s: %d %s, want %d with %v", name, res.StatusCode, b, c.status, c.code)
		}
		if c.code == -32022 { // a client chooses from the list
			list, _ := at(m, "error", "data", "supported").([]any)
			if !slices.Contains(list, any("2025-06-18")) || !slices.Contains(list, any("2026-07-28")) || !strings.Contains(string(b), "supported: 2026-07-28") {
				t.Errorf("%s: the supported versions are missing: %s", name, b)
			}
		}
	}
	for _, body := range []string{
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`,
		`{"jsonrpc":"2.0","method":"notifications/whatever"}`,
	} { // the SDKs for Go and TypeScript send them like this
		if res, b := r.do(t, "POST", "/mcp", body, "MCP-Protocol-Version: 2026-07-28"); res.StatusCode != 202 || len(b) > 0 {
			t.Errorf("a modern notification without _meta: %d %s, want 202", res.StatusCode, b)
		}
	}
	if res, _ := r.do(t, "GET", "/mcp", "", "MCP-Protocol-Version: 2026-07-28"); res.StatusCode != 405 || res.Header.Get("Allow") != "POST" {
		t.Errorf("modern GET: %d, Allow %q", res.StatusCode, res.Header.Get("Allow"))
	}
	if res, _ := r.do(t, "GET", "/mcp", ""); res.StatusCode != 400 {
		t.Errorf("GET without a session: %d, want 400", res.StatusCode)
	}
	if res, _ := r.do(t, "POST", "/mcp", `{"jsonrpc":"2.0","id":1,"result":{}}`); res.StatusCode != 202 {
		t.Errorf("a response of the client: %d, want 202", res.StatusCode)
	}
}

func TestDiscover(t *testing.T) {
	r := newRig(t)
	m := r.modern(t, "server/discover", `{}`)
	if at(m, "result", "supportedVersions", 0) != "2026-07-28" || at(m, "result", "instructions") != "Draw." {
		t.Errorf("%v", m)
	}
}

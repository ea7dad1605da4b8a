package mcphost

import (
	"net/http"
	"strings"
	"testing"

	"easel/mcphost/tool"
)

// TestAClientIsKnownByItsToken checks that a token of its own says who calls, over both transports, whatever name the caller gives.
func TestAClientIsKnownByItsToken(t *testing.T) {
	own := tool.AssistantToken + "0123456789abcdef"
	r := newRig(t, func(c *Config) {
		c.Assistant = func(token string) (string, bool) { return "cursor", token == own }
	})
	list := func(header ...string) (*reply, string) {
		res, body := r.do(t, http.MethodGet, "/api/info/session_list", "", header...)
		return res, string(body)
	}
	for name, c := range map[string]struct {
		header []string
		want   string
	}{
		"Easel's token":     {[]string{"Authorization: Bearer " + testToken}, tool.Others},
		"its own":           {[]string{"Authorization: Bearer " + own, "User-Agent: claude-code 2"}, "cursor"},
		"its own, as a key": {[]string{"X-API-Key: " + own, "Authorization: "}, "cursor"},
		"both":              {[]string{"Authorization: Bearer " + testToken, "X-API-Key: " + own}, "cursor"},
	} {
		if res, body := list(c.header...); res.StatusCode != http.StatusOK || r.lastCaller().Assistant != c.want {
			t.Errorf("%s: %d, by %q, want %q: %s", name, res.StatusCode, r.lastCaller().Assistant, c.want, body)
		}
	}
	res, body := list("Authorization: Bearer " + tool.AssistantToken + "that-was-taken-back")
	if res.StatusCode != http.StatusUnauthorized || !strings.Contains(body, "connect it again") {
		t.Errorf("a token that was taken back: %d, %s", res.StatusCode, body)
	}
	call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"session_list","arguments":{},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"claude-code","version":"2"},"io.modelcontextprotocol/clientCapabilities":{}}}}`
	if res, body := r.do(t, http.MethodPost, "/mcp", call, "Authorization: Bearer "+own, "Accept: application/json, text/event-stream",
		"Mcp-Protocol-Version: 2026-07-28", "Mcp-Method: tools/call", "Mcp-Name: session_list"); res.StatusCode != http.StatusOK || r.lastCaller().Assistant != "cursor" || r.lastCaller().Name != "claude-code" {
		t.Errorf("over MCP: %d, by %+v: %s", res.StatusCode, r.lastCaller(), body)
	}
}

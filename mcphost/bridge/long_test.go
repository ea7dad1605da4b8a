//go:build !race

// With the race detector, reading these messages takes ten times as long.

package bridge_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"easel/internal/require"
	"easel/mcphost/bridge"
)

func TestBridgeRefusesWhatIsTooLong(t *testing.T) {
	dir := t.TempDir()
	startApp(t, dir)
	k := startBridge(t, bridge.Config{DataDir: dir})
	k.initialize()
	quoted, err := json.Marshal(strings.Repeat(`print('{"id": 0}]', "\\")`+"\n", (9<<20)/25))
	require.NoError(t, err)
	code := string(quoted[1 : len(quoted)-1])
	k.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"execute_code","arguments":{"code":"%s"}}}`, code)
	m := k.answer(1)
	if text := fmt.Sprint(at(m, "result", "content")); at(m, "result", "isError") != true || !strings.Contains(text, "PAYLOAD_TOO_LARGE") || !strings.Contains(text, "at most 8.4 MB") {
		t.Errorf("a call of 9 MB: %.500s", text)
	}
	k.send(`{"method":"tools/call","params":{"name":"execute_code","arguments":{"id":5,"code":"%s"},"id":6},"jsonrpc":"2.0","id":"two"}`, strings.Repeat(code, 2))
	m = k.until("answer to two", func(m map[string]any) bool { return m["id"] == "two" })
	if text := fmt.Sprint(at(m, "result", "content")); !strings.Contains(text, "PAYLOAD_TOO_LARGE") {
		t.Errorf("a call of 18 MB: %.500s", text)
	}
	k.send(`{"id":3,"method":"resources/read","params":{"uri":"%s"}}`, code)
	if m := k.answer(3); at(m, "error", "data", "code") != "PAYLOAD_TOO_LARGE" {
		t.Errorf("another request of 9 MB: %v", m)
	}
	k.send(`{"method":"notifications/x","params":{"x":"%s"}}`, code) // is not answered
	k.send(`"%s"`, code)
	k.until("refusal of what is no message", func(m map[string]any) bool {
		return m["id"] == nil && at(m, "error", "data", "code") == "PAYLOAD_TOO_LARGE"
	})
	// The longest message that is accepted.
	head, tail := `{"jsonrpc":"2.0","id":4,"method":"ping","params":{"_meta":{"x":"`, `"}}}`
	k.send("%s", head+strings.Repeat("x", 8<<20-len(head)-len(tail))+tail)
	if m := k.answer(4); m["result"] == nil {
		t.Errorf("a message of 8 MiB: %.500s", fmt.Sprint(m))
	}
}

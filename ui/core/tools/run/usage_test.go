package run

import (
	"strings"
	"testing"
	"time"

	"easel/mcphost/tool"
	"easel/ui/core/state"
)

// TestAShortageIsToldOnce: each client of the session that uses most memory is told once per shortage.
func TestAShortageIsToldOnce(t *testing.T) {
	client := func(name string) tool.Caller { return tool.Caller{Transport: tool.MCP, Name: name, Session: name} }
	short := func(since int) *state.Snapshot {
		return &state.Snapshot{Pressure: &state.Pressure{
			Available: 1.2e9, Total: 16e9, Since: time.Unix(int64(since), 0),
			Most: state.MemoryUser{SessionID: "s", Bytes: 11.3e9, Variables: []state.LargeVariable{{Name: "df_all", Bytes: 6.1e9}, {Name: "cube", Bytes: 2e9}}},
		}}
	}
	var n pressureNews
	const begin = "This machine is short of memory: 1.2 GB of 16.0 GB are left, and this session uses 11.3 GB. Its largest variables: df_all (6.1 GB), cube (2.0 GB). Before"
	if got := n.next(short(1), "s", client("a")); !strings.HasPrefix(got, begin) {
		t.Errorf("got %q", got)
	}
	for what, c := range map[string]struct {
		s       *state.Snapshot
		session string
		caller  tool.Caller
	}{
		"again":                      {short(1), "s", client("a")},
		"of another session":         {short(1), "other", client("a")},
		"to the user":                {short(1), "s", tool.Caller{Transport: tool.Window}},
		"with enough memory":         {&state.Snapshot{}, "s", client("b")},
		"again, after enough memory": {short(1), "s", client("a")},
	} {
		if got := n.next(c.s, c.session, c.caller); got != "" {
			t.Errorf("%s: %q", what, got)
		}
	}
	if n.next(short(1), "s", client("b")) == "" {
		t.Error("another client is not told")
	}
	if n.next(short(2), "s", client("a")) == "" || len(n.told) != 1 {
		t.Errorf("of the next shortage it is not told, or %d are kept", len(n.told))
	}
}

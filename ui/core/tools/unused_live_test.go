package tools_test

import (
	"testing"
	"time"

	"easel/internal/require"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
)

func TestLiveSessionCreateListsTheClientsIdleSessions(t *testing.T) {
	b := newBench(t)
	clients := make(map[string]catalog.Connection)
	b.clients = clients
	create := func(session string) catalog.SessionCreateOut {
		t.Helper()
		ctx := tool.WithCaller(b.context(), tool.Caller{Transport: tool.MCP, Name: "claude", Session: session})
		out, err := catalog.SessionCreate.Ask(ctx, b.bus, catalog.SessionCreateIn{Name: "python3"})
		require.NoError(t, err)
		return out
	}
	first := create("s-1")
	if len(first.IdleSessions) > 0 {
		t.Errorf("the first session lists %+v", first.IdleSessions)
	}
	second := create("s-1")
	if len(second.IdleSessions) != 1 || second.IdleSessions[0] != (catalog.IdleSession{SessionID: first.SessionID}) {
		t.Errorf("the second session lists %+v, want %s", second.IdleSessions, first.SessionID)
	}
	// Another client of the same name gets them only when no connected client uses them.
	clients["s-1"] = catalog.Connection{Open: true}
	third := create("s-2")
	if len(third.IdleSessions) > 0 {
		t.Errorf("a connected client's sessions are listed to another: %+v", third.IdleSessions)
	}
	clients["s-1"] = catalog.Connection{Until: time.Now().Add(-time.Minute)}
	fourth := create("s-2")
	if len(fourth.IdleSessions) != 3 || fourth.IdleSessions[0].SessionID != third.SessionID {
		t.Errorf("listed %+v, want three, %s first", fourth.IdleSessions, third.SessionID)
	}
}

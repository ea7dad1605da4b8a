package mcphost

import (
	"fmt"
	"testing"
	"time"

	"easel/internal/require"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
)

func (r *rig) clients(t *testing.T) map[string]catalog.Connection {
	t.Helper()
	all, err := r.Connected()
	require.NoError(t, err)
	return all
}

func TestWhichClientsAreConnected(t *testing.T) {
	r := newRig(t)
	if all := r.clients(t); len(all) > 0 {
		t.Errorf("before anybody called: %v", all)
	}
	near := func(c catalog.Connection, want time.Duration) bool {
		left := time.Until(c.Until)
		return !c.Open && left > want-time.Minute && left <= want
	}
	silent, listens, gone := r.initialize(t, "silent"), r.initialize(t, "listens"), r.initialize(t, "gone")
	stream := r.open(t, "GET", "/mcp", "", "Mcp-Session-Id: "+listens)
	r.do(t, "DELETE", "/mcp", "", "Mcp-Session-Id: "+gone)
	r.do(t, "POST", "/api/execute/session_create", `{}`, "User-Agent: curl/8 (x y)")
	r.modern(t, "tools/call", `{"name":"session_create"}`)
	modern := tool.Caller{Transport: tool.MCP, Name: r.lastCaller().Name}.Identity()

	all := r.clients(t)
	for all[modern].Open || all[silent].Open { // the answer arrives shortly before the server has finished the call
		if t.Context().Err() != nil {
			t.Fatal("a call that was answered counts as open")
		}
		all = r.clients(t)
	}
	for id, ok := range map[string]bool{
		silent: near(all[silent], time.Hour), listens: all[listens].Open,
		"rest:curl/8_(x_y)": near(all["rest:curl/8_(x_y)"], recently), modern: near(all[modern], recently),
	} {
		if !ok {
			t.Errorf("%s: %+v", id, all[id])
		}
	}
	if _, known := all[gone]; known || len(all) != 4 {
		t.Errorf("got %v", all)
	}
	stream.close()
	for r.clients(t)[listens].Open { // the server notices immediately, but not within the call
		if t.Context().Err() != nil {
			t.Fatal("a closed stream counts as open")
		}
	}
}

func TestCallersAreBounded(t *testing.T) {
	var c callers
	now := time.Now()
	for i := range 2 * maxCallers {
		c.note(tool.Caller{Transport: tool.REST, Name: fmt.Sprint(i)}, now)
	}
	if len(c.last) != maxCallers {
		t.Errorf("%d are remembered, want %d", len(c.last), maxCallers)
	}
	c.note(tool.Caller{Transport: tool.REST, Name: "later"}, now.Add(recently))
	if len(c.last) != 1 {
		t.Errorf("%d are remembered after a while, want the last one", len(c.last))
	}
}

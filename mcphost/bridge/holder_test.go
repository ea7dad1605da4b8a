package bridge_test

import (
	"testing"
	"time"

	"easel/mcphost/bridge"
)

// endOf ends a bridge, and checks that the app learns that its holder has ended.
func (a *app) endOf(k *client, holder string) {
	k.t.Helper()
	_ = k.in.Close()
	if err := <-k.done; err != nil {
		k.t.Error(err)
	}
	select {
	case got := <-a.ended:
		if got != holder {
			k.t.Errorf("%q has ended, want %q", got, holder)
		}
	case <-time.After(patience):
		k.t.Error("the end of the bridge was not told")
	}
}

// TestABridgeHoldsWhatTheUserAllowsIt checks that each bridge's process is a holder of its own,
// whatever its client calls itself, also when it opens another session, until it ends.
func TestABridgeHoldsWhatTheUserAllowsIt(t *testing.T) {
	dir := t.TempDir()
	a := startApp(t, dir)
	holder := func(k *client, id int) string {
		k.send(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"execute_code","arguments":{"session_id":"s","code":"1"}}}`, id)
		k.answer(id)
		return (<-a.calls).Holder
	}
	one, other := startBridge(t, bridge.Config{DataDir: dir}), startBridge(t, bridge.Config{DataDir: dir})
	one.initialize()
	other.initialize()
	first := holder(one, 1)
	if first == "" || first != holder(one, 2) || first == holder(other, 1) {
		t.Errorf("the holders are not those of the processes: %q", first)
	}
	one.initialize() // the client begins another session
	if again := holder(one, 3); again != first {
		t.Errorf("the holder changed with the session, from %q to %q", first, again)
	}
	a.endOf(one, first)
}

// TestTheEndOfABridgeIsTold also if its client has no session.
func TestTheEndOfABridgeIsTold(t *testing.T) {
	dir := t.TempDir()
	a := startApp(t, dir)
	k := startBridge(t, bridge.Config{DataDir: dir})
	k.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"execute_code","arguments":{"session_id":"s","code":"1"},` +
		`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`)
	k.answer(1)
	holder := (<-a.calls).Holder
	a.endOf(k, holder)
}

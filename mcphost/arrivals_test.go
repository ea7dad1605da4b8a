package mcphost

import (
	"context"
	"testing"

	"easel/mcphost/catalog"
)

// TestAClientThatListsTheToolsHasArrived: in both eras of the protocol, though the newer
// one has no initialize.
func TestAClientThatListsTheToolsHasArrived(t *testing.T) {
	r := newRig(t)
	ctx, stop := context.WithTimeout(t.Context(), patience)
	defer stop()
	arrivals := catalog.Arrivals.Watch(ctx, r.bus, 8)
	session := r.initialize(t, "codex-mcp-client")
	r.rpc(t, session, "tools/list", `{}`)
	r.modern(t, "tools/list", `{}`)
	var got []catalog.Arrival
	for a, err := range arrivals {
		if err != nil {
			t.Fatal(err)
		}
		if a.At.IsZero() {
			t.Errorf("%+v has no time", a)
		}
		if got = append(got, a); len(got) == 2 {
			break
		}
	}
	if len(got) != 2 || got[0].Name != "codex-mcp-client" || got[0].Version != "9" || got[1].Name != "modern" || got[1].Version != "3" {
		t.Errorf("got %+v", got)
	}
}

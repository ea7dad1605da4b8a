package mcphost

import (
	"context"
	"testing"

	"easel/internal/require"
	"easel/mcphost/catalog"
)

// TestAClientThatConnectsHasArrived covers both eras of the protocol; the newer one has
// no initialize.
func TestAClientThatConnectsHasArrived(t *testing.T) {
	r := newRig(t)
	ctx, stop := context.WithTimeout(t.Context(), patience)
	defer stop()
	arrivals := catalog.Arrivals.Watch(ctx, r.bus, 8)
	session := r.initialize(t, "codex-mcp-client")
	r.rpc(t, session, "tools/list", `{}`)
	r.modern(t, "server/discover", `{}`)
	r.modern(t, "tools/list", `{}`)
	want := []string{"codex-mcp-client 9", "codex-mcp-client 9", "modern 3", "modern 3"}
	for a, err := range arrivals {
		require.NoError(t, err)
		if got := a.Name + " " + a.Version; got != want[0] || a.At.IsZero() {
			t.Errorf("got %s at %v, want %s", got, a.At, want[0])
		}
		if want = want[1:]; len(want) == 0 {
			return
		}
	}
	t.Errorf("without %q", want)
}

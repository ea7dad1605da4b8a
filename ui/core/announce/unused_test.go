package announce

import (
	"strings"
	"testing"
	"time"

	"easel/eventbus"
	"easel/mcphost/catalog"
	"easel/ui/core/library"
	"easel/ui/core/state"
)

func TestTheEndOfAnUnusedSessionIsShownAndLogged(t *testing.T) {
	bus, store := eventbus.New(), state.NewStore(state.Snapshot{Settings: state.DefaultSettings()})
	t.Cleanup(func() { _ = bus.Close(t.Context()) })
	activities := catalog.Activities.WatchToTheLast(t.Context(), bus, 8)
	Kernels(bus, store, nil).Unused(library.Session{
		ID: "5ab0", KernelID: "5ab0", KernelName: "python3", EndedAt: time.Now(),
		Held: &library.EndState{Unused: 4 * time.Hour, Variables: []library.HeldVariable{{Name: "n", Type: "int"}}},
	})
	n := store.Snapshot().Unused
	if len(n) != 1 || n[0].Name != "python3 · 5ab0" || n[0].After != 4*time.Hour || len(n[0].Variables) != 1 {
		t.Errorf("the window has %+v", n)
	}
	for a, err := range activities {
		if err != nil || a.Client != "Easel" || a.Tool != "session_delete" || !strings.Contains(a.Detail, "4 hours") || !strings.Contains(string(a.Result), "n (int)") {
			t.Errorf("the log has %+v, %v", a, err)
		}
		break
	}
}

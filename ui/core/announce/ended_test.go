package announce

import (
	"testing"

	"easel/mcphost/catalog"
	"easel/ui/core/state"
)

// TestEndsAreCounted: failed runs and ends of long ones, for notifications.
func TestEndsAreCounted(t *testing.T) {
	long := float64(30_000)
	for what, c := range map[string]struct {
		name catalog.ChangeName
		x    catalog.Execution
		want state.EndedRuns
	}{
		"an error":              {catalog.ExecutionEnded, catalog.Execution{Status: catalog.StatusError}, state.EndedRuns{Failed: 1}},
		"a death in a long run": {catalog.ExecutionEnded, catalog.Execution{Status: catalog.StatusKernelDied, ExecutionTimeMS: long}, state.EndedRuns{Failed: 1}},
		"plots": {
			catalog.ExecutionEnded,
			catalog.Execution{Status: catalog.StatusOK, ExecutionTimeMS: long, Images: []catalog.Image{{Title: "a"}, {Title: "b"}}},
			state.EndedRuns{Long: 1, Plot: "b"},
		},
		"a timeout":               {catalog.ExecutionEnded, catalog.Execution{Status: catalog.StatusTimeout}, state.EndedRuns{Failed: 1}},
		"a long run":              {catalog.ExecutionEnded, catalog.Execution{Status: catalog.StatusOK, ExecutionTimeMS: long}, state.EndedRuns{Long: 1}},
		"a short run":             {catalog.ExecutionEnded, catalog.Execution{Status: catalog.StatusOK, ExecutionTimeMS: long - 1}, state.EndedRuns{}},
		"an interrupt":            {catalog.ExecutionEnded, catalog.Execution{Status: catalog.StatusInterrupted, ExecutionTimeMS: long}, state.EndedRuns{}},
		"the user's in a browser": {catalog.ExecutionEnded, catalog.Execution{Status: catalog.StatusError, Watched: "Jupyter"}, state.EndedRuns{}},
		"output":                  {catalog.ExecutionOutput, catalog.Execution{Status: catalog.StatusError}, state.EndedRuns{}},
	} {
		store := state.NewStore(state.Snapshot{})
		countEnd(store, c.name, c.x)
		if got := store.Snapshot().Ended; got != c.want {
			t.Errorf("%s: %+v, want %+v", what, got, c.want)
		}
	}
}

// TestTheUserSaysWhatALongRunIs, and what ends sooner is not worth a notification.
func TestTheUserSaysWhatALongRunIs(t *testing.T) {
	store := state.NewStore(state.Snapshot{})
	ends := func(ms float64) int {
		countEnd(store, catalog.ExecutionEnded, catalog.Execution{Status: catalog.StatusOK, ExecutionTimeMS: ms})
		return store.Snapshot().Ended.Long
	}
	store.Update(func(s *state.Snapshot) { s.Settings.LongRunSeconds = 120 })
	if n := ends(119_999); n != 0 {
		t.Errorf("%d after a run that is not long", n)
	}
	if n := ends(120_000); n != 1 {
		t.Errorf("%d after a long run", n)
	}
}

package state

import (
	"encoding/json"
	"slices"
	"testing"

	"easel/ui/core/facts/checks"
)

func TestPlotChecksAreStoredByName(t *testing.T) {
	var p PlotChecks
	if !p.On(checks.Wall) || p != p.With(checks.Wall, true) {
		t.Error("not all checks are on at first")
	}
	p = p.With(checks.Wall, false).With(checks.Flat, false).With("no check/", false)
	if p.On(checks.Wall) || !p.On(checks.Copies) || !slices.Equal(p.Off(), []string{"flat", "wall"}) {
		t.Errorf("off: %q", p.Off())
	}
	raw, err := json.Marshal(p)
	if err != nil || string(raw) != `{"flat":false,"wall":false}` {
		t.Errorf("stored as %s, %v", raw, err)
	}
	var again PlotChecks
	if err := json.Unmarshal(raw, &again); err != nil || again != p {
		t.Errorf("read as %q, %v", again.Off(), err)
	}
	if p.With(checks.Wall, true).With(checks.Flat, true) != (PlotChecks{}) {
		t.Error("all on again is not the zero value")
	}
	// A check of a newer Easel is kept. What makes no sense loses nothing else.
	if err := json.Unmarshal([]byte(`{"newer": false, "wall": 0, "Flat!": false, "edge": true, "round": false}`), &again); err != nil ||
		!slices.Equal(again.Off(), []string{"newer", "round"}) {
		t.Errorf("read %q, %v", again.Off(), err)
	}
	if err := json.Unmarshal([]byte(`["wall"]`), &again); err == nil {
		t.Error("a list was read")
	}
}
